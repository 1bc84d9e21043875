"""Operators' files, carried out."""

from pathlib import Path

from synaptic.engine.sinks import write
from synaptic.model.effect import AppendLine, KeepLines, RemoveFile, WriteFile


def test_a_file_is_replaced_removed_and_cut(tmp_path: Path):
    """S4-167"""
    path = tmp_path / ".claude" / ".audit-log"
    assert write([WriteFile(str(path), "".join(f"{n}\n" for n in range(150))), KeepLines(str(path), 100)]) == ()
    assert path.read_text().splitlines() == [str(n) for n in range(50, 150)]
    write([KeepLines(str(path), 100), AppendLine(str(path), "more")])
    assert len(path.read_text().splitlines()) == 101
    write([RemoveFile(str(path)), RemoveFile(str(path)), KeepLines(str(path), 5)])
    assert list(path.parent.iterdir()) == []


def test_what_cannot_be_written_is_a_warning(tmp_path: Path):
    (tmp_path / "file").write_text("")
    (tmp_path / "full").mkdir()
    effects = [WriteFile(f"{tmp_path}/file/x", "a"), RemoveFile(f"{tmp_path}/full"), WriteFile("/a\0b", "x")]
    assert len(write(effects)) == 3


def test_a_link_is_replaced_and_not_followed(tmp_path: Path):
    (tmp_path / "mine").write_text("precious")
    (tmp_path / "link").symlink_to(tmp_path / "mine")
    write([WriteFile(f"{tmp_path}/link", "new")])
    assert (tmp_path / "mine").read_text() == "precious"

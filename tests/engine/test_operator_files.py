import resource
from pathlib import Path

from synaptic.engine.operator_files import write_files
from synaptic.model.effect import AppendLine, Deliver, KeepLines, RemoveFile, WriteFile


def test_a_line_is_appended_and_its_folder_made(tmp_path: Path) -> None:
    path = tmp_path / "logs" / "audit.log"
    assert (
        write_files(str(tmp_path), (AppendLine(str(path), "one"), Deliver("not a file"), AppendLine(str(path), "two")))
        == ()
    )
    assert path.read_text() == "one\ntwo\n"


def test_a_line_stays_one_line(tmp_path: Path) -> None:
    path = tmp_path / "audit.log"
    write_files(str(tmp_path), (AppendLine(str(path), "a\nb\rc"),))
    assert path.read_text() == "a\\nb\\rc\n"


def test_a_file_that_cannot_be_written_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (warning,) = write_files(str(tmp_path), (AppendLine(str(tmp_path / "file" / "audit.log"), "x"),))
    assert "audit.log" in warning


def test_secrets_do_not_reach_a_file(tmp_path: Path) -> None:
    path = tmp_path / "audit.log"
    write_files(
        str(tmp_path),
        (AppendLine(str(path), "curl -H 'Authorization: Bearer ghp_0123456789abcdefghijABCDEFGHIJ012345'"),),
    )
    assert "ghp_0123456789" not in path.read_text()


def test_a_link_in_the_place_of_a_log_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "audit.log").symlink_to(tmp_path / "precious")
    (tmp_path / "precious").write_text("kept")
    (warning,) = write_files(str(tmp_path), (AppendLine(str(tmp_path / "audit.log"), "x"),))
    assert "audit.log" in warning
    assert (tmp_path / "precious").read_text() == "kept"


def test_a_file_is_replaced_removed_and_cut(tmp_path: Path) -> None:
    """S4-167"""
    path = tmp_path / ".claude" / ".audit-log"
    assert (
        write_files(
            str(tmp_path), [WriteFile(str(path), "".join(f"{n}\n" for n in range(150))), KeepLines(str(path), 100)]
        )
        == ()
    )
    assert path.read_text().splitlines() == [str(n) for n in range(50, 150)]
    write_files(str(tmp_path), [KeepLines(str(path), 100), AppendLine(str(path), "more")])
    assert len(path.read_text().splitlines()) == 101
    write_files(str(tmp_path), [RemoveFile(str(path)), RemoveFile(str(path)), KeepLines(str(path), 5)])
    assert list(path.parent.iterdir()) == []


def test_what_cannot_be_written_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "full").mkdir()
    effects = [WriteFile(f"{tmp_path}/file/x", "a"), RemoveFile(f"{tmp_path}/full"), WriteFile("/a\0b", "x")]
    assert len(write_files(str(tmp_path), effects)) == 3


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("precious")
    (tmp_path / "link").symlink_to(tmp_path / "mine")
    write_files(str(tmp_path), [WriteFile(f"{tmp_path}/link", "new")])
    assert (tmp_path / "mine").read_text() == "precious"


def test_a_full_disk_leaves_no_half_line_before_the_next_one(tmp_path: Path) -> None:
    """A line behind the half of another would be written again by whoever looks for it after a crash."""
    path = tmp_path / "audit.log"
    write_files(str(tmp_path), (AppendLine(str(path), "before"),))
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len("before\nha"), usual[1]))  # a write is cut there, as by a full disk
    try:
        (warning,) = write_files(str(tmp_path), (AppendLine(str(path), "half"),))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
    assert "No space left" in warning
    write_files(str(tmp_path), (AppendLine(str(path), "after"),))
    assert path.read_text() == "before\nafter\n"

from pathlib import Path

from synaptic.engine import sinks
from synaptic.model.effect import AppendLine, Deliver


def test_a_line_is_appended_and_its_folder_made(tmp_path: Path) -> None:
    path = tmp_path / "logs" / "audit.log"
    assert sinks.write((AppendLine(str(path), "one"), Deliver("not a file"), AppendLine(str(path), "two"))) == ()
    assert path.read_text() == "one\ntwo\n"


def test_a_line_stays_one_line(tmp_path: Path) -> None:
    path = tmp_path / "audit.log"
    sinks.write((AppendLine(str(path), "a\nb\rc"),))
    assert path.read_text() == "a\\nb\\rc\n"


def test_a_file_that_cannot_be_written_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (warning,) = sinks.write((AppendLine(str(tmp_path / "file" / "audit.log"), "x"),))
    assert "audit.log" in warning


def test_secrets_do_not_reach_a_file(tmp_path: Path) -> None:
    path = tmp_path / "audit.log"
    sinks.write((AppendLine(str(path), "curl -H 'Authorization: Bearer ghp_0123456789abcdefghijABCDEFGHIJ012345'"),))
    assert "ghp_0123456789" not in path.read_text()


def test_a_link_in_the_place_of_a_log_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "audit.log").symlink_to(tmp_path / "precious")
    (tmp_path / "precious").write_text("kept")
    (warning,) = sinks.write((AppendLine(str(tmp_path / "audit.log"), "x"),))
    assert "audit.log" in warning
    assert (tmp_path / "precious").read_text() == "kept"

"""Files of a project as the shell reader asks for them."""

from pathlib import Path

from synaptic.files.bounded import UnreadableFile
from synaptic.hooks import traced_files
from synaptic.hooks.traced_files import MAX_CODE_FILES, TracedFiles


def test_whatever_is_asked_for_is_noted(tmp_path: Path):
    (tmp_path / "a").write_text("text")
    files = TracedFiles()
    assert files.get(f"{tmp_path}/a") == "text"
    assert f"{tmp_path}/b" not in files
    assert list(files.asked) == [f"{tmp_path}/a", f"{tmp_path}/b"]


def test_what_is_written_goes_first_and_adding_to_a_file_is_not_running_it(tmp_path: Path):
    (tmp_path / "log").write_text("old")
    files = TracedFiles()
    files[f"{tmp_path}/log"] = files.get(f"{tmp_path}/log", "") + "new"
    assert list(files.asked) == []
    assert files[f"{tmp_path}/log"] == "oldnew"
    assert list(files.asked) == [f"{tmp_path}/log"]


def test_hidden_files_and_binaries_have_no_text(tmp_path: Path):
    (tmp_path / "a").write_text("text")
    (tmp_path / "b").write_bytes(b"\x7fELF...")
    assert f"{tmp_path}/a" not in TracedFiles(frozenset({f"{tmp_path}/a"}))
    assert f"{tmp_path}/b" not in TracedFiles()


def test_bash_names_itself(tmp_path: Path):
    (tmp_path / "a").write_text('. "${BASH_SOURCE[0]%/*}/b"; x=${BASH_SOURCE[0]}')
    assert TracedFiles()[f"{tmp_path}/a"] == f'. "{tmp_path}/b"; x={tmp_path}/a'


def test_there_is_an_end(tmp_path: Path):
    files = TracedFiles()
    for number in range(MAX_CODE_FILES + 1):
        files.get(f"{tmp_path}/{number}")
    assert files.is_exhausted


def test_a_file_that_cannot_be_read_for_a_moment_is_not_taken_for_a_missing_one(tmp_path: Path, monkeypatch):
    files = TracedFiles()
    assert files.get(f"{tmp_path}/missing") is None
    assert files.may_pass is False
    monkeypatch.setattr(traced_files, "read_content", lambda path, limit: UnreadableFile("cannot be read", True, True))
    assert files.get(f"{tmp_path}/a") is None
    assert files.may_pass is True

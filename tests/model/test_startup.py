"""Edits of files that a shell runs whenever it starts, as commands."""

import pytest

from synaptic.model.startup import write_as_command
from synaptic.model.tool import Tool


def test_what_is_written_is_added_by_a_command() -> None:
    said = write_as_command("/home/u/.bashrc", {"content": "alias ll=ls"})
    assert said == "cat >> /home/u/.bashrc <<'END0'\nalias ll=ls\nEND0"


def test_no_text_ends_the_document_early() -> None:
    said = write_as_command("/h/.zshrc", {"content": "a\nEND0\nEND1\nb"})
    assert said.endswith("\na\nEND0\nEND1\nb\nEND2")


def test_every_piece_of_an_edit_is_in_it() -> None:
    edits = [{"old_string": "a", "new_string": "one"}, {"new_string": "two"}, "three", {"new_string": 4}]
    tool = Tool("MultiEdit", {"file_path": "/h/.profile", "edits": edits})
    assert "one\ntwo" in tool.command
    assert tool.roles == ("Bash",)


@pytest.mark.parametrize("name", ["Read", "Grep", "Glob"])
def test_who_reads_such_a_file_runs_nothing(name: str) -> None:
    assert Tool(name, {"file_path": "/h/.bashrc", "content": "x"}).command == ""


@pytest.mark.parametrize("path", ["/h/a.py", "/h/.bashrc.md", "", "/h/.bashrc/x"])
def test_other_files_are_no_command(path: str) -> None:
    assert write_as_command(path, {"content": "synaptic down"}) == ""

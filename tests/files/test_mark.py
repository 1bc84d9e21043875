"""A mark outlives its process, and tells whether that lives."""

import os
from pathlib import Path

import pytest

from synaptic.files.mark import ProgressMark, is_mark_held, read_mark


def test_what_was_noted_last_is_read_after_the_end(tmp_path: Path) -> None:
    path = tmp_path / "marks" / "one"
    child = os.fork()
    if child == 0:
        mark = ProgressMark(path, (0, 0, 0))
        mark.note(1, 2, 1 << 40)
        os._exit(0)
    os.waitpid(child, 0)
    assert read_mark(path) == (1, 2, 1 << 40)
    assert is_mark_held(path) is False


def test_a_living_process_holds_its_mark(tmp_path: Path) -> None:
    mark = ProgressMark(tmp_path / "one", (0, 0, 0))
    assert is_mark_held(tmp_path / "one") is True
    assert is_mark_held(tmp_path / "one") is True  # looking does not take it away
    mark.close()
    assert is_mark_held(tmp_path / "one") is False


def test_where_there_is_no_mark_nothing_is_told(tmp_path: Path) -> None:
    (tmp_path / "short").write_bytes(b"x")
    assert read_mark(tmp_path / "short") is None
    assert read_mark(tmp_path / "gone") is None
    assert is_mark_held(tmp_path / "gone") is None


def test_no_two_processes_share_a_mark(tmp_path: Path) -> None:
    ProgressMark(tmp_path / "one", (0, 0, 0))
    with pytest.raises(FileExistsError):
        ProgressMark(tmp_path / "one", (0, 0, 0))

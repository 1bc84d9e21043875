"""One reading for all."""

import pytest

from synaptic.shell.read import once
from synaptic.shell.read.once import read_once


def test_the_same_command_is_read_once() -> None:
    assert read_once("ls -l", "/p", "/h") is read_once("ls -l", "/p", "/h")
    assert read_once("ls -l", "/p", "/h") is not read_once("ls -l", "/q", "/h")


def test_a_defect_of_the_reader_is_text_that_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(text: str, cwd: str, home: str) -> None:
        raise IndexError("on purpose")

    monkeypatch.setattr(once, "read", broken)
    assert "IndexError" in read_once("something that was never read before").truncated
    read_once.cache_clear()

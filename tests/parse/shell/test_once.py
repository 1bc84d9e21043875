"""One reading for all."""

from synaptic.parse.shell.once import read_once


def test_the_same_command_is_read_once():
    assert read_once("ls -l", "/p", "/h") is read_once("ls -l", "/p", "/h")
    assert read_once("ls -l", "/p", "/h") is not read_once("ls -l", "/q", "/h")

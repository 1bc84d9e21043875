"""Verbs that the daemon carries out."""

import os
import pty
import sys

import pytest

ASK = """
from synaptic.cli.by_daemon import type_pin
from synaptic.model.errors import SynapticError
try:
    print("typed:" + type_pin("PIN"))
except SynapticError as error:
    print("said: " + str(error))
"""


def ask_at_terminal(keys: bytes) -> str:
    """What a program prints that asks for the PIN at a terminal where these keys are pressed."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(sys.executable, [sys.executable, "-c", ASK])
    said = b""
    while b"PIN: " not in said:
        said += os.read(terminal, 4096)
    os.write(terminal, keys)
    try:
        while piece := os.read(terminal, 4096):
            said += piece
    except OSError:
        pass  # the program has ended, and its terminal with it
    os.waitpid(pid, 0)
    os.close(terminal)
    return said.decode()


@pytest.mark.parametrize("keys", [b"\x04", b"\n", b"\x1b\n"])
def test_a_pin_that_nobody_types_is_no_crash(keys: bytes) -> None:
    assert "said: no letter, digit or sign was typed" in ask_at_terminal(keys)


def test_a_pin_is_typed_unseen() -> None:
    assert ask_at_terminal(b"48021\n").count("48021") == 1

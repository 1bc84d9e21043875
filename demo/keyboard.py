"""One command, typed by a person at a real terminal."""

import contextlib
import fcntl
import os
import pty
import struct
import sys
import termios
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from demo.screen import COLUMNS, LINES
from demo.stories import Story

SHELL = ("bash", "--noprofile", "--norc", "-i")
WINDOW = "xterm"
BEGIN, END = "\x01", "\x02"
"""What stands around a command's own output; the shell echoes how they are written, not what they are."""


class Typed(NamedTuple):
    """What the terminal showed: up to the first answer, up to the second, and so on."""

    story: Story
    parts: tuple[str, ...]


def open_window() -> None:
    """Be what people sit at: a program with the name of a terminal's window, started before any agent of its home.

    Exceptions are made by people, who are known by that and by a shell in which they type. Here both are played.
    """
    if sys.platform == "linux":
        Path("/proc/self/comm").write_text(WINDOW)


def type_command(story: Story, env: Mapping[str, str]) -> Typed:
    """Run a command and answer what it asks."""
    pid, terminal = pty.fork()
    if not pid:
        os.chdir(f"{env['HOME']}/shop")
        os.execve("/bin/bash", SHELL, {**env, "PS1": "", "HISTFILE": "/dev/null"})
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    os.write(terminal, f"stty -echoctl; printf '\\001'; {story.command}; printf '\\002'; exit\n".encode())
    parts, seen, answers = [], "", list(story.answers)
    while part := _read(terminal):
        seen += part
        if answers and answers[0].question in seen:
            parts.append(seen)
            seen = ""
            os.write(terminal, f"{answers.pop(0).text}\n".encode())
    os.close(terminal)
    os.waitpid(pid, 0)
    shown = "\0".join((*parts, seen)).partition(BEGIN)[2].partition(END)[0]
    return Typed(story, tuple(shown.split("\0")))


def _read(terminal: int) -> str:
    with contextlib.suppress(OSError):  # the other end is closed
        return os.read(terminal, 65536).decode(errors="replace")
    return ""

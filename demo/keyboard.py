"""One command, typed by a person at a real terminal."""

import fcntl
import os
import pty
import struct
import termios
from collections.abc import Mapping
from typing import NamedTuple

from demo.screen import COLUMNS, LINES
from demo.stories import Story


class Typed(NamedTuple):
    """What the terminal showed: up to the first answer, up to the second, and so on."""

    story: Story
    parts: tuple[str, ...]


def type_command(story: Story, env: Mapping[str, str]) -> Typed:
    """Run a command and answer what it asks."""
    pid, terminal = pty.fork()
    if not pid:
        os.chdir(f"{env['HOME']}/shop")
        os.execve("/bin/bash", ["bash", "-c", f"stty -echoctl; {story.command}"], dict(env))
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    parts, seen, answers = [], "", list(story.answers)
    while part := _read(terminal):
        seen += part
        if answers and answers[0].question in seen:
            parts.append(seen)
            seen = ""
            os.write(terminal, f"{answers.pop(0).text}\n".encode())
    os.close(terminal)
    os.waitpid(pid, 0)
    return Typed(story, (*parts, seen))


def _read(terminal: int) -> str:
    try:
        return os.read(terminal, 65536).decode(errors="replace")
    except OSError:  # the other end is closed
        return ""

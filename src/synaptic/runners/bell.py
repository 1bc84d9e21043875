"""The bell of the terminals at which a person sits: one character that moves no cursor and changes no text."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

PROC = Path("/proc")
SESSION, TERMINAL = 3, 4
"""Places in /proc/PID/stat, counted from the state on."""
PTS_MAJOR, PTS_MAJORS = 136, 8
BELL = b"\a"
NO_TERMINAL_TEXT = "none of your terminals could be found: set `ask.notify` to `desktop` or to a command"


def ring_bells(is_persons: Callable[[int], bool]) -> str:
    """Ring in every terminal whose first process is a person's; why nobody can have heard it, or ""."""
    if sys.platform != "linux":
        return "the bell rings on Linux only: set `ask.notify` to `desktop` or to a command"
    rung = [path for leader, path in dict.fromkeys(_iter_terminals()) if is_persons(leader) and _ring(path)]
    return "" if rung else NO_TERMINAL_TEXT


def _iter_terminals() -> Iterator[tuple[int, str]]:
    """The process that leads each session of this user at a terminal. A terminal that an agent made for its tools has
    one below the agent, so that nothing is printed into what a tool says."""
    for name in os.listdir(PROC):  # noqa: PTH208 - names only
        with suppress(OSError, ValueError, IndexError):
            fields = (PROC / name / "stat").read_text(errors="replace").rpartition(")")[2].split()
            if int(fields[SESSION]) == int(name) and (path := _locate_terminal(int(fields[TERMINAL]))):
                yield int(name), path


def _locate_terminal(device: int) -> str:
    """The path of a pseudo terminal of this user; "" for any other device."""
    major, minor = device >> 8 & 0xFFF, device & 0xFF | device >> 12 & 0xFFF00
    if not PTS_MAJOR <= major < PTS_MAJOR + PTS_MAJORS:
        return ""
    path = f"/dev/pts/{(major - PTS_MAJOR << 8) + minor}"
    return path if os.stat(path).st_uid == os.geteuid() else ""  # noqa: PTH116


def _ring(path: str) -> bool:
    """Ring once; a terminal that somebody has stopped is left alone."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return os.write(handle, BELL) == len(BELL)
    except OSError:
        return False
    finally:
        os.close(handle)

"""Read processes of this machine: parent, start, arguments, variables. On Linux from /proc, elsewhere from `ps`."""

import os
import subprocess  # noqa: TID251 - where there is no /proc, `ps` is all there is
import sys
from collections.abc import Callable, Iterator
from typing import TypeVar

import msgspec

Found = TypeVar("Found")

LONGEST_CHAIN = 256
"""Ancestors that are looked at; no tree of processes that people have is deeper."""
READ_BYTES = 1 << 18
"""Bytes of arguments and of variables that are looked at."""
PARENT, START_TIME = 1, 19
"""Places in /proc/PID/stat, counted from the state on."""
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
PS_SECONDS = 5.0


class ProcessInfo(msgspec.Struct, frozen=True):
    """Which process: ids are reused, an id together with its start is not."""

    pid: int
    parent: int
    started: str
    """In ticks since the machine started; elsewhere as `ps` shows it."""

    @property
    def key(self) -> tuple[int, str]:
        return self.pid, self.started


def read_process(pid: int) -> ProcessInfo | None:
    """One process; None when it is gone."""
    return _read_stat(pid) if sys.platform == "linux" else _ask_ps(pid)


def iter_ancestors(pid: int) -> Iterator[ProcessInfo]:
    """The process itself, its parent and so on, up to the first process, which is everybody's."""
    for _ in range(LONGEST_CHAIN):
        found = read_process(pid) if pid > 1 else None
        if found is None:
            return
        yield found
        pid = found.parent


def read_arguments(pid: int) -> tuple[str, ...]:
    """The command line of a process; nothing for one that is gone or not ours."""
    if sys.platform == "linux":
        return _split_block(_read_start(f"/proc/{pid}/cmdline"))
    return tuple(_run_ps("-o", "command=", "-p", str(pid)).split())


def read_variables(pid: int) -> tuple[str, ...]:
    """The variables that a process was started with, as `NAME=value`; nothing for one that is not ours."""
    if sys.platform == "linux":
        return _split_block(_read_start(f"/proc/{pid}/environ"))
    # `ps` puts them behind the command line: words of it that look like variables do no harm.
    return tuple(word for word in _run_ps("-Eww", "-o", "command=", "-p", str(pid)).split() if "=" in word)


def read_program(pid: int) -> str:
    """The file that a process executes; "" when it cannot be told."""
    if sys.platform == "linux":
        return _attempt(lambda: os.readlink(f"/proc/{pid}/exe"), "")  # noqa: PTH115 - on the path of an event
    return _run_ps("-o", "comm=", "-p", str(pid)).strip()


def _read_stat(pid: int) -> ProcessInfo | None:
    raw = _read_start(f"/proc/{pid}/stat")
    # The name of the program is in brackets and may hold anything, brackets too.
    fields = raw[raw.rfind(b")") + 2 :].split()
    if len(fields) <= START_TIME:
        return None
    return ProcessInfo(pid, int(fields[PARENT]), fields[START_TIME].decode())


def _read_start(path: str) -> bytes:
    return _attempt(lambda: _read_bytes(path), b"")


def _read_bytes(path: str) -> bytes:
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(handle, READ_BYTES)
    finally:
        os.close(handle)


def _split_block(raw: bytes) -> tuple[str, ...]:
    return tuple(os.fsdecode(raw).rstrip("\0").split("\0")) if raw else ()


def _ask_ps(pid: int) -> ProcessInfo | None:
    parent, _, started = _run_ps("-o", "ppid=,lstart=", "-p", str(pid)).strip().partition(" ")
    return ProcessInfo(pid, int(parent), started.strip()) if parent.isdigit() else None


def _run_ps(*words: str) -> str:
    def run() -> str:
        done = subprocess.run(("/bin/ps", *words), capture_output=True, text=True, timeout=PS_SECONDS, check=False)
        return done.stdout

    return _attempt(run, "")


def _attempt(read: Callable[[], Found], otherwise: Found) -> Found:
    """What can be read; a process may end at any moment, and those of others are not shown."""
    try:
        return read()
    except (OSError, ValueError, subprocess.SubprocessError):
        return otherwise

"""Read processes of this machine: parent, start, arguments, variables, terminal. From /proc, on macOS from `ps`."""

import os
import stat
import subprocess  # noqa: TID251 - where there is no /proc, `ps` is all there is
import sys
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

import msgspec

Found = TypeVar("Found")

LONGEST_CHAIN = 256
"""Ancestors that are looked at; no tree of processes that people have is deeper."""
READ_BYTES = 1 << 18
"""Bytes of arguments and of variables that are looked at."""
PARENT, GROUP, SESSION, TERMINAL, FOREGROUND, START_TIME = 1, 2, 3, 4, 5, 19
"""Places in /proc/PID/stat, counted from the state on."""
PSEUDO_TERMINALS = range(136, 144)
"""Major numbers of the devices that terminal windows, logins from elsewhere and containers have."""
CONSOLES = 4
USER_IDS = 4
PS_TIME = "%a %b %d %H:%M:%S %Y"
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


class TerminalPlace(msgspec.Struct, frozen=True):
    """Where a process stands in the terminal that controls it."""

    terminal: str
    """Its name, such as `pts/3`; "" without one."""
    session: int
    """The process that leads the session: of a terminal, usually its shell."""
    group: int
    foreground: int
    """The group that gets what is typed."""


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


def iter_own_processes() -> Iterator[ProcessInfo]:
    """All processes of this user that live now. `ps` would be asked for each of them: there it is nobody."""
    if sys.platform != "linux":
        return
    for entry in os.scandir("/proc"):
        pid = int(entry.name) if entry.name.isdecimal() else 0
        if pid and _is_own(pid) and (found := read_process(pid)) is not None:
            yield found


def _is_own(pid: int) -> bool:
    return _attempt(lambda: os.stat(f"/proc/{pid}").st_uid == os.getuid(), False)  # noqa: PTH116 - as elsewhere here


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


def read_name(pid: int) -> str:
    """What the system calls a process: the name of its program's file, or of the script that it runs."""
    if sys.platform == "linux":
        return os.fsdecode(_read_start(f"/proc/{pid}/comm")).rstrip("\n")
    return os.path.basename(read_program(pid))  # noqa: PTH119 - as elsewhere here


def read_place(pid: int) -> TerminalPlace | None:
    """The terminal of a process and its place there; None when it is gone."""
    if sys.platform != "linux":
        return _attempt(lambda: _ask_ps_place(pid), None)
    fields = _read_fields(pid)
    if len(fields) <= START_TIME:
        return None
    group, session, terminal, foreground = (int(fields[at]) for at in (GROUP, SESSION, TERMINAL, FOREGROUND))
    return TerminalPlace(_name_terminal(terminal), session, group, foreground)


def is_root_process(pid: int) -> bool:
    """Whether a process has nobody's rights but root's: a program that only borrows them is its user's."""
    if sys.platform != "linux":
        return _run_ps("-o", "ruid=,uid=", "-p", str(pid)).split() == ["0", "0"]
    raw = _read_start(f"/proc/{pid}/status").partition(b"\nUid:")[2].partition(b"\n")[0]
    return raw.split() == [b"0"] * USER_IDS


def reads_terminal(pid: int) -> bool:
    """Whether what a process reads comes from a terminal, and not out of a file or a pipe."""
    if sys.platform != "linux":
        return True  # `ps` does not say it
    mode, major = _attempt(lambda: _read_input_kind(pid), (0, 0))
    return stat.S_ISCHR(mode) and (major in PSEUDO_TERMINALS or major == CONSOLES)


def is_older(first: ProcessInfo, second: ProcessInfo) -> bool:
    """Whether a process was started before another one; no where that cannot be told."""
    begun, other = _measure_start(first), _measure_start(second)
    return begun is not None and other is not None and begun < other


def _measure_start(process: ProcessInfo) -> float | None:
    if process.started.isdecimal():
        return float(process.started)
    return _attempt(lambda: time.mktime(time.strptime(process.started, PS_TIME)), None)


def _read_input_kind(pid: int) -> tuple[int, int]:
    found = os.stat(f"/proc/{pid}/fd/0")  # noqa: PTH116 - as elsewhere here
    return found.st_mode, os.major(found.st_rdev)


def _name_terminal(number: int) -> str:
    """The name behind a device's number, as it is written in /proc/PID/stat."""
    if not number:
        return ""
    major, minor = number >> 8 & 0xFFF, number & 0xFF | number >> 12 & 0xFFF00
    if major in PSEUDO_TERMINALS:
        return f"pts/{(major - PSEUDO_TERMINALS.start) * 256 + minor}"
    return f"tty{minor}" if major == CONSOLES else f"tty {major}:{minor}"


def _read_fields(pid: int) -> list[bytes]:
    raw = _read_start(f"/proc/{pid}/stat")
    # The name of the program is in brackets and may hold anything, brackets too.
    return raw[raw.rfind(b")") + 2 :].split()


def _read_stat(pid: int) -> ProcessInfo | None:
    fields = _read_fields(pid)
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


def _ask_ps_place(pid: int) -> TerminalPlace | None:
    terminal, _, foreground = _run_ps("-o", "tty=,tpgid=", "-p", str(pid)).strip().partition(" ")
    if not terminal:
        return None
    name = "" if terminal in ("?", "??", "-") else terminal
    return TerminalPlace(name, os.getsid(pid), os.getpgid(pid), int(foreground))


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

"""The one lock of a home's daemon: on the folder itself, held for as long as the daemon lives.

The kernel releases it with its process, and nobody can take it away by removing a file. Everything else that tells of a
daemon (run folder, pid file, socket) is derived from it. Who holds it can be seen in /proc, also when no file says so.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from synaptic.model.errors import DaemonError
from synaptic.model.home import Home

PROC = Path("/proc")
LOCK_SIGN = "FLOCK"
EXCLUSIVE_SIGN = "WRITE"
START_FIELD = 19
"""Place of the start time in /proc/PID/stat, counted behind the program's name."""


def open_home(home: Home) -> int:
    """The folder, open to be locked. Raises DaemonError when it cannot be made or opened."""
    try:
        home.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        return os.open(home.lock, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        hint = "set SYNAPTIC_HOME to a folder that can be written"
        raise DaemonError(f"cannot be opened: {error.strerror}", where=str(home.lock), hint=hint) from error


def try_lock(fd: int) -> bool:
    """Take the lock; asking for what one holds already succeeds as well."""
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def free_lock(fd: int) -> None:
    """Let go of the lock, also where another process has the same open file."""
    fcntl.flock(fd, fcntl.LOCK_UN)


def is_same_home(home: Home, fd: int) -> bool:
    """Whether an open folder is the one that has the home's name now."""
    try:
        return os.path.samestat(os.fstat(fd), home.lock.stat())
    except OSError:
        return False


def is_holder(home: Home, pid: int) -> bool:
    """Whether a process holds the lock. Where the system does not tell (macOS), whoever says so is believed."""
    return holds_lock(home.lock, pid) if _can_look() else True


def find_holder(home: Home) -> int:
    """The process that holds the lock, though it has no pid file; 0 when none is found."""
    return find_locker(home.lock)


def find_locker(path: Path) -> int:
    """The process that has locked a file or folder; 0 when none is found, or the system does not tell."""
    if not _can_look():
        return 0
    pids = (int(name) for name in os.listdir(PROC) if name.isdigit())  # noqa: PTH208 - names only
    return next((pid for pid in pids if pid != os.getpid() and holds_lock(path, pid)), 0)


def holds_lock(path: Path, pid: int) -> bool:
    """Whether a process has locked a file or folder, by what the kernel tells."""
    try:
        found = path.stat()
    except OSError:
        return False
    return any(_has_lock(pid, name) for name in _list_open(pid, found))


def read_age(pid: int) -> float:
    """Seconds since a process was started; 0 when nobody knows."""
    try:
        fields = (PROC / str(pid) / "stat").read_text(errors="replace").rpartition(")")[2].split()
        up = float((PROC / "uptime").read_text().split()[0])
        return up - int(fields[START_FIELD]) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return 0.0


def _can_look() -> bool:
    return (PROC / "self" / "fdinfo").is_dir()


def _list_open(pid: int, found: os.stat_result) -> Iterator[str]:
    """The descriptors that a process has of this file or folder."""
    try:
        names = os.listdir(PROC / str(pid) / "fd")  # noqa: PTH208 - names only
    except OSError:
        return  # it has ended, or is another user's
    for name in names:
        with suppress(OSError):
            if os.path.samestat((PROC / str(pid) / "fd" / name).stat(), found):
                yield name


def _has_lock(pid: int, descriptor: str) -> bool:
    try:
        text = (PROC / str(pid) / "fdinfo" / descriptor).read_text()
    except OSError:
        return False
    return any(LOCK_SIGN in line and EXCLUSIVE_SIGN in line for line in text.splitlines())

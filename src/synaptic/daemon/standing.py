"""Whether a daemon lives, and which: read from its lock and its pid file, without asking it."""

from contextlib import suppress
from typing import Literal

import msgspec

from synaptic.daemon.lock import is_holder
from synaptic.daemon.names import locate_pid_file
from synaptic.files.lock import is_file_locked
from synaptic.model.home import Home

DaemonState = Literal["running", "starting", "stopped"]


class DaemonStatus(msgspec.Struct, frozen=True, kw_only=True):
    """What is known about the daemon of a home without asking it."""

    state: DaemonState
    socket: str
    pid: int = 0
    version: str = ""
    since: float = 0.0


def read_status(home: Home) -> DaemonStatus:
    """From the lock and the pid file; the daemon itself is not asked."""
    place = str(home.socket)
    if not is_held(home):
        return DaemonStatus(state="stopped", socket=place)
    try:
        pid, version = locate_pid_file(home).read_text().split("\n")[:2]
        since = locate_pid_file(home).stat().st_mtime
        # A file can say anything: nobody is signalled who does not hold the lock.
        if is_holder(home, int(pid)):
            return DaemonStatus(state="running", socket=place, pid=int(pid), version=version, since=since)
    except (OSError, ValueError):
        pass
    return DaemonStatus(state="starting", socket=place)


def is_held(home: Home) -> bool:
    """Whether a daemon lives, or is being started."""
    with suppress(OSError):  # a home that is not there has no daemon
        return is_file_locked(home.lock)
    return False

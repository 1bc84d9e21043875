"""Whether a daemon lives, and which: read from its lock and its pid file, without asking it."""

from contextlib import suppress
from typing import Literal

import msgspec

from synaptic.daemon.lock import is_holder
from synaptic.daemon.names import locate_pid_file, read_pid_file
from synaptic.files.lock import is_file_locked
from synaptic.model.home import Home

DaemonState = Literal["running", "starting", "stopped"]


class DaemonStatus(msgspec.Struct, frozen=True, kw_only=True):
    """What is known about the daemon of a home without asking it."""

    state: DaemonState
    socket: str
    pid: int = 0
    version: str = ""
    code: str = ""
    """The stamp of the code that it has loaded; empty for a daemon of an earlier build."""
    since: float = 0.0


def read_status(home: Home) -> DaemonStatus:
    """From the lock and the pid file; the daemon itself is not asked."""
    place = str(home.socket)
    if not is_held(home):
        return DaemonStatus(state="stopped", socket=place)
    try:
        pid, version, *more = read_pid_file(home)
        since = locate_pid_file(home).stat().st_mtime
        # A file can say anything: nobody is signalled who does not hold the lock.
        if is_holder(home, int(pid)):
            known = DaemonStatus(state="running", socket=place, pid=int(pid), version=version, since=since)
            return msgspec.structs.replace(known, code="".join(more[:1]))
    except (OSError, ValueError):
        pass
    return DaemonStatus(state="starting", socket=place)


def is_held(home: Home) -> bool:
    """Whether a daemon lives, or is being started."""
    with suppress(OSError):  # a home that is not there has no daemon
        return is_file_locked(home.lock)
    return False

"""What `doctor` says about the daemon: whether it is there, answers, and is of this code."""

from collections.abc import Iterator
from pathlib import Path

import synaptic
from synaptic.daemon import lifecycle
from synaptic.daemon.client import is_responding
from synaptic.daemon.lifecycle import DaemonStatus
from synaptic.daemon.lock import find_holder
from synaptic.daemon.names import BACKLOG
from synaptic.model.home import Home
from synaptic.setup.code import SHORT_LENGTH, read_installed_stamp
from synaptic.setup.doctor import DoctorFinding

MOST_WAITING = Path("/proc/sys/net/core/somaxconn")


def has_installed_code(home: Home, now: DaemonStatus) -> bool:
    """Whether the daemon has loaded what is on disk now."""
    return now.code == read_installed_stamp(home)


def check_daemon(home: Home) -> Iterator[DoctorFinding]:
    """Whether a daemon of this version, with the code of now, takes calls; one that is stopped is no failure."""
    now = lifecycle.read_status(home)
    fix = "synaptic daemon restart"
    if now.state == "stopped":
        seen = f"{now.state}; the next event starts it"
        yield DoctorFinding(check="daemon", state="warn", seen=seen, fix="synaptic daemon start", repair="daemon")
        return
    if now.state == "starting":
        seen = f"{_name_holder(home)} holds {home.lock} and has not said that it takes calls"
        yield DoctorFinding(check="daemon", state="warn", seen=seen, fix=fix, repair="daemon")
        return
    who = f"process {now.pid}, version {now.version}"
    if now.version != synaptic.__version__:
        seen = f"{who}, but this is {synaptic.__version__}"
        yield DoctorFinding(check="daemon", state="fail", seen=seen, fix=fix, repair="daemon")
    elif not is_responding(home):
        seen = f"{who} does not answer; read {home.log}"
        yield DoctorFinding(check="daemon", state="fail", seen=seen, fix=fix, repair="daemon")
    elif not has_installed_code(home, now):
        seen = f"{who} has loaded other code than is installed now; what keeps it is in {home.log}"
        yield DoctorFinding(check="daemon", state="fail", seen=seen, fix="synaptic up", repair="daemon")
    else:
        yield DoctorFinding(check="daemon", state="ok", seen=f"{who}, code {now.code[:SHORT_LENGTH]}")
        yield from _check_socket(home)
        yield from _check_queue()


def _name_holder(home: Home) -> str:
    pid = find_holder(home)
    return f"process {pid}" if pid else "somebody"


def _check_queue() -> Iterator[DoctorFinding]:
    """Whether the system lets as many calls wait as the daemon asks for; where it does not say, nothing is found."""
    try:
        most = int(MOST_WAITING.read_text())
    except (OSError, ValueError):
        return
    if most < BACKLOG:
        seen = f"the system lets {most:,} calls wait for the daemon, of {BACKLOG:,}"
        yield DoctorFinding(check="queue", state="warn", seen=seen, fix=f"sysctl -w net.core.somaxconn={BACKLOG}")


def _check_socket(home: Home) -> Iterator[DoctorFinding]:
    try:
        mode = home.socket.stat().st_mode & 0o777
    except FileNotFoundError:
        return  # it stopped this very moment
    if mode & 0o077:
        seen = f"{home.socket} can be used by others (mode {mode:o})"
        yield DoctorFinding(check="socket", state="fail", seen=seen, fix=f"chmod 600 {home.socket}", repair="socket")
    else:
        yield DoctorFinding(check="socket", state="ok", seen=f"only for this user: {home.socket}")

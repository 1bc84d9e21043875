"""Start, stop and find the one daemon of a home.

The daemon holds a lock on the home itself for as long as it lives, so the kernel says whether there is one, also after
a kill. Whoever starts it takes the lock first and hands it over, locked, as an inherited descriptor: of many that start
one at the same time exactly one succeeds, and there is no moment in which nobody holds it.
"""

import os
import signal
import subprocess  # noqa: TID251  the one place that starts the daemon
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress

import msgspec

from synaptic.daemon.address import connect_daemon
from synaptic.daemon.lock import find_holder, is_holder, is_same_home, open_home, read_age, try_lock
from synaptic.daemon.names import is_named, locate_pid_file, prepare_run_folder, write_pid_file
from synaptic.daemon.standing import DaemonState, DaemonStatus, is_held, read_status
from synaptic.files.home import find_home
from synaptic.model.errors import DaemonError
from synaptic.model.home import Home
from synaptic.setup.dispatcher import read_engine
from synaptic.setup.installed import build_start

__all__ = ["DaemonState", "DaemonStatus", "find_home", "is_held", "read_status"]

SERVER_MODULE = "synaptic.daemon.server"
SUCCESSOR_OPTION = "--successor"
INHERITED_VARIABLES = ("HOME", "USER", "LOGNAME", "PATH", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR")
INHERITED_PREFIXES = ("LC_", "XDG_")
POLL_SECONDS = 0.01
LOCK_PROBES = 20
"""Who asks whether the lock is held has it for an instant, so one refusal proves nothing."""
STOP_GRACE = 10.0
"""Seconds to end by itself, with what it is working on, before it is killed."""

STARTING_SECONDS = 30.0
"""Seconds after which a daemon that is still starting is taken for one that hangs."""


class DaemonLock(msgspec.Struct, frozen=True):
    """The daemon's lock, held as long as this process lives or until it is released."""

    home: Home
    fd: int

    def release(self) -> None:
        """Remove pid file and socket, then let go of the lock.

        In a home that was made anew both are another's, and so they are after a successor has taken them.
        """
        if is_same_home(self.home, self.fd) and is_named(self.home, os.getpid()):
            for path in (locate_pid_file(self.home), self.home.socket):
                with suppress(OSError):  # something else has been put there: whoever starts next sets it aside
                    path.unlink(missing_ok=True)
        os.close(self.fd)  # last: whoever gets the lock next makes files of these names


def start_daemon(home: Home) -> bool:
    """Start the daemon detached; False when one runs or is starting already. It gets the lock from us, still locked."""
    prepare_run_folder(home)
    fd = _take_lock(home)
    if fd is None:
        return False
    try:
        locate_pid_file(home).unlink(missing_ok=True)  # of a daemon that was killed: `status` would believe it
        _spawn_daemon(home, fd)
    except OSError as error:
        raise DaemonError(f"the daemon cannot be started: {error}", where=str(home.run)) from error
    finally:
        os.close(fd)  # our copy; the lock lives on in the daemon's
    return True


def wait_ready(home: Home, timeout: float) -> bool:
    """Whether the daemon takes calls within the time."""
    return _wait_until(lambda: is_listening(home), timeout)


def stop_daemon(home: Home, grace: float = STOP_GRACE) -> DaemonStatus:
    """Ask the daemon to end, and after the grace end it; returns what was running."""
    if not is_held(home):
        return read_status(home)
    # One that is starting is given the time to say who it is; after that the lock itself tells.
    _wait_until(lambda: read_status(home).state != "starting" or is_overdue(home), grace)
    was = read_status(home)
    if was.state == "starting":
        was = msgspec.structs.replace(was, pid=find_holder(home))
    if was.state == "stopped" or not is_held(home):
        return was
    if not was.pid:
        raise DaemonError("a daemon is starting and does not say who it is", where=str(home.lock), hint="try again")
    for number in (signal.SIGTERM, signal.SIGKILL):
        # Before each signal: once it has ended, its number may be that of another process.
        if _is_gone(home, was.pid):
            return was
        with suppress(ProcessLookupError):
            os.kill(was.pid, number)
            os.kill(was.pid, signal.SIGCONT)  # one that somebody has stopped does not hear anything else
        if _wait_until(lambda: _is_gone(home, was.pid), grace):
            return was
    raise DaemonError(f"process {was.pid} does not end", where=str(home.lock), hint=f"look at it: ps -p {was.pid}")


def is_overdue(home: Home) -> bool:
    """Whether who holds the lock is older than any daemon that is still starting."""
    return read_age(find_holder(home)) > STARTING_SECONDS


def hold_lock(home: Home, fd: int | None = None, *, says_who: bool = True) -> DaemonLock:
    """What the daemon does first: adopt the inherited lock, or take it. Raises DaemonError when another has it.

    A successor shares the lock of the daemon that runs, and says who it is only when it has the socket.
    """
    prepare_run_folder(home)
    held = _take_lock(home) if fd is None else _adopt_lock(home, fd)
    if held is None:
        raise DaemonError("another daemon runs here", where=str(home.lock), hint="type: synaptic daemon status")
    os.set_inheritable(held, False)  # no process that outlives the daemon may hold it
    try:
        if says_who:
            write_pid_file(home)
    except OSError as error:
        where, hint = str(locate_pid_file(home)), f"look at its disk: df {home.run}"
        raise DaemonError(f"cannot be written: {error.strerror}", where=where, hint=hint) from error
    return DaemonLock(home, held)


def read_installed_version(home: Home) -> str:
    """The version that the dispatcher was installed with; empty when none is."""
    return read_engine(home).version


def clean_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """What a daemon inherits: one project's variables must not reach the calls of another."""
    return {k: v for k, v in environ.items() if k in INHERITED_VARIABLES or k.startswith(INHERITED_PREFIXES)}


def restart_daemon(home: Home) -> bool:
    """Stop and start; False when somebody else is restarting it already."""
    with _hold_restart_lock(home) as first:
        if first:
            stop_daemon(home)
            start_daemon(home)
    return first


def is_listening(home: Home) -> bool:
    """Whether somebody accepts on the socket; a file left by a killed daemon does not count."""
    try:
        connect_daemon(home, timeout=1.0).close()
    except OSError:
        return False
    return True


def spawn_successor(home: Home, fd: int) -> "subprocess.Popen[bytes]":
    """Start a daemon of what is installed now beside the one that runs, and share the lock with it. Raises OSError."""
    _, *words = build_start(home, SERVER_MODULE)
    python = read_engine(home).python or sys.executable  # it may have been installed from elsewhere
    return _start_process(home, (python, *words, str(home.root), "--lock-fd", str(fd), SUCCESSOR_OPTION), fd)


def _spawn_daemon(home: Home, fd: int) -> None:
    _start_process(home, (*build_start(home, SERVER_MODULE), str(home.root), "--lock-fd", str(fd)), fd)


def _start_process(home: Home, command: tuple[str, ...], fd: int) -> "subprocess.Popen[bytes]":
    log = os.open(home.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        # Its own session, so that Ctrl-C at the caller's terminal is not for it; its own folder, so that the caller's
        # can be deleted; and only plain variables.
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=home.run,
            env=clean_environment(os.environ),
            pass_fds=(fd,),
            start_new_session=True,
        )
    finally:
        os.close(log)


def _take_lock(home: Home) -> int | None:
    fd = open_home(home)
    for _ in range(LOCK_PROBES):
        if try_lock(fd):
            return fd
        # A daemon that has written its pid file keeps the lock for good: no use in waiting.
        if read_status(home).state == "running":
            break
        time.sleep(POLL_SECONDS)
    os.close(fd)
    return None


def _adopt_lock(home: Home, fd: int) -> int | None:
    """The inherited descriptor, when it is this home's lock and held by us: asking for what one holds succeeds."""
    return fd if is_same_home(home, fd) and try_lock(fd) else None


@contextmanager
def _hold_restart_lock(home: Home) -> Iterator[bool]:
    """Whether nobody else is restarting the daemon; two who did it together would stop each other's new one."""
    prepare_run_folder(home)
    path = home.run / "restart.lock"
    try:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise DaemonError(f"cannot be opened: {error.strerror}", where=str(path), hint=f"remove {path}") from error
    try:
        yield try_lock(fd)
    finally:
        os.close(fd)


def _is_gone(home: Home, pid: int) -> bool:
    """Its lock is free, or another daemon has it. Without a pid file it may still be on its way out."""
    now = read_status(home)
    return now.state == "stopped" or (now.state == "running" and now.pid != pid) or not is_holder(home, pid)


def _wait_until(done: Callable[[], bool], timeout: float) -> bool:
    end = time.monotonic() + timeout
    while not done():
        if time.monotonic() >= end:
            return False
        time.sleep(POLL_SECONDS)
    return True

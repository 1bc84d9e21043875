"""The names under which a daemon is found: run folder, socket, pid file. It looks at them and makes them again.

Only who holds the lock makes them, so whatever else stands there is left over, and may be replaced.
"""

import os
import socket
import stat
import time
from contextlib import suppress
from pathlib import Path

import synaptic
from synaptic.daemon.lock import is_same_home
from synaptic.files.replace import replace_own
from synaptic.model.errors import DaemonError
from synaptic.model.home import Home
from synaptic.setup.code import get_loaded_stamp

BACKLOG = 4096
"""Connections that wait to be accepted; the system may allow fewer."""
PRIVATE = 0o600
RUN_NAMES = ("daemon.sock", "daemon.pid", "daemon.log", "start.lock", "restart.lock")


def locate_pid_file(home: Home) -> Path:
    """Where a daemon says who it is."""
    return home.run / "daemon.pid"


def prepare_run_folder(home: Home) -> None:
    """Make the run folder, private to this user, and set aside what is in the way of our names.

    Raises DaemonError when it cannot be made or is someone else's.
    """
    try:
        if home.run.is_file() and not home.run.is_symlink():
            set_aside(home.run)
        home.run.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Not stat: a link that another user put here would be followed.
        found = home.run.lstat()
        if stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid():
            if stat.S_IMODE(found.st_mode) != 0o700:
                home.run.chmod(0o700)
            _clear_names(home)
            return
    except OSError as error:
        hint = "set SYNAPTIC_HOME to a folder that can be written"
        raise DaemonError(f"the folder cannot be used: {error.strerror}", where=str(home.run), hint=hint) from error
    raise DaemonError("the folder is not this user's own", where=str(home.run), hint=f"look at it: ls -ld {home.run}")


def set_aside(path: Path) -> Path:
    """Rename what has no business under this name: nothing of somebody else's is deleted."""
    aside = path.with_name(f"{path.name}.aside-{time.time_ns()}")
    path.rename(aside)
    return aside


def write_pid_file(home: Home) -> None:
    """Say who we are, of which version, and what code we have loaded."""
    lines = (str(os.getpid()), synaptic.__version__, get_loaded_stamp())
    replace_own(str(locate_pid_file(home)), "".join(f"{line}\n" for line in lines).encode())


def read_pid_file(home: Home) -> list[str]:
    """What it says, line by line; empty when there is none."""
    try:
        return locate_pid_file(home).read_text(errors="replace").split("\n")
    except OSError:
        return []


def is_named(home: Home, pid: int) -> bool:
    """Whether the pid file names this process."""
    return read_pid_file(home)[:1] == [str(pid)]


def open_socket(home: Home) -> socket.socket:
    """The socket under its final name, listening before it can be seen. The lock makes sure that it is ours to take."""
    os.chdir(home.run)  # a relative name has no length limit
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    # Private from the start: a chmod after bind would leave a moment in which others can connect.
    before = os.umask(0o177)
    try:
        fresh = f"daemon.{os.getpid()}"
        Path(fresh).unlink(missing_ok=True)
        sock.bind(fresh)
        sock.listen(BACKLOG)
        sock.setblocking(False)
        Path(fresh).rename(home.socket.name)
    except OSError:
        sock.close()
        raise
    finally:
        os.umask(before)
    return sock


class DaemonNames:
    """The names of the daemon that runs here; `lock` is its descriptor of the home."""

    def __init__(self, home: Home, lock: int) -> None:
        self._home = home
        self._lock = lock
        self._socket = (0, 0)

    def open_socket(self) -> socket.socket:
        """Listen under the socket's name, and remember which one is ours."""
        prepare_run_folder(self._home)
        sock = open_socket(self._home)
        self._socket = _identify(self._home.socket)
        return sock

    def is_home_ours(self) -> bool:
        """Whether the home is still the folder that we hold: one that was made anew is for another daemon."""
        return is_same_home(self._home, self._lock)

    def has_socket(self) -> bool:
        """Whether our socket has its name; one that its user may not use any more is given back."""
        try:
            found = os.stat(self._home.socket, follow_symlinks=False)  # noqa: PTH116 - once a second: no Path objects
        except OSError:
            return False
        if (found.st_dev, found.st_ino) != self._socket:
            return False
        if found.st_mode & PRIVATE != PRIVATE:
            self._home.socket.chmod(PRIVATE)
        return True

    def restore_pid_file(self) -> None:
        """Write the pid file when it is gone or names somebody else."""
        if not is_named(self._home, os.getpid()):
            prepare_run_folder(self._home)
            write_pid_file(self._home)

    def reopen_log(self) -> None:
        """Write into the log under its name again when the file that we write into has been removed."""
        if os.fstat(2).st_nlink or not stat.S_ISREG(os.fstat(2).st_mode):
            return
        log = os.open(self._home.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, PRIVATE)
        for fd in (1, 2):
            os.dup2(log, fd)
        os.close(log)

    def forget_socket(self) -> None:
        """Count no socket as ours: the next look makes one."""
        self._socket = (0, 0)

    def remove_socket(self) -> None:
        """Take the socket's name away, if it is ours."""
        if _identify(self._home.socket) == self._socket:
            self._home.socket.unlink(missing_ok=True)


def _identify(path: Path) -> tuple[int, int]:
    try:
        found = path.lstat()
    except OSError:
        return (0, 0)
    return found.st_dev, found.st_ino


def _clear_names(home: Home) -> None:
    for name in RUN_NAMES:
        path = home.run / name
        if path.is_dir() and not path.is_symlink():
            with suppress(FileNotFoundError):  # somebody else was quicker
                set_aside(path)
    if home.spool.is_file():
        with suppress(FileNotFoundError):
            set_aside(home.spool)

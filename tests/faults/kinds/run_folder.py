"""The run folder: socket, pid file, locks and log, removed or replaced."""

import os
import signal
import socket
import subprocess
from pathlib import Path

import synaptic
from tests.faults.kind import kind
from tests.faults.step import Step
from tests.faults.world import remove


def pid_file(step: Step) -> Path:
    return step.home.run / "daemon.pid"


def maybe_kill(step: Step) -> None:
    """Half of the time there is no daemon either."""
    if step.random.random() < 0.5:
        step.kill_daemon()


@kind("run.socket-removed", rare=2)
def remove_socket(step: Step) -> None:
    """The socket is gone, the daemon lives."""
    remove(step.home.socket)
    step.mix(2)


@kind("run.socket-is-file", rare=2)
def put_file_for_socket(step: Step) -> None:
    """A file where the socket should be."""
    remove(step.home.socket)
    step.home.socket.write_text("no socket")
    step.mix(2)


@kind("run.socket-is-folder", rare=4)
def put_folder_for_socket(step: Step) -> None:
    """A folder where the socket should be, with something in it."""
    remove(step.home.socket)
    step.home.socket.mkdir()
    (step.home.socket / "something").write_text("")
    maybe_kill(step)
    step.mix(2)


@kind("run.socket-is-deaf", rare=4)
def put_deaf_socket(step: Step) -> None:
    """A socket where nobody listens any more, while the daemon lives."""
    remove(step.home.socket)
    here = Path.cwd()
    os.chdir(step.home.run)
    try:
        left = socket.socket(socket.AF_UNIX)
        left.bind("daemon.sock")
        left.close()
    finally:
        os.chdir(here)
    step.mix(2)


@kind("run.socket-is-link", rare=4)
def put_link_for_socket(step: Step) -> None:
    """A link that leads nowhere where the socket should be."""
    remove(step.home.socket)
    step.home.socket.symlink_to("/nowhere/at/all")
    step.mix(2)


@kind("run.pid-removed")
def remove_pid_file(step: Step) -> None:
    """The pid file is gone."""
    remove(pid_file(step))
    step.mix(2)
    maybe_kill(step)


@kind("run.pid-garbage")
def spoil_pid_file(step: Step) -> None:
    """Garbage or an empty file in the place of the pid file."""
    pid_file(step).write_bytes(step.random.choice((b"", b"x\n", b"99999999\n0\n", b"\xff" * 64, b"-1\n1\n", b"0\n0\n")))
    step.mix(2)
    maybe_kill(step)


@kind("run.pid-of-another")
def name_stranger_in_pid_file(step: Step) -> None:
    """The number of somebody else's process in the pid file, with or without our version: it must not be ended."""
    stranger = subprocess.Popen(["sleep", "600"], env={"HOME": "/"})
    step.defer(lambda: (stranger.kill(), stranger.wait()))
    pid_file(step).write_text(f"{stranger.pid}\n{step.random.choice((synaptic.__version__, '0.0.1'))}\n")
    step.mix(1)
    step.signal_daemon(signal.SIGSTOP if step.random.random() < 0.2 else signal.SIGKILL)
    step.mix(2)
    if stranger.poll() is not None:
        raise AssertionError(f"process {stranger.pid} of somebody else was ended, because a file had its number")


@kind("run.pid-is-folder", rare=2)
def put_folder_for_pid_file(step: Step) -> None:
    """A folder where the pid file should be."""
    step.make_folder(pid_file(step))
    maybe_kill(step)
    step.mix(2)


@kind("run.pid-and-socket-removed", rare=4)
def remove_pid_file_and_socket(step: Step) -> None:
    """Pid file and socket are gone, the daemon lives."""
    remove(pid_file(step))
    remove(step.home.socket)
    step.mix(2)


@kind("run.removed", rare=2)
def remove_run_folder(step: Step) -> None:
    """`rm -rf run` under the daemon."""
    remove(step.home.run)
    step.mix(3)


@kind("run.removed-in-burst", rare=2)
def remove_run_folder_in_burst(step: Step) -> None:
    """`rm -rf run` under calls."""
    step.volley(4)
    remove(step.home.run)
    step.volley(4)


@kind("run.removed-no-daemon")
def remove_run_folder_of_nobody(step: Step) -> None:
    """`rm -rf run` while nobody runs."""
    step.kill_daemon()
    remove(step.home.run)
    step.mix(2)


@kind("run.is-file", rare=2)
def put_file_for_run_folder(step: Step) -> None:
    """A file where the run folder should be."""
    step.kill_daemon()
    remove(step.home.run)
    step.home.run.write_text("no folder")
    step.defer(lambda: step.home.run.is_file() and remove(step.home.run))
    step.mix(2)


@kind("run.locks-removed", rare=2)
def remove_locks(step: Step) -> None:
    """The locks of those who wait for a turn or start a daemon are gone, while they do."""
    step.kill_daemon()
    step.volley(3)
    step.wait(0, 0.3)
    for name in ("start.lock", "restart.lock"):
        remove(step.home.run / name)
    step.volley(3)


@kind("run.restart-lock-is-folder", rare=2)
def put_folder_for_restart_lock(step: Step) -> None:
    """A folder where the lock of those who replace a daemon should be."""
    step.make_folder(step.home.run / "restart.lock")
    maybe_kill(step)
    step.mix(2)


@kind("run.home-away", rare=2)
def move_home_away(step: Step) -> None:
    """The home has another name for a while: its daemon may end, and everything is as before when it is back."""
    away = step.home.root.with_name("away")
    step.home.root.rename(away)
    step.wait(0, 2.5)
    away.rename(step.home.root)
    step.mix(2)


@kind("run.start-lock-is-folder")
def put_folder_for_start_lock(step: Step) -> None:
    """A folder where the lock of those who start a daemon should be."""
    step.make_folder(step.home.run / "start.lock")
    maybe_kill(step)
    step.mix(2)


@kind("run.log-is-folder", rare=2)
def put_folder_for_log(step: Step) -> None:
    """A folder where the daemon's log should be."""
    step.make_folder(step.home.log)
    step.kill_daemon()
    step.mix(2)


@kind("run.spool-is-file", "hooks")
def put_file_for_spool(step: Step) -> None:
    """A file where the output of background hooks should go."""
    remove(step.home.spool)
    step.home.spool.write_text("no folder")
    step.defer(lambda: step.home.spool.is_file() and remove(step.home.spool))
    step.volley(2, ("glob",))
    step.mix(2)


@kind("run.spool-garbage")
def put_garbage_in_spool(step: Step) -> None:
    """Folders in the spool that nobody's run has made."""
    for name in ("", "no-json", "x" * 100):
        folder = step.home.spool / f"garbage-{name}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "meta.json").write_bytes(step.random.choice((b"", b"{", b"[]", b'{"call": 3}')))
        step.defer(lambda folder=folder: remove(folder))
    step.volley(2, ("glob",))
    step.mix(2)


@kind("run.refusals-is-folder")
def put_folder_for_refusals(step: Step) -> None:
    """A folder where refusals are noted while nobody can write them."""
    step.make_folder(step.home.root / "refusals")
    maybe_kill(step)
    step.mix(2)


@kind("run.refusals-garbage")
def put_garbage_for_refusals(step: Step) -> None:
    """Garbage where refusals are noted while nobody can write them."""
    path = step.home.root / "refusals"
    if not path.is_dir():
        path.write_bytes(step.random.randbytes(200))
        step.defer(lambda: remove(path))
    maybe_kill(step)
    step.mix(2)

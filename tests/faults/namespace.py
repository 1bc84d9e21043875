"""A place of its own for one run: own processes and own mounts, gone with it whatever happens.

As root the run gets a process namespace (its end is the end of everything that it started, also at `kill -9`) and a
small disk in memory that can be filled. Elsewhere it runs in a plain folder, its processes are found by their HOME,
and the kinds that need a disk of their own are left out.
"""

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

INSIDE = "SYNAPTIC_FAULTS_INSIDE"
UNSHARE = ("unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc")
DISK_OPTIONS = "size=192m,nr_inodes=6k,mode=0700"
PR_SET_CHILD_SUBREAPER = 36


@cache
def can_isolate() -> bool:
    """Whether this user may make namespaces here."""
    if os.geteuid() or not shutil.which(UNSHARE[0]):
        return False
    return subprocess.run([*UNSHARE, "true"], capture_output=True).returncode == 0


def build_command(words: list[str]) -> list[str]:
    """How one epoch is started: in namespaces where that is possible."""
    inner = [sys.executable, "-m", *words]
    return [*UNSHARE, *inner] if can_isolate() else inner


def choose_end() -> int:
    """The signal that ends an epoch: a namespace ends with the program that made it, which ignores all others."""
    return signal.SIGKILL if can_isolate() else signal.SIGTERM


def is_isolated() -> bool:
    """Whether this process is the first one of a namespace, or below it."""
    return os.getpid() == 1 or bool(os.environ.get(INSIDE))


def run_below_init(work: Callable[[], int]) -> int:
    """Run something as a child of this process, which takes the orphans and, as the first of a namespace, ends all."""
    if os.getpid() != 1:
        adopt_orphans()
        return work()
    os.environ[INSIDE] = "1"
    child = os.fork()
    if not child:
        os._exit(run_quietly(work))
    # Faults may lead a process to signal the first one; the terminal's Ctrl-C reaches the child by itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return reap_until(child)


def run_quietly(work: Callable[[], int]) -> int:
    try:
        return work()
    except KeyboardInterrupt:
        return 130
    finally:
        sys.stdout.flush()


def reap_until(child: int) -> int:
    """Wait for the child, and take every orphan's exit code on the way."""
    while True:
        gone, state = os.wait()
        if gone == child:
            return os.waitstatus_to_exitcode(state) & 0xFF


def end_by_exception() -> None:
    """Let SIGTERM, and SIGINT where it was ignored, end a run as Ctrl-C does: with everything put away."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _raise_interrupt)


def _raise_interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt


def adopt_orphans() -> None:
    """Become the parent of what its own parents leave, so that it can be found."""
    with contextlib.suppress(OSError):
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def mount_disk(folder: Path) -> bool:
    """A small disk in memory under this name; False where there can be none."""
    if not is_isolated():
        return False
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", DISK_OPTIONS, "synaptic-faults", str(folder)], capture_output=True
    )
    return done.returncode == 0

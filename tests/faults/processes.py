"""The processes of one home: who they are, how they are stopped, and what is left of them."""

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
SERVER = "synaptic.daemon.server"
FALLBACK = "synaptic.daemon.fallback"


@dataclass(frozen=True)
class Process:
    """One process as /proc tells it."""

    pid: int
    parent: int
    state: str
    words: tuple[str, ...]

    @property
    def is_daemon(self) -> bool:
        return SERVER in self.words

    @property
    def is_fallback(self) -> bool:
        return FALLBACK in self.words

    @property
    def is_dispatcher(self) -> bool:
        return bool(self.words) and self.words[0].endswith("/dispatch")


def list_processes(home: Path) -> list[Process]:
    """Every process with this HOME, and their children that have ended and were not waited for."""
    marks = f"HOME={home}".encode()
    every = list(filter(None, map(read_process, list_pids())))
    own = [one for one in every if one.pid != os.getpid() and has_variable(one.pid, marks)]
    known = {one.pid for one in own}
    return own + [one for one in every if one.state == "Z" and one.parent in known and one.pid not in known]


def find_daemons(home: Path) -> list[Process]:
    return [one for one in list_processes(home) if one.is_daemon and one.state != "Z"]


def find_children(home: Path, pid: int) -> list[Process]:
    return [one for one in list_processes(home) if one.parent == pid and one.state != "Z"]


def find_zombies(home: Path) -> list[Process]:
    """What the daemon has started and not waited for."""
    daemons = {one.pid for one in find_daemons(home)}
    return [one for one in list_processes(home) if one.state == "Z" and one.parent in daemons]


def send_signal(pid: int, number: int) -> bool:
    """Whether the process was still there."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True


def kill_all(home: Path) -> None:
    """End every process of a home, whatever it is doing, until none is left."""
    for _ in range(200):
        found = [one for one in list_processes(home) if one.state != "Z"]
        if not found:
            return
        for one in found:
            send_signal(one.pid, signal.SIGKILL)
        reap_children()
        time.sleep(0.01)


def continue_all(home: Path) -> None:
    for one in list_processes(home):
        send_signal(one.pid, signal.SIGCONT)


def reap_children() -> None:
    """Take the exit codes of orphans that became ours. Those of `subprocess` are waited for by their own objects."""
    if os.environ.get("SYNAPTIC_FAULTS_INSIDE"):
        return
    for one in map(read_process, list_pids()):
        if one and one.state == "Z" and one.parent == os.getpid():
            with contextlib.suppress(ChildProcessError):
                os.waitpid(one.pid, os.WNOHANG)


def count_descriptors(pid: int) -> int:
    try:
        return sum(1 for _ in (PROC / str(pid) / "fd").iterdir())
    except OSError:
        return 0


def wait_until(done: Callable[[], object], seconds: float, pause: float = 0.02) -> bool:
    end = time.monotonic() + seconds
    while not done():
        if time.monotonic() > end:
            return False
        time.sleep(pause)
    return True


def wait_for_process(find: Callable[[], list[Process]], seconds: float) -> Process | None:
    """The first process that is found; looked for without a pause, since it may live for milliseconds only."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := find():
            return found[0]
        time.sleep(0.001)
    return None


def list_pids() -> Iterator[int]:
    return (int(entry.name) for entry in PROC.iterdir() if entry.name.isdigit())


def read_process(pid: int) -> Process | None:
    try:
        state, parent = (PROC / str(pid) / "stat").read_text(errors="replace").rpartition(")")[2].split()[:2]
        words = (PROC / str(pid) / "cmdline").read_bytes().decode("utf-8", "replace").rstrip("\0").split("\0")
    except (OSError, ValueError):
        return None
    return Process(pid, int(parent), state, tuple(words))


def has_variable(pid: int, variable: bytes) -> bool:
    try:
        return variable in (PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:
        return False

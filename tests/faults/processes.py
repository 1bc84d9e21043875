"""The processes of one home: who they are, how they are stopped, and what is left of them."""

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

PROC = "/proc"
READ_BYTES = 1 << 16
LOOK_PAUSE = 0.002
SERVER = "synaptic.daemon.server"
FALLBACKS = frozenset({"synaptic.daemon.early", "synaptic.daemon.fallback", "synaptic.daemon.client"})
"""What a dispatcher starts in the place of a daemon: the compiled one, one by hand, the one in Python."""


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
        return not FALLBACKS.isdisjoint(self.words)

    @property
    def is_dispatcher(self) -> bool:
        return bool(self.words) and self.words[0].endswith("/dispatch")


def list_processes(home: Path) -> list[Process]:
    """Every process with this HOME, and their children that have ended and were not waited for."""
    marks = f"HOME={home}".encode()
    every = list(filter(None, map(read_process, list_pids())))
    own = [one for one in every if one.pid != os.getpid() and has_variable(one, marks)]
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
        return len(os.listdir(f"{PROC}/{pid}/fd"))  # noqa: PTH208
    except OSError:
        return 0


def describe_waiting(home: Path) -> str:
    """Where each process of a home is, as the kernel says: in which function it waits, and how long it has computed."""
    return "; ".join(filter(None, map(_describe_place, list_processes(home))))


def _describe_place(process: Process) -> str:
    try:
        stat = read_file(f"{PROC}/{process.pid}/stat").decode("utf-8", "replace").rpartition(")")[2].split()
        place = read_file(f"{PROC}/{process.pid}/wchan").decode("utf-8", "replace")
    except OSError:
        return ""
    seconds = (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")
    return f"{process.pid} {' '.join(process.words)[-60:]} {stat[0]} in {place}, {seconds:.1f} s of processor"


def wait_until(done: Callable[[], object], seconds: float, pause: float = 0.02) -> bool:
    end = time.monotonic() + seconds
    while not done():
        if time.monotonic() > end:
            return False
        time.sleep(pause)
    return True


def wait_for_process(
    find: Callable[[], list[Process]], seconds: float, is_over: Callable[[], bool] = lambda: False
) -> Process | None:
    """The first process that is found; looked for nearly without a pause, since it may live for milliseconds only.

    None when none came in time, or when it is over: then none comes any more.
    """
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        over = is_over()  # before the look: what came and went meanwhile is seen by the next one
        if found := find():
            return found[0]
        if over:
            return None
        time.sleep(LOOK_PAUSE)
    return None


def list_pids() -> Iterator[int]:
    return (int(name) for name in os.listdir(PROC) if name.isdigit())  # noqa: PTH208 - half the price


def read_process(pid: int) -> Process | None:
    try:
        stat = read_file(f"{PROC}/{pid}/stat").decode("utf-8", "replace").rpartition(")")[2].split()
        words = read_file(f"{PROC}/{pid}/cmdline").decode("utf-8", "replace").rstrip("\0").split("\0")
        return Process(pid, int(stat[1]), stat[0], tuple(words))
    except (OSError, ValueError, IndexError):
        return None


def has_variable(process: Process, variable: bytes) -> bool:
    try:
        return variable in read_file(f"{PROC}/{process.pid}/environ").split(b"\0")
    except OSError:
        return False


def read_file(path: str) -> bytes:
    """A file of /proc; without `pathlib` and buffers, since thousands of them are read."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return b"".join(iter(lambda: os.read(handle, READ_BYTES), b""))
    finally:
        os.close(handle)

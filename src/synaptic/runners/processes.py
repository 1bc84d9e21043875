"""Start a hook's process in a session of its own, find it again, and end it with everything it started."""

import asyncio
import contextlib
import errno
import os
import signal
import subprocess  # noqa: TID251 - this is the room where processes are started
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

import msgspec

from synaptic.runners.environment import MARK_VARIABLE
from synaptic.runners.exact import CONTENT_MARK, open_content
from synaptic.runners.pipes import wait_readable

PROC = Path("/proc")
KILL_ROUNDS = 5
"""Looks at /proc until nothing of a family is left; one that forks faster than that survives."""
EXIT_GRACE = 1.0
"""Seconds in which a killed process is reaped."""
DEAD_STATES = frozenset("ZXx")
STATE, PARENT, START_TIME = 0, 1, 19
"""Places in /proc/PID/stat, counted from the state on."""

Process = subprocess.Popen[bytes]
Stream = int | IO[bytes]
_lingering: list[Process] = []
_start: "ProcessStart | None" = None
"""The start that is on its way."""


class ProcessStart:
    """A process that is being started: whoever breaks it off loses a child that nobody waits for."""

    __slots__ = ("was_spared",)

    def __init__(self) -> None:
        self.was_spared = False


class LaunchPlan(msgspec.Struct, frozen=True):
    """What to execute, where, and the mark by which its processes are found again."""

    argv: tuple[str, ...]
    env: dict[str, str]
    cwd: str
    mark: str
    script: str = ""
    """The file that was meant, for messages."""
    content: bytes | None = None
    """What runs: it is open where `argv` and `executable` hold CONTENT_MARK."""
    executable: str = ""


class StandardStreams(msgspec.Struct, frozen=True):
    """The three standard streams."""

    stdin: Stream
    stdout: Stream
    stderr: Stream


class ProcessIdentity(msgspec.Struct, frozen=True):
    """Identity of a process: ids are reused, an id together with its start time is not."""

    pid: int
    started: str = ""

    @property
    def is_alive(self) -> bool:
        if not PROC.is_dir():
            return _is_running(self.pid)
        stat = _read_stat(self.pid)
        return bool(stat) and stat[STATE] not in DEAD_STATES and stat[START_TIME] == self.started


def start_process(plan: LaunchPlan, streams: StandardStreams) -> Process:
    """Start a process. Raises OSError as exec does; a script without a shebang is run by /bin/sh, as a shell would."""
    global _start
    _start = ProcessStart()
    try:
        return _start_process(plan, streams)
    finally:
        _start = None


def spare_start() -> bool:
    """Whether a process is being started and may be waited for once more: a standstill of ours is not its fault."""
    if _start is None or _start.was_spared:
        return False
    _start.was_spared = True
    return True


def _start_process(plan: LaunchPlan, streams: StandardStreams) -> Process:
    if plan.content is not None:
        return _spawn_content(plan, plan.content, streams)
    try:
        return _spawn_process(plan.argv, plan, streams)
    except OSError as error:
        if error.errno != errno.ENOEXEC:
            raise
    return _spawn_process(("/bin/sh", *plan.argv), plan, streams)


def identify_process(pid: int) -> ProcessIdentity:
    """Identify a process, so that it is recognised later, also after a restart of the daemon."""
    stat = _read_stat(pid)
    return ProcessIdentity(pid, stat[START_TIME] if stat else "")


async def wait_for_exit(process: Process) -> int:
    """Wait for the end without blocking the loop; a negative code is the signal."""
    descriptor = _open_pidfd(process.pid)
    if descriptor < 0:  # a thread that waits: dearer, and only where the kernel has nothing better
        return await asyncio.to_thread(process.wait)
    try:
        await wait_readable(descriptor)
    finally:
        os.close(descriptor)
    return process.wait()


def end_process(process: Process, mark: str) -> None:
    """Kill a process with its group and everything it started, and take its exit code."""
    # Already reaped: the id may belong to another process by now, so nothing may be killed by it.
    if process.poll() is not None:
        return
    kill_family(process.pid, mark)
    try:
        process.wait(EXIT_GRACE)
    except subprocess.TimeoutExpired:
        _lingering.append(process)


def reap_lingering() -> None:
    """Take the exit codes of killed processes that were not gone within their grace."""
    for process in tuple(_lingering):
        if process.poll() is not None:
            with contextlib.suppress(ValueError):  # another thread was quicker
                _lingering.remove(process)


def kill_family(pid: int, mark: str) -> None:
    """Kill the group, its descendants, and whoever carries the mark, though it left the group and lost its parent.

    A daemon that a hook started has left its group (setsid) and has init as its parent (double fork). It still has the
    variable with the run's mark in its environment.
    """
    for _ in range(KILL_ROUNDS):
        # Looked at before the group is killed: orphans lose the parent by which they are found.
        family = set(_find_family(pid, mark))
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
        for member in family:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(member, signal.SIGKILL)
        if not family:
            return
        time.sleep(0.001)  # a child that was being born during the scan shows up in the next one


def find_marked(mark: str) -> set[int]:
    """Processes that still carry the mark of one run."""
    needle = f"{MARK_VARIABLE}={mark}".encode()
    return {pid for pid in _list_pids() if _has_mark(pid, needle)}


def restore_child_signal() -> None:
    """An inherited `ignore` for SIGCHLD would lose every exit code, and with it every block by exit code."""
    with contextlib.suppress(ValueError):  # outside the main thread there is nothing to set
        if signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)


def _spawn_content(plan: LaunchPlan, content: bytes, streams: StandardStreams) -> Process:
    """Start a process that gets the bytes to run as an open file, which nobody else can change."""
    handle = open_content(content)
    try:
        path = f"/dev/fd/{handle}"
        return subprocess.Popen(
            [word.replace(CONTENT_MARK, path) for word in plan.argv],
            executable=plan.executable.replace(CONTENT_MARK, path) or None,
            stdin=streams.stdin,
            stdout=streams.stdout,
            stderr=streams.stderr,
            cwd=plan.cwd,
            env=plan.env,
            start_new_session=True,
            pass_fds=(handle,),
        )
    finally:
        os.close(handle)


def _spawn_process(argv: Sequence[str], plan: LaunchPlan, streams: StandardStreams) -> Process:
    return subprocess.Popen(
        argv,
        stdin=streams.stdin,
        stdout=streams.stdout,
        stderr=streams.stderr,
        cwd=plan.cwd,
        env=plan.env,
        start_new_session=True,  # a group of its own, which can be killed, and no terminal to read from
    )


def _open_pidfd(pid: int) -> int:
    """A descriptor that becomes readable at the process's end, or -1 where the system has none."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            return os.pidfd_open(pid)
    return -1


def _find_family(pid: int, mark: str) -> Iterator[int]:
    """Find living members of the family in one pass over /proc; without /proc (macOS) the group has to do."""
    parents = {
        member: stat for member in _list_pids() if (stat := _read_stat(member)) and stat[STATE] not in DEAD_STATES
    }
    family = {pid, *find_marked(mark)}
    while born := {member for member in parents if int(parents[member][PARENT]) in family} - family:
        family |= born
    return (member for member in family if member in parents)


def _list_pids() -> list[int]:
    if not PROC.is_dir():
        return []
    return [int(name) for name in os.listdir(PROC) if name.isdigit()]  # noqa: PTH208 - names only, and often


def _has_mark(pid: int, needle: bytes) -> bool:
    try:
        return needle in (PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:
        return False


def _read_stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat from the state on. The program's name before them may hold blanks and brackets."""
    try:
        return (PROC / str(pid) / "stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return []


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True

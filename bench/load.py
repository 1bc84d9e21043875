"""Many calls at once: through the dispatcher, and through the socket with the daemon on one core."""

import itertools
import os
import selectors
import socket
import subprocess  # noqa: TID251  the bench starts what it measures
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from bench.payload import COMMANDS, event, line
from bench.world import World
from synaptic import __version__
from synaptic.daemon import frame
from synaptic.model.call import Request

IN_FLIGHT = 16
PATIENCE = 60.0
"""Seconds after which a dispatcher that has not answered is a defect, and the bench ends."""


def at_once(world: World, payload: bytes, count: int) -> list[bytes]:
    """The answers of so many dispatchers that all wait for their input and then get it in one sweep."""
    started = [_waiting(world) for _ in range(count)]
    for process in started:
        assert process.stdin
        process.stdin.write(payload)
        process.stdin.close()
        process.stdin = None
    return [_answer(process) for process in started]


class Rate(msgspec.Struct, frozen=True):
    """Decisions a second, the processor time that each one took, and how many answers were wrong."""

    per_second: float
    micros: float
    wrong: int


def rate(world: World, pid: int, count: int) -> Rate:
    """Calls through the socket, the daemon on one core and their sender on another where there is one.

    The best of three tries: whatever else the machine does can only slow the daemon down.
    """
    cores = sorted(os.sched_getaffinity(0))
    _pin(pid, {cores[0]})
    os.sched_setaffinity(0, {cores[-1]})
    try:
        return max((_try(world, pid, count) for _ in range(3)), key=lambda rate: rate.per_second)
    finally:
        os.sched_setaffinity(0, set(cores))
        _pin(pid, set(cores))


def _try(world: World, pid: int, count: int) -> Rate:
    frames = list(_frames(world, count))
    used, start = _processor_seconds(pid), time.perf_counter()
    wrong = _flood(str(world.home.socket), frames)
    took = time.perf_counter() - start
    return Rate(count / took, (_processor_seconds(pid) - used) / count * 1e6, wrong)


def _processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _waiting(world: World) -> "subprocess.Popen[bytes]":
    command = [str(world.home.dispatch), "PreToolUse"]
    return subprocess.Popen(command, env=world.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def _answer(process: "subprocess.Popen[bytes]") -> bytes:
    answer, _ = process.communicate(timeout=PATIENCE)
    return answer if process.returncode == 0 else b""


def _pin(pid: int, cores: set[int]) -> None:
    for task in Path(f"/proc/{pid}/task").iterdir():
        os.sched_setaffinity(int(task.name), cores)


def _frames(world: World, count: int) -> Iterator[bytes]:
    start = time.time_ns() // 1_000_000
    for number in range(count):
        stdin = line(event(world.project, COMMANDS[number % len(COMMANDS)]))
        call = f"{start:012x}{number:020x}"
        request = Request("claude", "PreToolUse", stdin, call, world.env)
        yield frame.pack_request(frame.RequestDelivery(__version__, request))


def _flood(path: str, frames: list[bytes]) -> int:
    """How many answers were wrong. One connection a call, as the dispatcher does it, several open at any time."""
    waiting = iter(frames)
    answered = wrong = 0
    with selectors.DefaultSelector() as selector:
        for request in itertools.islice(waiting, IN_FLIGHT):
            _send(selector, path, request)
        while answered < len(frames):
            for key, _ in selector.select(PATIENCE):
                wrong += not _good(selector, key)
                answered += 1
                for request in itertools.islice(waiting, 1):
                    _send(selector, path, request)
    return wrong


def _good(selector: selectors.BaseSelector, key: selectors.SelectorKey) -> bool:
    """Whether an answer frame with status 0 and exit code 0 came."""
    connection = key.fileobj
    assert isinstance(connection, socket.socket)
    answer = connection.recv(65536)
    selector.unregister(connection)
    connection.close()
    return answer.lstrip(frame.KEEP_ALIVE).startswith(frame.MAGIC + b"\0\0")


def _send(selector: selectors.BaseSelector, path: str, request: bytes) -> None:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.connect(path)
    connection.sendall(request)
    selector.register(connection, selectors.EVENT_READ)

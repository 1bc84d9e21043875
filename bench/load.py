"""Many calls at once: through the dispatcher, and through the socket with the daemon on one core."""

import os
import selectors
import socket
import subprocess  # noqa: TID251  the bench starts what it measures
import time
from collections.abc import Iterator
from pathlib import Path

from bench.payload import COMMANDS, event, line
from bench.world import World
from synaptic import __version__
from synaptic.daemon import frame
from synaptic.model.call import Request

IN_FLIGHT = 16


def at_once(world: World, payload: bytes, count: int) -> list[bytes]:
    """The answers of so many dispatchers that all wait for their input and then get it in one sweep."""
    started = [_waiting(world) for _ in range(count)]
    for process in started:
        assert process.stdin
        process.stdin.write(payload)
        process.stdin.close()
    return [_answer(process) for process in started]


def per_second(world: World, pid: int, count: int) -> tuple[float, int]:
    """Decisions a second through the socket, and how many answers were wrong."""
    cores = sorted(os.sched_getaffinity(0))
    _pin(pid, cores[0])
    os.sched_setaffinity(0, {cores[-1]})
    try:
        return _flood(str(world.home.socket), list(_frames(world, count)))
    finally:
        os.sched_setaffinity(0, set(cores))


def _waiting(world: World) -> "subprocess.Popen[bytes]":
    command = [str(world.home.dispatch), "PreToolUse"]
    return subprocess.Popen(command, env=world.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def _answer(process: "subprocess.Popen[bytes]") -> bytes:
    assert process.stdout
    with process.stdout:
        answer = process.stdout.read()
    return answer if process.wait() == 0 else b""


def _pin(pid: int, core: int) -> None:
    for task in Path(f"/proc/{pid}/task").iterdir():
        os.sched_setaffinity(int(task.name), {core})


def _frames(world: World, count: int) -> Iterator[bytes]:
    start = time.time_ns() // 1_000_000
    for number in range(count):
        stdin = line(event(world.project, COMMANDS[number % len(COMMANDS)]))
        call = f"{start:012x}{number:020x}"
        request = Request("claude", "PreToolUse", stdin, call, world.env)
        yield frame.pack_request(frame.Delivery(__version__, request))


def _flood(path: str, frames: list[bytes]) -> tuple[float, int]:
    """One connection a call, as the dispatcher does it, several of them open at any time."""
    waiting, answers = iter(frames), 0
    wrong = 0
    with selectors.DefaultSelector() as selector:
        start = time.perf_counter()
        for _ in range(IN_FLIGHT):
            _send(selector, path, next(waiting))
        while answers < len(frames):
            for key, _ in selector.select():
                connection = key.fileobj
                assert isinstance(connection, socket.socket)
                answer = connection.recv(65536)
                answers += 1
                wrong += not answer.lstrip(b".").startswith(b"SYN1\0\0")
                selector.unregister(connection)
                connection.close()
                if (following := next(waiting, None)) is not None:
                    _send(selector, path, following)
        return len(frames) / (time.perf_counter() - start), wrong


def _send(selector: selectors.BaseSelector, path: str, request: bytes) -> None:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.connect(path)
    connection.sendall(request)
    selector.register(connection, selectors.EVENT_READ)

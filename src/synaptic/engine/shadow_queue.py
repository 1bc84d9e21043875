"""Calls that policies in shadow are to judge: left in a folder after they were answered, for a process of its own.

The engine writes a file and goes on. Whatever such a policy does, it does in that process: it delays nobody.
"""

import asyncio
import contextlib
import logging
import os
import time
from typing import Any

import msgspec

from synaptic.engine.promised_runs import decode_request, encode_request
from synaptic.files.lock import is_file_locked
from synaptic.files.replace import replace_own
from synaptic.model.call import Request
from synaptic.model.home import Home
from synaptic.model.start_line import build_start_line
from synaptic.model.tool import Input
from synaptic.runners.environment import clean_variables
from synaptic.runners.processes import LaunchPlan, StandardStreams, start_process

log = logging.getLogger(__name__)

PAUSE_SECONDS = 0.05
"""Between an answer and this work: the answer has left by then, and calls that come together share a file."""
MOST_CALLS = 200
"""Calls that wait at once; more are not judged."""
MOST_BYTES = 1 << 20
"""Of one call."""
MOST_WAITING_BYTES = 4 << 20
"""Of all that wait at once: they are written in one go, and events wait for that."""
MOST_FILES = 50
"""Files that nobody has taken; more would be a process that does not come on."""
START_SECONDS = 5.0
"""Between two starts of that process: one that fails at once is not started with every call."""
FILE_ENDING = ".calls"
LOCK_FILE = "lock"
WORKER_MODULE = "synaptic.engine.shadow"
LEAVE = ("/bin/sh", "-c", 'log=$1; shift; "$@" </dev/null >/dev/null 2>>"$log" &', "sh")
"""Starts a program and leaves it: nobody waits for it, and its end leaves no zombie with us."""


class WatchedCall(msgspec.Struct, frozen=True, array_like=True):
    """A call that was answered, as it left."""

    request: bytes
    input: bytes
    """The input in JSON as it was rewritten; empty where it was not."""
    at: float


_encoder = msgspec.msgpack.Encoder()


class ShadowQueue:
    """The calls of one engine."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._waiting: list[tuple[Request, Input | None, float]] = []
        self._bytes = 0
        self._started = 0.0

    def add(self, request: Request, final: Input | None) -> None:
        """Leave a call to be judged, once this turn of the event loop and the answer are over."""
        size = len(request.stdin)
        if len(self._waiting) >= MOST_CALLS or size > MOST_BYTES or self._bytes + size > MOST_WAITING_BYTES:
            log.warning("call %s is not judged by policies in shadow: too much waits, or it is too long", request.id)
            return
        if not self._waiting:
            asyncio.get_running_loop().call_later(PAUSE_SECONDS, self.hand_over)
        self._waiting.append((request, final, time.time()))
        self._bytes += size

    def hand_over(self) -> None:
        """Write what waits, and see to it that somebody takes it. A disk that does not take it costs these verdicts."""
        waiting, self._waiting, self._bytes = self._waiting, [], 0
        if not waiting:
            return
        folder = self._home.shadow
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if sum(name.endswith(FILE_ENDING) for name in os.listdir(folder)) >= MOST_FILES:  # noqa: PTH208
                raise OSError("too many calls wait there already")
            name = f"{time.time_ns():020}-{os.getpid()}{FILE_ENDING}"
            replace_own(str(folder / name), _encoder.encode([encode_call(*one) for one in waiting]), 0o600)
            self._start_worker()
        except OSError as error:
            log.warning("%d calls are not judged by policies in shadow: %s", len(waiting), error)

    def _start_worker(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            if is_file_locked(self._home.shadow / LOCK_FILE):
                return
        if time.monotonic() - self._started < START_SECONDS:
            return
        self._started = time.monotonic()
        with open(os.devnull, "r+b") as nothing:  # noqa: PTH123
            argv = (*LEAVE, str(self._home.log), *build_start_line(WORKER_MODULE), str(self._home.root))
            plan = LaunchPlan(argv, clean_variables(os.environ), str(self._home.shadow), "")
            start_process(plan, StandardStreams(nothing, nothing, nothing)).wait()  # of the shell, which has ended


def encode_call(request: Request, final: Input | None, at: float) -> WatchedCall:
    """A call as it is left. Not before nobody waits for an answer any more: this takes as long as a small policy."""
    return WatchedCall(encode_request(request), b"" if final is None else msgspec.json.encode(final, enc_hook=repr), at)


def decode_calls(stored: bytes) -> list[tuple[Request, Input | None, float]]:
    """The calls of a file; those that are none are left out."""
    try:
        found = msgspec.msgpack.decode(stored, type=list[WatchedCall])
    except (msgspec.DecodeError, msgspec.ValidationError):
        return []
    calls: list[tuple[Request, Input | None, float]] = []
    for one in found:
        with contextlib.suppress(msgspec.DecodeError, ValueError):
            final = msgspec.json.decode(one.input, type=dict[str, Any]) if one.input else None
            if request := decode_request(one.request):
                calls.append((request, final, one.at))
    return calls

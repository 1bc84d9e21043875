"""Ask policies from outside in warm workers, one pool a file: whatever they do is done to a process of their own."""

import asyncio
import itertools
import sys

import msgspec

from synaptic.model.decision import Failure, Fault
from synaptic.runners.output import shorten_text
from synaptic.runners.policy_wire import WorkerReply, WorkerRequest
from synaptic.runners.stdin import to_json
from synaptic.runners.warm import IDLE_SECONDS, WorkerLaunch, WorkerPool

MAX_WORKERS = 2
"""Workers of one file at the same time: each holds the reader of commands, some 40 MB."""
# By its name, because its room is above this one. -I as for every process that works for us.
WORKER_ARGV = (sys.executable, "-I", "-m", "synaptic.sdk.worker")


class PolicyFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file to load, and what of it may be loaded."""

    file: str
    module: str = ""
    digest: str = ""
    """A worker that has loaded another content is replaced."""
    accepted: tuple[str, ...] | None = None


class PolicyRunner:
    """All workers of policies from outside, by file. `compiled` is a folder for what Python compiles."""

    def __init__(self, compiled: str, idle: float = IDLE_SECONDS) -> None:
        self._compiled = compiled
        self._idle = idle
        self._pools: dict[tuple[str, str], WorkerPool] = {}
        self._numbers = itertools.count(1)

    async def ask(self, place: PolicyFile, request: WorkerRequest, seconds: float) -> msgspec.Raw | Failure:
        """What the worker answers; a failure says what it did instead, without a name before it."""
        number = next(self._numbers)
        # What a repository brings beside its files may be anything: it is not read there.
        compiled = "" if place.accepted is None else self._compiled
        whole = msgspec.structs.replace(request, number=number, accepted=place.accepted, compiled=compiled)
        try:
            async with asyncio.timeout(seconds):
                line = await self._find_pool(place).ask(to_json(whole) + b"\n", (place.digest, place.accepted))
        except TimeoutError:
            return Failure(Fault.TIMEOUT, f"gave no answer within {seconds:g} s and was stopped")
        except OSError as error:
            return Failure(Fault.CRASH, f"its process failed: {error}")
        return _read_reply(line, number)

    async def close(self) -> None:
        """End every worker."""
        for pool in self._pools.values():
            pool.close()
        self._pools.clear()

    def _find_pool(self, place: PolicyFile) -> WorkerPool:
        key = (place.file, place.module)
        if key not in self._pools:
            words = (*WORKER_ARGV, place.file, *((place.module,) if place.module else ()))
            self._pools[key] = WorkerPool(WorkerLaunch(words, place.file, self._idle, MAX_WORKERS))
        return self._pools[key]


def _read_reply(line: bytes, number: int) -> msgspec.Raw | Failure:
    try:
        reply = msgspec.json.decode(line, type=WorkerReply)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        return Failure(Fault.OUTPUT, f"answered what is no answer ({error}): {shorten_text(repr(line[:200]))}")
    if reply.number != number:
        return Failure(Fault.OUTPUT, "answered another question: does it fork, or write to files it has not opened?")
    if reply.error:
        return Failure(Fault.CRASH, shorten_text(reply.error), reply.trace)
    return reply.answer

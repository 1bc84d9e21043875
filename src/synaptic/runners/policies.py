"""Ask policies from outside in warm workers, one pool a file: whatever they do is done to a process of their own."""

import asyncio
import itertools
import sys
from collections.abc import Mapping
from functools import partial

import msgspec

from synaptic.model.decision import Failure, Fault
from synaptic.runners.output import shorten_text
from synaptic.runners.policy_wire import WorkerOpening, WorkerReply, WorkerRequest
from synaptic.runners.stdin import to_json
from synaptic.runners.warm import IDLE_SECONDS, WorkerLaunch, WorkerPool

MAX_WORKERS = 2
"""Workers of one file at the same time: each holds the reader of commands, some 40 MB."""
# By its name, because its room is above this one. -I as for every process that works for us.
WORKER_ARGV = (sys.executable, "-I", "-m", "synaptic.sdk.worker")


class PolicyFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file to load, and what of it and its neighbours may be loaded."""

    file: str
    module: str = ""
    digest: str = ""
    """A worker that has loaded another content is replaced."""
    accepted: Mapping[str, frozenset[str]] | None = None


class BadReplyError(OSError):
    """A line that is no answer to what was asked: what comes next from there is none either."""


class LastReplyError(OSError):
    """An answer with which its process ends: the pool must not ask that one again."""

    def __init__(self, reply: WorkerReply) -> None:
        super().__init__("the process ends with this answer")
        self.reply = reply


class PolicyRunner:
    """All workers of policies from outside, by file. `compiled` is a folder for what Python compiles."""

    def __init__(self, compiled: str, idle: float = IDLE_SECONDS) -> None:
        self._compiled = compiled
        self._idle = idle
        self._pools: dict[tuple[str, str], tuple[PolicyFile, WorkerPool]] = {}
        self._numbers = itertools.count(1)

    async def ask(self, place: PolicyFile, request: WorkerRequest, seconds: float) -> msgspec.Raw | Failure:
        """What the worker answers; a failure says what it did instead, without a name before it."""
        number = next(self._numbers)
        line = to_json(msgspec.structs.replace(request, number=number)) + b"\n"
        try:
            async with asyncio.timeout(seconds):
                reply = await self._find_pool(place).ask(line, place.digest, partial(_read_reply, number=number))
        except TimeoutError:
            return Failure(Fault.TIMEOUT, f"gave no answer within {seconds:g} s and was stopped")
        except LastReplyError as last:
            reply = last.reply
        except BadReplyError as error:
            return Failure(Fault.OUTPUT, str(error))
        except OSError as error:
            return Failure(Fault.CRASH, f"its process failed: {error}")
        if reply.error:
            return Failure(Fault.CRASH, shorten_text(reply.error), reply.trace)
        return reply.answer

    def list_processes(self) -> tuple[int, ...]:
        """The workers that wait for a question."""
        pools = (pool for _, pool in self._pools.values())
        return tuple(worker.process.pid for pool in pools for worker in pool.resting)

    async def close(self) -> None:
        """End every worker."""
        for _, pool in self._pools.values():
            pool.close()
        self._pools.clear()

    def _find_pool(self, place: PolicyFile) -> WorkerPool:
        key = (place.file, place.module)
        known = self._pools.get(key)
        if known is not None and known[0] == place:
            return known[1]
        if known is not None:
            known[1].close()
        self._pools[key] = (place, WorkerPool(self._make_launch(place)))
        return self._pools[key][1]

    def _make_launch(self, place: PolicyFile) -> WorkerLaunch:
        words = (*WORKER_ARGV, place.file, *((place.module,) if place.module else ()))
        # What a repository brings beside its files may be anything: compiled copies are not read there.
        accepted = None if place.accepted is None else {path: tuple(sums) for path, sums in place.accepted.items()}
        opening = WorkerOpening(accepted=accepted, compiled="" if accepted is None else self._compiled)
        return WorkerLaunch(words, place.file, self._idle, MAX_WORKERS, to_json(opening) + b"\n")


def _read_reply(line: bytes, number: int) -> WorkerReply:
    """Raises BadReplyError, and LastReplyError."""
    try:
        reply = msgspec.json.decode(line, type=WorkerReply)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BadReplyError(f"answered what is no answer ({error}): {shorten_text(repr(line[:200]))}") from error
    if reply.number != number:
        raise BadReplyError("answered another question: does it fork, or write to files that it has not opened?")
    if reply.is_last:
        raise LastReplyError(reply)
    return reply

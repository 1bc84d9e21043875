"""Run Python function hooks in warm workers: a file is imported once in its own process and called over pipes."""

import asyncio
import contextlib
import os
import sys
from pathlib import Path
from typing import Any

import msgspec

from synaptic.model.decision import Failure, Fault
from synaptic.model.hook import Hook, PythonFunction
from synaptic.runners import worker as script
from synaptic.runners.base import Invocation
from synaptic.runners.dialect import interpret_output
from synaptic.runners.environment import EVENT_VARIABLES, MARK_VARIABLE, build_own_variables, clean_variables
from synaptic.runners.output import (
    OUTPUT_LIMIT,
    STDERR_LIMIT,
    HookAnswer,
    ProcessOutput,
    describe_hook,
    make_output_failure,
    make_timeout_failure,
    shorten_text,
)
from synaptic.runners.pipes import PipeDrain, PipeFeed
from synaptic.runners.processes import LaunchPlan, StandardStreams, end_process, start_process
from synaptic.runners.stdin import build_context, to_json

MAX_WORKERS = 4
"""Workers of one file at the same time; further calls wait for a free one."""
IDLE_SECONDS = 300.0
ANSWER_LIMIT = OUTPUT_LIMIT + STDERR_LIMIT

FileStamp = tuple[int, int, int]


class PythonRunner:
    """All warm workers, by file."""

    def __init__(self, idle: float = IDLE_SECONDS) -> None:
        self.idle = idle
        self._pools: dict[str, _WorkerPool] = {}

    async def run(self, invocation: Invocation, handler: PythonFunction) -> HookAnswer:
        """Call the function; a worker that crashed, hangs or runs old code is replaced."""
        stamp = _read_stamp(handler.file)
        if stamp is None:
            return _make_missing_failure(invocation.hook, f"file {handler.file} does not exist")
        pool = self._pools.setdefault(handler.file, _WorkerPool(handler.file, self.idle))
        try:
            async with asyncio.timeout(invocation.timeout):
                answer = await pool.ask(_encode_request(invocation, handler), stamp)
        except TimeoutError:
            return make_timeout_failure(invocation.hook, invocation.timeout)
        except OSError as error:
            return Failure(Fault.CRASH, f"{describe_hook(invocation.hook)}: its Python process failed: {error}")
        return _interpret_answer(invocation, handler, answer)

    async def close(self) -> None:
        """End every worker."""
        for pool in self._pools.values():
            pool.close()
        self._pools.clear()


class _WorkerPool:
    """The workers of one file."""

    def __init__(self, file: str, idle: float) -> None:
        self.file = file
        self.idle = idle
        self.turn = asyncio.Semaphore(MAX_WORKERS)
        self.resting: list[_Worker] = []

    async def ask(self, request: bytes, stamp: FileStamp) -> bytes:
        async with self.turn:
            worker = self._take_worker(stamp)
            try:
                answer = await worker.ask(request)
            except BaseException:  # timed out, cancelled or broken: nobody knows what it would answer next
                worker.close()
                raise
            self._park_worker(worker)
            return answer

    def close(self) -> None:
        for worker in self.resting:
            worker.close()
        self.resting.clear()

    def _take_worker(self, stamp: FileStamp) -> "_Worker":
        while self.resting:
            worker = self.resting.pop()
            # The user may have edited the file since the worker imported it.
            if worker.stamp == stamp and worker.is_alive:
                worker.wake()
                return worker
            worker.close()
        return _Worker(self.file, stamp)

    def _park_worker(self, worker: "_Worker") -> None:
        self.resting.append(worker)
        worker.timer = asyncio.get_running_loop().call_later(self.idle, self._retire_worker, worker)

    def _retire_worker(self, worker: "_Worker") -> None:
        with contextlib.suppress(ValueError):
            self.resting.remove(worker)
        worker.close()


class _Worker:
    """One process with its file imported."""

    def __init__(self, file: str, stamp: FileStamp) -> None:
        self.stamp = stamp
        self.mark = os.urandom(16).hex()
        self.timer: asyncio.TimerHandle | None = None
        self.requests = PipeFeed(keep=True)
        self.answers = PipeDrain(ANSWER_LIMIT)
        self.errors = PipeDrain(STDERR_LIMIT)
        # The file's path, not -m: the worker imports nothing of ours and starts faster without our package.
        argv = (sys.executable, "-I", script.__file__, file)
        plan = LaunchPlan(
            argv, {**clean_variables(os.environ), MARK_VARIABLE: self.mark}, str(Path(file).parent), self.mark, file
        )
        try:
            self.process = start_process(
                plan, StandardStreams(self.requests.reader, self.answers.writer, self.errors.writer)
            )
        except OSError:
            self._close_pipes()
            raise
        self.requests.begin()
        self.answers.close_writer()
        self.errors.close_writer()

    @property
    def is_alive(self) -> bool:
        return self.process.poll() is None and not self.answers.ended.is_set()

    async def ask(self, request: bytes) -> bytes:
        """Send a request and return the answer line; ConnectionError when the worker ends or answers too much."""
        self.answers.data.clear()
        self.errors.data.clear()
        self.requests.send(request)
        while not self.answers.data.endswith(b"\n"):
            if self.answers.ended.is_set():
                raise ConnectionError(shorten_text(bytes(self.errors.data).decode("utf-8", "replace")) or "it ended")
            if self.answers.full.is_set():
                raise ConnectionError(f"it answered with more than {OUTPUT_LIMIT // 1024} KiB")
            await self.answers.wait_for_news()
        return bytes(self.answers.data)

    def wake(self) -> None:
        if self.timer:
            self.timer.cancel()

    def close(self) -> None:
        self.wake()
        end_process(self.process, self.mark)
        self._close_pipes()

    def _close_pipes(self) -> None:
        for pipe in (self.requests, self.answers, self.errors):
            pipe.close()


def _encode_request(invocation: Invocation, handler: PythonFunction) -> bytes:
    request = {
        "function": handler.function,
        "event": build_context(invocation.call, invocation.hook.protocol),
        "variables": build_own_variables(invocation),
        "clear": sorted(EVENT_VARIABLES),
        "accepted": sorted(invocation.contents.get(handler.file, ())) if invocation.contents is not None else None,
        "compiled": invocation.variables.get("PYTHONPYCACHEPREFIX"),
    }
    return to_json(request) + b"\n"


def _interpret_answer(invocation: Invocation, handler: PythonFunction, line: bytes) -> HookAnswer:
    hook = invocation.hook
    said: dict[str, Any] = msgspec.json.decode(line)
    if "error" in said:
        return Failure(
            Fault.CRASH, f"{describe_hook(hook)}: {handler.file}: {shorten_text(said['error'])}", said["trace"]
        )
    if "changed" in said:
        return _make_missing_failure(hook, f"{handler.file} was changed after it was checked, so it does not run")
    if "missing" in said:
        return _make_missing_failure(hook, f"{handler.file} has no function {handler.function}")
    if "unreadable" in said:
        return make_output_failure(hook, f"returned what is no JSON: {said['unreadable']}")
    answer = said["answer"]
    if answer is not None and not isinstance(answer, dict):
        return make_output_failure(hook, f"returned {type(answer).__name__}; expected a dict or None")
    return interpret_output(hook, invocation.call.event, ProcessOutput(to_json(answer) if answer else b""))


def _make_missing_failure(hook: Hook, problem: str) -> Failure:
    where = f"; correct it in {hook.source}" if hook.source else ""
    return Failure(Fault.MISSING, f"{describe_hook(hook)}: {problem}{where}")


def _read_stamp(file: str) -> FileStamp | None:
    try:
        stat = Path(file).stat()
    except (OSError, ValueError):
        return None
    return stat.st_mtime_ns, stat.st_size, stat.st_ino

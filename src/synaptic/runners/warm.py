"""Warm worker processes: each has imported one file, and answers each line on its stdin with one on its stdout."""

import asyncio
import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import msgspec

from synaptic.runners.environment import MARK_VARIABLE, clean_variables
from synaptic.runners.output import OUTPUT_LIMIT, STDERR_LIMIT, shorten_text
from synaptic.runners.pipes import PipeDrain, PipeFeed
from synaptic.runners.processes import LaunchPlan, StandardStreams, end_process, start_process

IDLE_SECONDS = 300.0
ANSWER_LIMIT = OUTPUT_LIMIT + STDERR_LIMIT


class WorkerLaunch(msgspec.Struct, frozen=True):
    """How the workers of one file are started, and how many of them."""

    argv: tuple[str, ...]
    file: str
    idle: float
    most: int
    """At the same time; further calls wait for a free one."""
    opening: bytes = b""
    """What each is told before its first request."""


T = TypeVar("T")


class WorkerPool:
    """The workers of one file."""

    def __init__(self, launch: WorkerLaunch) -> None:
        self.launch = launch
        self.turn = asyncio.Semaphore(launch.most)
        self.resting: list[WarmWorker] = []
        self.is_closed = False

    async def ask(self, request: bytes, stamp: object, read: Callable[[bytes], T]) -> T:
        """What `read` makes of the answer. Where it raises, the worker is replaced as well."""
        async with self.turn:
            worker = self._take_worker(stamp)
            try:
                answer = read(await worker.ask(request))
            except BaseException:  # timed out, cancelled or broken: nobody knows what it would answer next
                worker.close()
                raise
            self._park_worker(worker)
            return answer

    def close(self) -> None:
        """End the workers that wait; those that are asked now end with their answers."""
        self.is_closed = True
        for worker in self.resting:
            worker.close()
        self.resting.clear()

    def _take_worker(self, stamp: object) -> "WarmWorker":
        while self.resting:
            worker = self.resting.pop()
            # The user may have edited the file since the worker imported it.
            if worker.stamp == stamp and worker.is_alive:
                worker.wake()
                return worker
            worker.close()
        return WarmWorker(self.launch, stamp)

    def _park_worker(self, worker: "WarmWorker") -> None:
        if self.is_closed:
            worker.close()
            return
        self.resting.append(worker)
        worker.timer = asyncio.get_running_loop().call_later(self.launch.idle, self._retire_worker, worker)

    def _retire_worker(self, worker: "WarmWorker") -> None:
        with contextlib.suppress(ValueError):
            self.resting.remove(worker)
        worker.close()


class WarmWorker:
    """One process with its file imported."""

    def __init__(self, launch: WorkerLaunch, stamp: object) -> None:
        self.stamp = stamp
        self.mark = os.urandom(16).hex()
        self.timer: asyncio.TimerHandle | None = None
        self.opening = launch.opening
        self.requests = PipeFeed(keep=True)
        self.answers = PipeDrain(ANSWER_LIMIT)
        self.errors = PipeDrain(STDERR_LIMIT)
        env = {**clean_variables(os.environ), MARK_VARIABLE: self.mark}
        plan = LaunchPlan(launch.argv, env, str(Path(launch.file).parent), self.mark, launch.file)
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
        opening, self.opening = self.opening, b""
        self.requests.send(opening + request)
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

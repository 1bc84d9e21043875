"""What reading the declarations of a project may cost: they are read within this, or count as absent.

The limits are for projects only: whoever can write the user's own files has better means than to make them large.
"""

import asyncio
import ctypes
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Generic, TypeVar

T = TypeVar("T")

READING_SECONDS = 1.5
"""Of the processor, for all declarations of a project together; a thousand YAML files take a third of that."""
READING_PATIENCE = 5.0
"""By the clock: a machine with much to do is not the repository's fault, a disk that does not answer may be."""
LOOK_SECONDS = 0.05
STOP_SECONDS = 1.0
PROJECT_BYTES = 2 << 20
"""All declaration files of a project together."""
PROJECT_CONFIG_BYTES = 128 << 10
PROJECT_REGISTRY_BYTES = 512 << 10
PROJECT_HOOKS = 2000
"""Entries of one registry."""
LIST_ITEMS = 100
"""Items that a project may add to an option, or name in a condition."""
ITEM_CHARS = 500


class OverBudgetError(BaseException):
    """Raised inside a reading that takes too long. No Exception: nothing on the way may go on with the next file."""


class StalledReadingError(OverBudgetError):
    """The clock ran out and the budget did not: the machine has too much to do, or the disk does not answer."""


class LimitedWork(threading.Thread, Generic[T]):
    """Work in a thread of its own, which is stopped when its time is over."""

    def __init__(self, work: Callable[[], T]) -> None:
        super().__init__(daemon=True)
        self._work = work
        self.result: T | None = None
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self.result = self._work()
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            self.error = error

    def finish(self, seconds: float, patience: float) -> T:
        """Wait for the result; raises OverBudgetError when there is none within seconds of work.

        After seconds of patience StalledReadingError, where the work itself has used less than it may.
        """
        self.start()
        ends = time.monotonic() + patience
        while self.is_alive() and time.monotonic() < ends and self._count_seconds() < seconds:
            self.join(LOOK_SECONDS)
        if self.is_alive() and self.ident is not None:
            # Between two steps of the interpreter; what is stuck in a system call ends by itself, and unheard.
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self.ident), ctypes.py_object(OverBudgetError))
            used = self._count_seconds()
            self.join(STOP_SECONDS)
            raise StalledReadingError if 0 < used < seconds else OverBudgetError
        if self.error is not None:
            raise self.error
        return self.result  # type: ignore[return-value]  # without an error there is one, and it may be None

    def _count_seconds(self) -> float:
        """What the thread has used of a processor; where nobody counts that, only patience ends."""
        if self.ident is None or not hasattr(time, "pthread_getcpuclockid"):
            return 0.0
        try:
            return time.clock_gettime(time.pthread_getcpuclockid(self.ident))
        except OSError:
            return 0.0  # it has just ended


async def run_beside(work: Callable[[], T]) -> T:
    """Run the work in a thread of its own, while events go on. Those that `asyncio` shares may all be waiting."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def run() -> None:
        try:
            settle = partial(done.set_result, work())
        except BaseException as error:  # noqa: BLE001 - raised again where it is awaited
            settle = partial(done.set_exception, error)
        with suppress(RuntimeError):  # the loop has ended, and nobody waits any more
            loop.call_soon_threadsafe(lambda: None if done.done() else settle())

    threading.Thread(target=run, daemon=True).start()
    return await done


def run_within(work: Callable[[], T], seconds: float, patience: float = READING_PATIENCE) -> T:
    """Run the work, for so many seconds of a processor; raises OverBudgetError after that."""
    return LimitedWork(work).finish(seconds, patience)

"""What reading the declarations of a project may cost: they are read within this, or count as absent.

The limits are for projects only: whoever can write the user's own files has better means than to make them large.
"""

import asyncio
import ctypes
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Generic, TypeVar

T = TypeVar("T")

READING_SECONDS = 2.0
"""For all declarations of a project together; a thousand YAML files take a quarter of that."""
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

    def finish(self, seconds: float) -> T:
        """Wait for the result; raises OverBudgetError when there is none in time."""
        self.start()
        self.join(seconds)
        if self.is_alive() and self.ident is not None:
            # Between two steps of the interpreter; what is stuck in a system call ends by itself, and unheard.
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self.ident), ctypes.py_object(OverBudgetError))
            self.join(STOP_SECONDS)
            raise OverBudgetError
        if self.error is not None:
            raise self.error
        return self.result  # type: ignore[return-value]  # without an error there is one, and it may be None


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


def run_within(work: Callable[[], T], seconds: float) -> T:
    """Run the work, for so long; raises OverBudgetError after that."""
    return LimitedWork(work).finish(seconds)

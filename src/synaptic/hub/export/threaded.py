"""Destinations whose libraries block: each request runs in a thread that nobody has to wait for."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress
from threading import Thread
from typing import Protocol

from synaptic.hub.shipping.destination import DestinationError
from synaptic.hub.wire import ShippedEvent

MOST_SECONDS = 60.0
"""For one hand-over. A disk or a server that does not answer at all is given up then."""


class BlockingSender(Protocol):
    """What a destination does, in a thread that may wait."""

    @property
    def name(self) -> str: ...

    def send(self, after: int, events: Sequence[ShippedEvent]) -> int: ...

    def close(self) -> None: ...


class ThreadedDestination:
    """A `Destination` of a sender that blocks.

    The thread is a daemon: one that hangs in a system call does not keep the process from ending, and it is the only
    one, because nothing else is begun before it is back.
    """

    def __init__(self, sender: BlockingSender, seconds: float = MOST_SECONDS) -> None:
        self.sender = sender
        self._seconds = seconds
        self._running: Future[int] | None = None

    @property
    def name(self) -> str:
        return self.sender.name

    async def send(self, after: int, events: Sequence[ShippedEvent]) -> int:
        """As `Destination.send`. Raises DestinationError."""
        if self._running and not self._running.done():
            raise DestinationError("the last hand-over is not back yet", where=self.name)
        self._running = _start(self.sender, after, events)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(self._running), self._seconds)
        except TimeoutError as error:
            raise DestinationError(f"no answer for {self._seconds:.0f} s", where=self.name) from error

    async def close(self) -> None:
        """Let go; what still runs in the thread is left to end by itself."""
        if not self._running or self._running.done():
            with suppress(Exception):  # a close must not raise, and nothing depends on it
                self.sender.close()


def _start(sender: BlockingSender, after: int, events: Sequence[ShippedEvent]) -> Future[int]:
    future: Future[int] = Future()
    future.set_running_or_notify_cancel()  # from here on nobody can cancel it: it is under way

    def work() -> None:
        try:
            future.set_result(sender.send(after, events))
        except BaseException as error:  # noqa: BLE001 - handed to whoever waits for it
            future.set_exception(error)

    Thread(target=work, name=f"send {sender.name}", daemon=True).start()
    return future

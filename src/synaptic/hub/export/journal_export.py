"""One export of the journal: page by page to a destination, once or for as long as it is let."""

import asyncio
import random
from collections.abc import Callable
from typing import Protocol

import msgspec

from synaptic.hub.export.selection import ExportChoice, begin_cursor, find_end, read_export_page
from synaptic.hub.shipping.destination import Destination, DestinationError
from synaptic.hub.wire import ShippedEvent
from synaptic.model.errors import StoreError
from synaptic.store.db import Store
from synaptic.store.outbox import ShipCursor

FIRST_PAUSE, MOST_PAUSE, SELDOM_PAUSE = 0.5, 60.0, 600.0
MOST_TRIES = 6
"""Of one batch, where somebody waits for the end."""
POLL_SECONDS, STORE_PAUSE = 0.5, 10.0
NO_END = 2**62


class CursorKeeper(Protocol):
    """Where it is kept how far an export is."""

    def read(self) -> ShipCursor | None: ...

    def write(self, cursor: ShipCursor) -> None: ...


class ExportTask(msgspec.Struct, frozen=True):
    """What is exported, where to, and who is told of trouble."""

    store: Store
    choice: ExportChoice
    destination: Destination
    tell: Callable[[str], None]


class JournalExport:
    """Counts what was handed over."""

    def __init__(self, task: ExportTask) -> None:
        self.count = 0
        self._task = task

    async def run_once(self) -> None:
        """All that is chosen now. Raises StoreError, DestinationError."""
        store, choice = self._task.store, self._task.choice
        cursor, end, is_last = begin_cursor(store, choice, self._task.destination.name), find_end(store, choice), False
        while not is_last:
            page = await asyncio.to_thread(read_export_page, store, choice, cursor, end)
            await self._hand_over(page.events, MOST_TRIES)
            cursor, is_last = page.cursor, page.is_last

    async def follow(self, keeper: CursorKeeper) -> None:
        """All that is chosen, from where it stood, and what comes after it, without end. Raises OSError."""
        store, choice = self._task.store, self._task.choice
        cursor = keeper.read() or begin_cursor(store, choice, self._task.destination.name)
        while True:
            try:
                page = await asyncio.to_thread(read_export_page, store, choice, cursor, NO_END)
            except StoreError as error:  # it may be usable again the next moment
                self._task.tell(f"{error}; trying again")
                await asyncio.sleep(STORE_PAUSE)
                continue
            await self._hand_over(page.events, 0)
            if page.cursor != cursor:
                cursor = page.cursor
                keeper.write(cursor)
            else:
                await asyncio.sleep(POLL_SECONDS)

    async def _hand_over(self, events: tuple[ShippedEvent, ...], tries: int) -> None:
        """All of them, however many parts and attempts that takes; `tries` of 0: without end."""
        failed, told = 0, ""
        while events:
            try:
                reached = await self._task.destination.send(events[0].seq - 1, events)
            except DestinationError as error:
                failed += 1
                if (tries and error.is_lasting) or failed == tries:
                    raise
                if str(error) != told:
                    told = str(error)
                    self._task.tell(f"{told}; trying again")
                await asyncio.sleep(choose_pause(error, failed))
                continue
            taken = [event for event in events if event.seq <= reached]
            if not taken:
                raise DestinationError("it takes nothing", where=self._task.destination.name)
            self.count += len(taken)
            events, failed = events[len(taken) :], 0


def choose_pause(error: DestinationError, failed: int) -> float:
    """Seconds until the next attempt: what the destination says, else longer from time to time."""
    if error.is_lasting:
        return SELDOM_PAUSE
    if error.seconds:
        return min(error.seconds, MOST_PAUSE)
    return min(FIRST_PAUSE * (1 << min(failed - 1, 10)), MOST_PAUSE) * random.uniform(0.8, 1.2)

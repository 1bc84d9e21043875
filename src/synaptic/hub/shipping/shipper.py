"""Brings the journal to one destination: a page, its answer, the cursor, for as long as it is let.

Killed at any moment it goes on behind the last cursor that was kept; what a destination has by then it says itself.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from functools import partial

import msgspec

from synaptic.hub.shipping.board import StateBoard
from synaptic.hub.shipping.cursors import CursorBook
from synaptic.hub.shipping.destination import Destination, DestinationError
from synaptic.hub.shipping.outbox import Contents, make_event, make_sequence, make_unread_event
from synaptic.hub.shipping.patience import Patience
from synaptic.hub.shipping.pulse import JournalPulse
from synaptic.hub.shipping.stand import advance, begin_anew, follow
from synaptic.hub.wire import ShippedEvent
from synaptic.store import outbox
from synaptic.store.db import Store
from synaptic.store.outbox import OutboxPage, OutboxRow, ShipCursor

log = logging.getLogger(__name__)

SEND_SECONDS = 120.0
"""Of one batch; a destination that hangs for longer is tried again."""
MOST_TURNS = 5
"""Times that a destination may say that it stands elsewhere before it has got further than ever; more is nonsense."""
TURNS_SECONDS = 60.0
"""After that: a destination that takes events and then says it has none gets them again, but not without end."""


class JournalSource(msgspec.Struct, frozen=True):
    """Where events come from, and how they leave."""

    reader: Store
    book: CursorBook
    pulse: JournalPulse
    board: StateBoard
    user_home: str
    contents: Contents = "structure"


async def assume_reach() -> None:
    """Of a destination that is only found away by sending something to it."""


class Shipper:
    """One destination's. Where it did not take something, `require_reach` is asked before anything is read for it."""

    def __init__(
        self,
        destination: Destination,
        source: JournalSource,
        require_reach: Callable[[], Awaitable[None]] = assume_reach,
    ) -> None:
        self._destination, self._source, self._require_reach = destination, source, require_reach
        self._name = destination.name
        self._cursor: ShipCursor | None = None
        self._is_new, self._is_saved, self._turns, self._furthest = False, True, 0, -1

    @property
    def newest_mark(self) -> int:
        """The sequence that the newest event has for this destination. Raises StoreError."""
        epoch = self._cursor.epoch if self._cursor else 0
        return make_sequence(epoch, outbox.find_newest(self._source.reader))

    async def run(self) -> None:
        """Bring everything, and wait for more, without end."""
        try:
            while True:
                seen = self._source.pulse.count
                if not await self._step_patiently():
                    await self._source.pulse.wait_after(seen)
        finally:
            await self._destination.close()

    async def _step_patiently(self) -> bool:
        """One step, tried until it succeeds; whether there may be more to do."""
        patience = Patience()
        async for attempt in patience.keep_trying():
            with attempt:
                try:
                    if attempt.num > 1:
                        await self._require_reach()
                    return await self.step()
                except Exception as error:
                    self._source.board.tell_trouble(self._name, error, float(patience.choose_pause(error)))
                    raise
        return False

    async def step(self) -> bool:
        """Bring one page; False when there is nothing to bring. Raises what keeps it from being done."""
        cursor = await self._load_cursor()
        page = await asyncio.to_thread(outbox.read_page, self._source.reader, cursor)
        if page.is_other:
            log.warning("%s: the journal is another one: it begins anew", self._name)
            await self._save(begin_anew(cursor, cursor.epoch + 1))
            return True
        if not page.rows:
            self._source.board.tell_progress(cursor, page.newest)
            return False
        events = await asyncio.to_thread(self._make_events, page, cursor.epoch)
        moved = await self._settle(cursor, page, await self._send(cursor, events), events)
        await self._save(moved)
        self._source.board.tell_progress(moved, page.newest)
        return True

    async def _send(self, cursor: ShipCursor, events: tuple[ShippedEvent, ...]) -> int:
        try:
            async with asyncio.timeout(SEND_SECONDS):
                return await self._destination.send(cursor.mark, events)
        except TimeoutError as error:
            raise DestinationError(f"no answer within {SEND_SECONDS:g} seconds", where=self._name) from error

    async def _settle(
        self, cursor: ShipCursor, page: OutboxPage, mark: int, events: tuple[ShippedEvent, ...]
    ) -> ShipCursor:
        """The cursor that follows from an answer. Raises DestinationError for one from which nothing does."""
        if mark == cursor.mark:
            raise DestinationError("it takes nothing", where=self._name)
        if moved := advance(cursor, events, mark):
            # By the journal's own words: those that left may have been cleaned.
            call = next(row.entry.call for row in page.rows if row.entry.id == moved.id)
            self._is_new = False
            if moved.mark > self._furthest:
                self._turns, self._furthest = 0, moved.mark
            return msgspec.structs.replace(moved, call=call, at=time.time())
        self._turns += 1
        if self._turns > MOST_TURNS:
            self._turns = 0
            what = "it says again and again that it stands elsewhere"
            raise DestinationError(what, where=self._name, seconds=TURNS_SECONDS)
        found = follow(cursor, mark, newest=page.newest, is_new=self._is_new)
        log.warning("%s: it stands at %d and not at %d: gone there", self._name, mark, cursor.mark)
        self._is_new = False
        call = await asyncio.to_thread(outbox.find_call, self._source.reader, found.id)
        return msgspec.structs.replace(found, call=call)

    async def _load_cursor(self) -> ShipCursor:
        """As far as is known; a cursor that could not be kept yet is kept first. Raises StoreError."""
        if self._cursor is None:
            found, self._is_new = await asyncio.to_thread(self._source.book.load, self._name)
            self._cursor = found
            return found
        if not self._is_saved:
            await self._save(self._cursor)
        return self._cursor

    async def _save(self, cursor: ShipCursor) -> None:
        self._cursor, self._is_saved = cursor, False
        await asyncio.to_thread(self._source.book.save, cursor)
        self._is_saved = True

    def _make_events(self, page: OutboxPage, epoch: int) -> tuple[ShippedEvent, ...]:
        make = partial(make_event, epoch=epoch, user_home=self._source.user_home, contents=self._source.contents)
        return tuple(_make_or_tell(make, row, epoch) for row in page.rows)


def _make_or_tell(make: Callable[[OutboxRow], ShippedEvent], row: OutboxRow, epoch: int) -> ShippedEvent:
    """One event that cannot be read must not keep all others back: what is left of it is that there was one."""
    try:
        return make(row)
    except Exception:
        log.exception("event %s leaves without what it holds", row.entry.id)
        return make_unread_event(row, epoch)

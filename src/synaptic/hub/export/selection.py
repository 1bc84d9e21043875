"""Chosen events of the journal, oldest first, a page at a time: what an export hands over."""

import hashlib

import msgspec

from synaptic.hub.shipping.outbox import Contents, make_event, make_unread_event
from synaptic.hub.wire import ShippedEvent
from synaptic.store import outbox
from synaptic.store.db import Store
from synaptic.store.journal_filter import NEIGHBOURS, JournalFilter, find_number_at, matches_entry
from synaptic.store.outbox import OutboxRow, ShipCursor


class ExportChoice(msgspec.Struct, frozen=True):
    """Which events leave, and how much of them."""

    chosen: JournalFilter = JournalFilter()
    contents: Contents = "structure"
    user_home: str = ""

    def name_stream(self, destination: str) -> str:
        """A name for this choice at this destination: the same tomorrow, when `7d` is another week."""
        kept = msgspec.structs.replace(self.chosen, since=0.0, until=0.0)
        text = msgspec.json.encode([destination, self.contents, kept])
        return hashlib.blake2b(text, digest_size=8).hexdigest()


class ExportPage(msgspec.Struct, frozen=True):
    """The next chosen events, and the cursor behind all that was looked at for them."""

    events: tuple[ShippedEvent, ...]
    cursor: ShipCursor
    is_last: bool


def begin_cursor(store: Store, choice: ExportChoice, name: str) -> ShipCursor:
    """Before the first event that can be meant. Raises StoreError."""
    since = choice.chosen.since
    first = max(find_number_at(store, since) - NEIGHBOURS - 1, 0) if since else 0
    epoch = max((one.epoch for one in outbox.list_cursors(store).values()), default=0)
    return ShipCursor(name=name, epoch=epoch, id=first)


def find_end(store: Store, choice: ExportChoice) -> int:
    """The last number that can be meant now. Raises StoreError."""
    newest = outbox.find_newest(store)
    until = choice.chosen.until
    return min(newest, find_number_at(store, until) + NEIGHBOURS) if until else newest


def read_export_page(store: Store, choice: ExportChoice, cursor: ShipCursor, end: int) -> ExportPage:
    """The chosen events among the next ones, up to a number. Raises StoreError."""
    page = outbox.read_page(store, cursor)
    if page.is_other:  # the journal was lost and begun anew: its numbers, too
        return ExportPage((), ShipCursor(name=cursor.name, epoch=cursor.epoch + 1), False)
    rows = [row for row in page.rows if row.entry.id <= end]
    if not rows:
        return ExportPage((), cursor, True)
    last = rows[-1].entry
    moved = msgspec.structs.replace(cursor, id=last.id, call=last.call)
    events = (_make_event(row, choice, cursor.epoch) for row in rows if matches_entry(choice.chosen, row.entry))
    return ExportPage(tuple(events), moved, last.id >= end)


def _make_event(row: OutboxRow, choice: ExportChoice, epoch: int) -> ShippedEvent:
    try:
        return make_event(row, epoch, choice.user_home, choice.contents)
    except Exception:  # noqa: BLE001 - a damaged row says at least that it was there
        return make_unread_event(row, epoch)

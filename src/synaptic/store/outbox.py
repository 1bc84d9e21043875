"""The journal as what has to be brought elsewhere: pages behind a durable cursor, one for each destination."""

import time
from collections.abc import Collection
from typing import Any

import msgspec

from synaptic.model.errors import StoreError
from synaptic.store.db import Connection, Store
from synaptic.store.entries import EVENT_COLUMNS, make_entry
from synaptic.store.record import JournalEntry

PAGE_EVENTS = 500
PAGE_BYTES = 4 << 20
"""Of payloads and decisions; one event may be larger, and is a page of its own then."""
KEPT_DAYS = 400
"""Days for which it is known how far a destination was that is not configured any more."""

# Types are cast and not believed: a damaged row may hold any others.
SELECT_CURSORS = """
SELECT CAST(name AS BLOB), CAST(epoch AS INTEGER), CAST(id AS INTEGER), CAST(call AS BLOB), CAST(mark AS INTEGER),
       CAST(at AS REAL), CAST(shipped AS INTEGER) FROM ship_cursors
"""
PUT_CURSOR = """
INSERT INTO ship_cursors (name, epoch, id, call, mark, at, shipped, holds) VALUES (?, ?, ?, ?, ?, ?, ?, 1)
ON CONFLICT (name) DO UPDATE SET epoch = excluded.epoch, id = excluded.id, call = excluded.call, mark = excluded.mark,
at = excluded.at, shipped = excluded.shipped, holds = 1
"""
SELECT_PAGE = f"SELECT {EVENT_COLUMNS}, exit FROM events WHERE id > ? ORDER BY id"
SELECT_CALL = "SELECT CAST(call AS BLOB) FROM events WHERE id = ?"
SELECT_NEWEST = "SELECT coalesce(max(id), 0) FROM events"
SELECT_HELD = "SELECT min(CAST(id AS INTEGER)) FROM ship_cursors WHERE holds = 1"
MEASURE_WAITING = "SELECT (SELECT count(*) FROM events WHERE id > ?1), (SELECT at FROM events WHERE id > ?1 LIMIT 1)"


class ShipCursor(msgspec.Struct, frozen=True, kw_only=True):
    """Up to where one destination has the journal."""

    name: str
    epoch: int = 0
    """Number of the journal: one that was lost and begun anew is another."""
    id: int = 0
    call: str = ""
    """The call of that event, by which it is known again; empty: it was not there to be looked at."""
    mark: int = 0
    """The sequence that the destination has: of another journal, as long as it has nothing of this one."""
    at: float = 0.0
    shipped: int = 0
    """How many events it has taken."""


class OutboxRow(msgspec.Struct, frozen=True):
    """One event that is to leave, as the journal has it."""

    entry: JournalEntry
    exit: int


class OutboxPage(msgspec.Struct, frozen=True):
    """The next events behind a cursor."""

    rows: tuple[OutboxRow, ...] = ()
    newest: int = 0
    is_other: bool = False
    """Whether this journal is not the one that the cursor was in; then there are no rows."""


def read_page(store: Store, cursor: ShipCursor) -> OutboxPage:
    """The next events behind a cursor, as many as fit. Raises StoreError."""

    def read(connection: Connection) -> OutboxPage:
        newest = int(connection.execute(SELECT_NEWEST).fetchone()[0])
        if not _is_same_journal(connection, cursor, newest):
            return OutboxPage(newest=newest, is_other=True)
        return OutboxPage(_read_rows(connection, cursor.id), newest)

    return store.read(read)


def find_call(store: Store, id: int) -> str:
    """The call of an event; "" where it is not there."""
    return store.read(lambda connection: _find_call(connection, id)) or ""


def find_newest(store: Store) -> int:
    """The number of the newest event; 0 where there is none."""
    return int(store.read(lambda connection: connection.execute(SELECT_NEWEST).fetchone()[0]))


def list_cursors(store: Store) -> dict[str, ShipCursor]:
    """How far every destination is, by its name."""
    rows = store.read(lambda connection: connection.execute(SELECT_CURSORS).fetchall())
    return {cursor.name: cursor for cursor in map(_make_cursor, rows)}


def write_cursor(store: Store, cursor: ShipCursor) -> None:
    """Keep it. Raises StoreError, also where nothing is kept on disk now: a cursor in memory would be a lie."""
    row = (cursor.name, cursor.epoch, cursor.id, cursor.call, cursor.mark, cursor.at, cursor.shipped)
    store.write(lambda connection: connection.execute(PUT_CURSOR, row))
    if not store.durable:
        raise StoreError(f"it cannot be kept how far the journal was shipped: {store.trouble}", where=str(store.path))


def hold_for(store: Store, names: Collection[str]) -> None:
    """From now on what these destinations lack stays in the journal, and nothing stays for any other."""
    marks = ", ".join("?" * len(names))

    def write(connection: Connection) -> None:
        connection.execute(f"UPDATE ship_cursors SET holds = 0 WHERE name NOT IN ({marks})", tuple(names))
        before = time.time() - KEPT_DAYS * 86400.0
        connection.execute("DELETE FROM ship_cursors WHERE holds = 0 AND at < ?", (before,))

    store.write(write)


def find_held(connection: Connection) -> int | None:
    """The last event that every destination has; None where nothing has to wait for any."""
    found = connection.execute(SELECT_HELD).fetchone()[0]
    if found is None:
        return None
    newest = connection.execute(SELECT_NEWEST).fetchone()[0]
    return int(found) if found <= newest else 0  # of a journal that is gone: of this one it has nothing


def measure_waiting(store: Store, id: int) -> tuple[int, float]:
    """How many events are behind one, and when the first of them was."""
    count, at = store.read(lambda connection: connection.execute(MEASURE_WAITING, (id,)).fetchone())
    return int(count), at if isinstance(at, float) else 0.0


def _is_same_journal(connection: Connection, cursor: ShipCursor, newest: int) -> bool:
    """Whether a cursor belongs to this journal. An event that was pruned says nothing, and ids are not given twice."""
    if newest < cursor.id:
        return False
    found = _find_call(connection, cursor.id) if cursor.call else None
    return found is None or found == cursor.call


def _find_call(connection: Connection, id: int) -> str | None:
    row = connection.execute(SELECT_CALL, (id,)).fetchone()
    return row[0].decode("utf-8", "replace") if row and row[0] is not None else None


def _read_rows(connection: Connection, after: int) -> tuple[OutboxRow, ...]:
    found: list[OutboxRow] = []
    size = 0
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    try:
        for *row, exit in connection.execute(SELECT_PAGE, (after,)):
            size += sum(len(one) for one in row if isinstance(one, str | bytes))
            if found and size > PAGE_BYTES:
                break
            found.append(OutboxRow(make_entry((*row, None, None, 0)), exit if isinstance(exit, int) else 0))
            if len(found) >= PAGE_EVENTS:
                break
    finally:
        connection.text_factory = str
    return tuple(found)


def _make_cursor(row: tuple[Any, ...]) -> ShipCursor:
    name, epoch, id, call, mark, at, shipped = row
    texts = ((one or b"").decode("utf-8", "replace") for one in (name, call))
    return ShipCursor(
        name=next(texts), call=next(texts), epoch=epoch or 0, id=id or 0, mark=mark or 0, at=at or 0.0,
        shipped=shipped or 0,
    )  # fmt: skip

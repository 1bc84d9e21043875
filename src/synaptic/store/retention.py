"""Delete old events and what only had to live for a while, in small batches so that writers are not blocked."""

import time
from collections.abc import Callable

import msgspec

from synaptic.store.db import Connection, Store, run_transaction
from synaptic.store.deliveries import DELIVERY_LIFETIME

ROWS_PER_STEP = 500
"""Rows per transaction: a few milliseconds of the write lock."""
PAGES_PER_STEP = 2000
"""Free pages given back to the disk per transaction."""
STEP_PAUSE = 0.001
"""Seconds between two steps, in which a waiting writer gets the lock."""
REPEAT_SECONDS = 600.0
"""Seconds in which an agent may repeat a request."""
SECONDS_PER_DAY = 24 * 3600.0

# The newest event stays: SQLite would give its number again, and `explain 17` would mean another event.
SELECT_OLDEST = "SELECT id, at FROM events WHERE id < (SELECT max(id) FROM events) ORDER BY id LIMIT ?"
"""Never the newest: its id is the last one given, from which `keep` counts back and `tail` goes on."""
DELETE_DELIVERIES = """
DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries
WHERE at NOT BETWEEN ?1 - ?2 AND ?1 + ?2 OR (delivered <> '' AND at < ?1 - ?3) LIMIT ?4)
"""
"""Both sides of now: after a clock that was set back, what lies in the future would never expire."""
DELETE_ANSWERS = (
    "DELETE FROM answers WHERE call IN (SELECT call FROM answers WHERE at NOT BETWEEN ?1 - ?2 AND ?1 + ?2 LIMIT ?3)"
)
DELETE_OLD_ROWS = (
    "DELETE FROM stops WHERE at < ?",
    "DELETE FROM messages WHERE timestamp < ?",
    "DELETE FROM agents WHERE named = 0 AND updated_at < ?",
)
"""Small tables, in one statement each: what nobody looks back to. Efforts and their sessions stay."""


class PruneCounts(msgspec.Struct, frozen=True):
    """What was removed."""

    events: int = 0
    deliveries: int = 0
    answers: int = 0
    bytes: int = 0
    """Given back to the disk."""


def prune_events(store: Store, days: float, keep: int = 0) -> PruneCounts:
    """Remove events older than `days`, and the oldest beyond `keep` (0: any number); then what `expire` removes.

    Dialogue and agents without a name go with the events of their time.

    The newest event always stays, so that its number is the last one given.
    """
    return store.run_separately(lambda connection: _delete_old_events(connection, days, keep))


def prune_expired(store: Store) -> PruneCounts:
    """Remove short-lived rows: answers of events that are not journaled, delivered or stale deliveries."""
    return store.run_separately(_delete_expired)


def _delete_old_events(connection: Connection, days: float, keep: int) -> PruneCounts:
    before = time.time() - days * SECONDS_PER_DAY
    newest = int(connection.execute("SELECT coalesce(max(id), 0) FROM events").fetchone()[0])
    first = newest - keep if keep else 0
    events = _repeat(lambda: _drop_oldest(connection, before, first))
    rest = _delete_expired(connection)
    for sql in DELETE_OLD_ROWS:
        connection.execute(sql, (before,))
    return msgspec.structs.replace(rest, events=events, bytes=_vacuum_free_pages(connection))


def _delete_expired(connection: Connection) -> PruneCounts:
    now = time.time()
    deliveries = _repeat(
        lambda: connection.execute(DELETE_DELIVERIES, (now, DELIVERY_LIFETIME, REPEAT_SECONDS, ROWS_PER_STEP)).rowcount
    )
    answers = _repeat(lambda: connection.execute(DELETE_ANSWERS, (now, REPEAT_SECONDS, ROWS_PER_STEP)).rowcount)
    return PruneCounts(deliveries=deliveries, answers=answers)


def _drop_oldest(connection: Connection, before: float, first: int) -> int:
    """Delete one batch from the front: ids grow with time, so nothing is searched; after a clock jump more stays."""
    rows = connection.execute(SELECT_OLDEST, (ROWS_PER_STEP,)).fetchall()
    old = [(id,) for id, at in rows if at < before or id <= first]
    if not old:
        return 0
    run_transaction(connection, lambda connection: connection.executemany("DELETE FROM events WHERE id = ?", old))
    return len(old)


def _repeat(step: Callable[[], int]) -> int:
    """Run a batch again until it deletes nothing, with a pause in which a waiting writer gets the lock."""
    total = 0
    while done := step():
        total += done
        time.sleep(STEP_PAUSE)
    return total


def _vacuum_free_pages(connection: Connection) -> int:
    """Return free pages to the disk in batches; how many bytes. A VACUUM would hold the lock for seconds."""
    size = int(connection.execute("PRAGMA page_size").fetchone()[0])
    free = _count_free_pages(connection)
    start = free
    while free:
        connection.execute(f"PRAGMA incremental_vacuum({PAGES_PER_STEP})").fetchall()
        now = _count_free_pages(connection)
        if now >= free:
            break  # a file that was made without incremental vacuum
        free = now
        time.sleep(STEP_PAUSE)
    return (start - free) * size


def _count_free_pages(connection: Connection) -> int:
    return int(connection.execute("PRAGMA freelist_count").fetchone()[0])

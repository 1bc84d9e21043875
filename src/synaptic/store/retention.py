"""Delete old events and what only had to live for a while, in small batches so that writers are not blocked."""

import time
from collections.abc import Callable
from typing import TypeVar

import msgspec

from synaptic.store import basis, hook_counts, outbox, witness
from synaptic.store.db import Connection, Store, run_transaction
from synaptic.store.deliveries import DELIVERY_LIFETIME

T = TypeVar("T")

ROWS_PER_STEP = 2000
"""Rows looked at together, and the most of a transaction."""
PAGES_PER_STEP = 2000
"""At most so many free pages given back to the disk per transaction."""
NEVER_HELD = 1 << 63
"""Behind every number that an event can have."""
FIRST_STEP = 100
"""Rows and pages of the first transaction: how large they are, and how fast the disk is, shows only then."""
STEP_SECONDS = 0.015
"""How long a transaction should hold the write lock: an event that comes meanwhile waits for it."""
STEP_PAUSE = 0.005
"""Seconds between two: a writer looks every few milliseconds whether the lock is free, and must find it so."""
CACHE_KIB = 65_536
"""A page is moved with the help of others, again and again the same: they must stay in memory."""
REPEAT_SECONDS = 600.0
"""Seconds in which an agent may repeat a request."""
SECONDS_PER_DAY = 24 * 3600.0
PRUNED_MARK = "pruned"

# The newest event stays: SQLite would give its number again, and `explain 17` would mean another event.
SELECT_OLDEST = "SELECT id, at FROM events WHERE id < (SELECT max(id) FROM events) ORDER BY id LIMIT ?"
"""Never the newest: its id is the last one given, from which `keep` counts back and `tail` goes on."""
DELETE_DELIVERIES = """
DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries
WHERE at < ?1 - ?2 OR at > ?1 + ?2 OR (at < ?1 - ?3 AND delivered <> '') LIMIT ?4)
"""
"""Both sides of now: after a clock that was set back, what lies in the future would never expire."""
DELETE_ANSWERS = (
    "DELETE FROM answers WHERE call IN (SELECT call FROM answers WHERE at < ?1 - ?2 OR at > ?1 + ?2 LIMIT ?3)"
)
DELETE_OLD_ROWS = (
    "DELETE FROM stops WHERE at < ?",
    "DELETE FROM messages WHERE timestamp < ?",
    "DELETE FROM agents WHERE named = 0 AND updated_at < ?",
    "DELETE FROM state WHERE scope = 'session' AND at < ?",
    "DELETE FROM refused WHERE last_at < ?",
    "DELETE FROM grants WHERE expires > 0 AND expires < ?",
)
"""Small tables, in one statement each: what nobody looks back to. Efforts and their sessions stay."""


class PruneCounts(msgspec.Struct, frozen=True):
    """What was removed."""

    events: int = 0
    held: int = 0
    """Events that are old enough and stay all the same, because a destination does not have them yet."""
    deliveries: int = 0
    answers: int = 0
    bytes: int = 0
    """Given back to the disk."""


class PruneLimits(msgspec.Struct, frozen=True):
    """What else counts beside the age."""

    keep: int = 0
    """More events than these go even when they are younger; 0: any number stays."""
    waits: bool = False
    """Whether an event stays, however old it is, that a destination does not have yet."""


NO_LIMITS = PruneLimits()
ShowProgress = Callable[[PruneCounts], None]
"""Told after every step what is gone by now."""


class StepSize:
    """How much one transaction takes: what fits in its time, by how long the one before has taken."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.size = min(FIRST_STEP, most)

    def run(self, step: Callable[[int], T]) -> T:
        """Run a step of this size, and choose that of the next one."""
        started = time.perf_counter()
        result = step(self.size)
        self.learn(time.perf_counter() - started)
        return result

    def learn(self, seconds: float) -> None:
        """At most twice as much as before: a single step that was quick by chance must not make the next one long."""
        fitting = int(self.size * STEP_SECONDS / max(seconds, 1e-6))
        self.size = max(1, min(fitting, 2 * self.size, self._most))


def prune_events(
    store: Store, days: float, limits: PruneLimits = NO_LIMITS, progress: ShowProgress | None = None
) -> PruneCounts:
    """Remove events older than `days`, and the oldest beyond a number; then what `expire` removes.

    Dialogue, state of sessions and agents without a name go with the events of their time; counts of hooks stay.
    The newest event always stays, so that its number is the last one given. Stopped at any moment, nothing is lost
    that should stay, and the next time goes on.
    """
    before = time.time() - days * SECONDS_PER_DAY

    def work(connection: Connection) -> PruneCounts:
        # Free pages are given back below, so they need not be overwritten first: that would write each of them twice.
        connection.execute("PRAGMA secure_delete = FAST").fetchone()
        connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}").fetchone()
        pruning = _Pruning(store, connection, progress or (lambda gone: None))
        return pruning.run(before, limits)

    return store.run_separately(work)


def prune_expired(store: Store) -> PruneCounts:
    """Remove short-lived rows: answers of events that are not journaled, delivered or stale deliveries."""
    return store.run_separately(_delete_expired)


class _Pruning:
    """One run: steps of one transaction each, between which the log is moved down."""

    def __init__(self, store: Store, connection: Connection, progress: ShowProgress) -> None:
        self._store, self._connection, self._progress = store, connection, progress
        self._rows, self._pages = StepSize(ROWS_PER_STEP), StepSize(PAGES_PER_STEP)
        self._gone = PruneCounts()
        self._held = 0
        self._held_after = NEVER_HELD

    def run(self, before: float, limits: PruneLimits) -> PruneCounts:
        newest = int(self._connection.execute("SELECT coalesce(max(id), 0) FROM events").fetchone()[0])
        first = newest - limits.keep if limits.keep else 0
        shipped = outbox.find_held(self._connection) if limits.waits else None
        if shipped is not None:
            self._held_after = shipped
        while self._drop_oldest(before, first):
            pass
        rest = _delete_expired(self._connection)
        for sql in DELETE_OLD_ROWS:
            self._connection.execute(sql, (before,))
        witness.forget_calls(self._connection, max(before, hook_counts.read_mark(self._connection, PRUNED_MARK)))
        basis.delete_old_texts(self._connection, before)
        hook_counts.forget_old_counts(self._connection)
        self._vacuum_free_pages()
        return msgspec.structs.replace(rest, events=self._gone.events, held=self._held, bytes=self._gone.bytes)

    def _drop_oldest(self, before: float, first: int) -> bool:
        """Delete from the front: ids grow with time, so nothing is searched; a clock jump keeps more."""
        rows = self._connection.execute(SELECT_OLDEST, (ROWS_PER_STEP,)).fetchall()
        old = [(id, at) for id, at in rows if at < before or id <= first]
        due, old = old, [(id, at) for id, at in old if id <= self._held_after]
        self._held = len(due) - len(old)
        if not old:
            return False
        # What goes is counted first; what stays is counted in its time, and nobody waits for it here.
        hook_counts.count_events_until(self._connection, old[-1][0])
        is_whole = old == rows
        while old:
            batch = old[: self._rows.size]
            self._drop_batch(batch, is_whole=is_whole)
            old = old[len(batch) :]
        return True

    def _drop_batch(self, batch: list[tuple[int, float]], *, is_whole: bool) -> None:
        def delete(connection: Connection) -> None:
            _delete_batch(connection, batch, is_whole=is_whole)

        self._rows.run(lambda _: run_transaction(self._connection, delete))
        self._store.limit_log(self._connection)
        self._note(events=len(batch))
        time.sleep(STEP_PAUSE)

    def _vacuum_free_pages(self) -> None:
        """Return free pages to the disk in batches. A VACUUM would hold the lock for seconds."""
        size = int(self._connection.execute("PRAGMA page_size").fetchone()[0])
        free = _count_free_pages(self._connection)
        while free:
            # As a script: a single statement is left after its first step, which frees one page.
            self._pages.run(lambda pages: self._connection.executescript(f"PRAGMA incremental_vacuum({pages});"))
            now = _count_free_pages(self._connection)
            if now >= free:
                break  # a file that was made without incremental vacuum
            self._note(bytes=(free - now) * size)
            free = now
            self._store.limit_log(self._connection)
            time.sleep(STEP_PAUSE)

    def _note(self, events: int = 0, bytes: int = 0) -> None:
        self._gone = PruneCounts(events=self._gone.events + events, bytes=self._gone.bytes + bytes)
        self._progress(self._gone)


def _delete_batch(connection: Connection, old: list[tuple[int, float]], *, is_whole: bool) -> None:
    if is_whole:
        connection.execute("DELETE FROM events WHERE id <= ?", (old[-1][0],))
    else:
        connection.executemany("DELETE FROM events WHERE id = ?", [(id,) for id, _ in old])
    newest = max(at for _, at in old)
    if newest > hook_counts.read_mark(connection, PRUNED_MARK):
        connection.execute(hook_counts.WRITE_MARK, (PRUNED_MARK, newest))


def _delete_expired(connection: Connection) -> PruneCounts:
    now = time.time()
    deliveries = hook_counts.repeat_steps(
        lambda: connection.execute(DELETE_DELIVERIES, (now, DELIVERY_LIFETIME, REPEAT_SECONDS, ROWS_PER_STEP)).rowcount
    )
    answers = hook_counts.repeat_steps(
        lambda: connection.execute(DELETE_ANSWERS, (now, REPEAT_SECONDS, ROWS_PER_STEP)).rowcount
    )
    return PruneCounts(deliveries=deliveries, answers=answers)


def _count_free_pages(connection: Connection) -> int:
    return int(connection.execute("PRAGMA freelist_count").fetchone()[0])

"""The words of the journal in a file of their own, so that no event pays for them: caught up between events.

It holds a span of the journal without gaps, which grows at both ends: new events first, then older ones. All of it is
derived: a file that is lost, damaged or of another journal is made again.
"""

import sqlite3  # noqa: TID251 - this is the room it is kept in
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TypeVar

import msgspec

from synaptic.model.errors import StoreError
from synaptic.model.home import Home
from synaptic.store import damage
from synaptic.store.connection import Connection, open_connection, prepare_file, run_transaction
from synaptic.store.db import Row, Store
from synaptic.store.history_words import read_words

T = TypeVar("T")

LOCK_SECONDS = 3.0
"""One that somebody keeps for longer is left alone: who searches makes another one in memory."""
EVENTS_PER_STEP = 250
BYTES_PER_STEP = 8 * 1024 * 1024
LOG_PAGES = 1000
STEP_PAUSE = 0.001
OLDEST_LOOKED_AT = 2000
"""Pruning takes from the front; a clock that has jumped leaves gaps there, among so many events at most."""
MERGED_PAGES = 500
VERSION = 1
"""Of the texts and the table; another one is made again."""

CREATE_TABLES = f"""
CREATE VIRTUAL TABLE history USING fts5 (
    tool, command, prompt, reason, kind, call UNINDEXED, tokenize = 'unicode61 remove_diacritics 2'
);
CREATE TABLE span (first INTEGER NOT NULL, last INTEGER NOT NULL);
INSERT INTO span VALUES (1, 0);
PRAGMA user_version = {VERSION};
"""
READ_NEWER = "SELECT id, call, tool, kind, payload, decision FROM events WHERE id > ? ORDER BY id"
READ_OLDER = "SELECT id, call, tool, kind, payload, decision FROM events WHERE id < ? ORDER BY id DESC"
SELECT_WORDS = "SELECT rowid, tool, command, prompt, reason, kind, call FROM history WHERE rowid = ?"
INSERT_WORDS = "INSERT INTO history (rowid, tool, command, prompt, reason, kind, call) VALUES (?, ?, ?, ?, ?, ?, ?)"


class IndexSpan(msgspec.Struct, frozen=True):
    """The events that the index holds: all from the first to the last; nothing when the first is behind the last."""

    first: int
    last: int

    @property
    def is_empty(self) -> bool:
        return self.first > self.last


class HistoryIndex:
    """The open index; whoever has it open is the only one."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def read_span(self) -> IndexSpan:
        """Which events it holds."""
        return IndexSpan(*self.connection.execute("SELECT first, last FROM span").fetchone())

    def catch_up(self, store: Store, seconds: float) -> bool:
        """Take in what is missing for at most so long; whether it is whole then."""
        end = time.monotonic() + seconds
        self._begin_anew_if_foreign(store)
        while self._take_newer(store) or self._take_older(store):
            time.sleep(STEP_PAUSE)
            if time.monotonic() > end:
                return self._is_whole(store)
        return True

    def drop_pruned(self, store: Store) -> int:
        """Remove the words of events that the journal has no more; how many."""
        kept = store.run_separately(_read_oldest)
        border = kept[-1] if kept else store.run_separately(_read_newest)
        here = self.connection.execute("SELECT rowid FROM history WHERE rowid <= ?", (border,)).fetchall()
        gone = sorted({number for (number,) in here}.difference(kept))
        for at in range(0, len(gone), EVENTS_PER_STEP):
            self._remove(gone[at : at + EVENTS_PER_STEP])
        if gone:
            self._forget_words()
        return len(gone)

    def _remove(self, numbers: list[int]) -> None:
        rows = [(number,) for number in numbers]
        sql = "DELETE FROM history WHERE rowid = ?"
        run_transaction(self.connection, lambda connection: connection.executemany(sql, rows))

    def _forget_words(self) -> None:
        """Words of removed rows stay in the index's own lists until these are merged: in steps, all of them."""
        self._merge(-MERGED_PAGES)
        before = -1
        while self.connection.total_changes - before >= 2:  # as its manual says when nothing is left to merge
            before = self.connection.total_changes
            self._merge(MERGED_PAGES)

    def _merge(self, pages: int) -> None:
        self.connection.execute("INSERT INTO history (history, rank) VALUES ('merge', ?)", (pages,))

    def _begin_anew_if_foreign(self, store: Store) -> None:
        """Empty an index whose last event is another one in this journal, or is not in it: it was made of another."""
        span = self.read_span()
        if span.is_empty:
            return
        known = self.connection.execute("SELECT call FROM history WHERE rowid = ?", (span.last,)).fetchone()
        found = _read_one(store, span.last)
        if found is None and span.last < store.run_separately(_read_ends)[0]:
            return  # pruned before it was followed by others here
        if known is None or found != known[0]:
            raise damage.make_damage("the index is of another journal")

    def _take_newer(self, store: Store) -> int:
        span = self.read_span()
        if span.is_empty:
            return 0  # from the newest back: what is searched for is mostly recent
        rows = _read_step(store, READ_NEWER, span.last)
        return self._add(rows, IndexSpan(span.first, rows[-1][0])) if rows else 0

    def _take_older(self, store: Store) -> int:
        span = self.read_span()
        newest = store.run_separately(_read_newest)
        before = newest + 1 if span.is_empty else span.first
        rows = _read_step(store, READ_OLDER, before)[::-1]
        return self._add(rows, IndexSpan(rows[0][0], newest if span.is_empty else span.last)) if rows else 0

    def _add(self, rows: list[tuple[int, str, str, str, str | None, str]], span: IndexSpan) -> int:
        words = [_make_row(*row) for row in rows]

        def work(connection: Connection) -> None:
            connection.executemany(INSERT_WORDS, words)
            connection.execute("UPDATE span SET first = ?, last = ?", (span.first, span.last))

        run_transaction(self.connection, work)
        return len(rows)

    def _is_whole(self, store: Store) -> bool:
        span = self.read_span()
        first, last = store.run_separately(_read_ends)
        return span.first <= first and span.last >= last


def keep_index_current(home: Home, store: Store, seconds: float) -> None:
    """What is done between events: take in what is new, and forget what was pruned."""

    def work(index: HistoryIndex) -> None:
        index.catch_up(store, seconds)
        index.drop_pruned(store)

    use_index(home, work)


def use_index(home: Home, work: Callable[[HistoryIndex], T]) -> T:
    """Work with the index; one that is damaged is made again, once. Raises StoreError where there can be none."""
    try:
        try:
            with _open_index(home.history_index) as index:
                return work(index)
        except sqlite3.DatabaseError as error:
            if not damage.is_damage(error):
                raise
        with _open_index(home.history_index, is_new=True) as index:
            return work(index)
    except (sqlite3.Error, OSError) as error:
        raise StoreError(f"the index cannot be used: {error}", where=str(home.history_index)) from error


def use_index_in_memory(work: Callable[[HistoryIndex], T]) -> T:
    """The same with an index that ends with its process. Raises StoreError where SQLite has no full-text search."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        connection.executescript(CREATE_TABLES)
        return work(HistoryIndex(connection))
    except sqlite3.Error as error:
        raise StoreError(f"nothing can be searched: {error}", hint="type: synaptic tail -n 100") from error
    finally:
        connection.close()


def copy_rows(index: HistoryIndex, numbers: Sequence[int]) -> Connection:
    """An index in memory with some events of another one."""
    copy = sqlite3.connect(":memory:", isolation_level=None)
    try:
        copy.executescript(CREATE_TABLES)
        rows = (index.connection.execute(SELECT_WORDS, (number,)).fetchone() for number in numbers)
        copy.executemany(INSERT_WORDS, filter(None, rows))
    except BaseException:
        copy.close()
        raise
    return copy


@contextmanager
def _open_index(path: Path, *, is_new: bool = False) -> Iterator[HistoryIndex]:
    with ExitStack() as stack:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        stack.enter_context(damage.lock_database(path, LOCK_SECONDS))
        if is_new:
            _remove_files(path)
        prepare_file(path)
        connection = open_connection(str(path), LOCK_SECONDS)
        stack.callback(connection.close)
        connection.execute(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}").fetchone()
        _prepare_tables(connection, path)
        yield HistoryIndex(connection)


def _prepare_tables(connection: Connection, path: Path) -> None:
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version == VERSION:
        return
    if version or connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        raise damage.make_damage(f"an index of another version: {path}")
    connection.execute("PRAGMA journal_mode = WAL").fetchone()
    connection.executescript(f"BEGIN IMMEDIATE;{CREATE_TABLES}COMMIT;")


def _remove_files(path: Path) -> None:
    for suffix in damage.DATABASE_SUFFIXES:
        Path(f"{path}{suffix}").unlink(missing_ok=True)


def _make_row(number: int, call: str, tool: str, kind: str, payload: str | None, decision: str) -> Row:
    words = read_words(payload, decision)
    return (number, tool, words.command, words.prompt, words.reason, kind, call)


def _read_step(store: Store, sql: str, border: int) -> list[tuple[int, str, str, str, str | None, str]]:
    """The next events, as many as fit in one step."""

    def read(connection: Connection) -> list[tuple[int, str, str, str, str | None, str]]:
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        rows, size = [], 0
        for row in connection.execute(sql, (border,)):
            rows.append(row)
            size += len(row[4] or "") + len(row[5] or "")
            if len(rows) >= EVENTS_PER_STEP or size > BYTES_PER_STEP:
                break
        return rows

    return store.run_separately(read)


def _read_oldest(connection: Connection) -> list[int]:
    rows = connection.execute("SELECT id FROM events ORDER BY id LIMIT ?", (OLDEST_LOOKED_AT,)).fetchall()
    return [row[0] for row in rows]


def _read_newest(connection: Connection) -> int:
    return int(_read_ends(connection)[1])


def _read_ends(connection: Connection) -> tuple[int, int]:
    first, last = connection.execute("SELECT (SELECT min(id) FROM events), (SELECT max(id) FROM events)").fetchone()
    return first or 0, last or 0


def _read_one(store: Store, number: int) -> str | None:
    sql = "SELECT call FROM events WHERE id = ?"
    row = store.run_separately(lambda connection: connection.execute(sql, (number,)).fetchone())
    return str(row[0]) if row else None

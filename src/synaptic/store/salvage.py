"""Build the successor of a damaged database: every row that can still be read, the newest events first."""

import sqlite3  # noqa: TID251 - this is the room it is kept in
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from synaptic.store import schema
from synaptic.store.connection import (
    Connection,
    connect_counted,
    open_connection,
    prepare_file,
    run_transaction,
    set_file_pragmas,
)
from synaptic.store.damage import read_as_damage
from synaptic.store.held_index import IndexUse
from synaptic.store.losses import Loss, record_loss, void_grants

LOCK_TIMEOUT = 1.0
SALVAGE_SECONDS = 4.0
"""How long events are looked for while calls wait; older ones stay in the file that is set aside."""
EVENTS_PER_STEP = 2000
DERIVED_TABLES = frozenset({"ability_pools", "abilities"})
"""Built again from files when they are next asked for."""
LAST_TABLE = "events"
SELECT_TABLES = "SELECT name FROM {}.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"


class Salvage(msgspec.Struct, frozen=True):
    """What could be read of a damaged database."""

    events: int = 0
    is_state_whole: bool = False
    has_all_events: bool = False
    damaged_tables: tuple[str, ...] = ()
    restored: int = 0
    """Answered events that were missing, and that the process knew."""


def build_successor(damaged: Path, successor: Path, restore: Callable[[Connection], int]) -> Salvage:
    """Create a database beside a damaged one with all that is sound in it, and what `restore` adds to that.

    All of it before it has the name: nobody ever reads one without what was answered. Raises what its disk raises.
    """
    _remove_leftovers(successor)
    prepare_file(successor)
    attached = IndexUse(str(damaged))
    fresh = open_connection(str(successor), LOCK_TIMEOUT)
    try:
        set_file_pragmas(fresh)
        schema.migrate_schema(fresh, str(successor))
        fresh.execute("PRAGMA foreign_keys = OFF")  # a row counts even where the one that it names is gone
        fresh.text_factory = lambda raw: raw.decode("utf-8", "replace")  # names and texts may have other bits by now
        saved = _copy_all(fresh, damaged)
        saved = msgspec.structs.replace(saved, restored=run_transaction(fresh, restore))
        if not (saved.is_state_whole and saved.has_all_events):
            # Before it has the name: who opens it next, also after this process was killed, must not believe it.
            record_loss(fresh, _describe_salvage(damaged, saved))
            void_grants(fresh)
        return saved
    finally:
        fresh.close()
        attached.end()


def _describe_salvage(damaged: Path, saved: Salvage) -> Loss:
    what = "events" if saved.is_state_whole else "state"
    return Loss(f"{damaged}: was damaged, and {what} may be missing", state_lost=not saved.is_state_whole)


def copy_open_database(connection: Connection, successor: Path) -> None:
    """Write everything that a connection sees into a new file: its own may have no name any more."""
    _remove_leftovers(successor)
    prepare_file(successor)
    target = connect_counted(successor, LOCK_TIMEOUT)
    try:
        connection.backup(target)
    finally:
        target.close()


def _copy_all(fresh: Connection, damaged: Path) -> Salvage:
    try:
        with read_as_damage():
            fresh.execute("ATTACH ? AS damaged", (str(damaged),))
            there = {name for (name,) in fresh.execute(SELECT_TABLES.format("damaged"))}
    except sqlite3.DatabaseError:
        return Salvage(damaged_tables=("all",))
    wanted = {name for (name,) in fresh.execute(SELECT_TABLES.format("main"))} & there
    tables = sorted(wanted - DERIVED_TABLES - {LAST_TABLE})
    broken = tuple(table for table in tables if not _copy_table(fresh, table))
    events, is_complete = _copy_events(fresh, time.monotonic() + SALVAGE_SECONDS)
    _keep_numbers(fresh)
    fresh.execute("DETACH damaged")
    bad = (*broken, LAST_TABLE) if not is_complete else broken
    return Salvage(events, "state" in wanted and "state" not in broken, is_complete, bad)


def _copy_table(fresh: Connection, table: str) -> bool:
    """Copy a small table whole, or what is readable from both of its ends; whether it was whole."""
    is_sound = _is_sound(fresh, table)
    columns = _choose_columns(fresh, table)
    if columns is None:
        return False
    into, source = columns
    try:
        fresh.execute(f"INSERT OR IGNORE INTO main.{table} ({into}) SELECT {source} FROM damaged.{table}")
    except sqlite3.DatabaseError:
        for rows in _read_both_ends(fresh, table, source):
            marks = ", ".join("?" * (into.count(",") + 1))
            fresh.executemany(f"INSERT OR IGNORE INTO main.{table} ({into}) VALUES ({marks})", rows)
        return False
    return is_sound


def _is_sound(fresh: Connection, table: str) -> bool:
    """Whether the pages of a table are: rows may be missing where nothing fails."""
    try:
        with read_as_damage():
            return bool(fresh.execute(f"PRAGMA damaged.integrity_check({table})").fetchone() == ("ok",))
    except sqlite3.DatabaseError:
        return False


def _read_both_ends(fresh: Connection, table: str, names: str) -> Iterator[list[tuple[object, ...]]]:
    key = ", ".join(row[1] for row in fresh.execute(f"PRAGMA main.table_info({table})") if row[5]) or "rowid"
    for order in (key, ", ".join(f"{column} DESC" for column in key.split(", "))):
        found: list[tuple[object, ...]] = []
        try:
            for row in fresh.execute(f"SELECT {names} FROM damaged.{table} ORDER BY {order}"):
                found.append(row)
        except sqlite3.DatabaseError:
            pass
        yield found


def _copy_events(fresh: Connection, end: float) -> tuple[int, bool]:
    """Copy events in ranges of numbers, the newest first; a range with damage is halved down to the row."""
    columns = _choose_columns(fresh, LAST_TABLE)
    if columns is None:
        return 0, False
    into, source = columns
    copy = (
        f"INSERT OR IGNORE INTO main.events ({into}) SELECT {source} FROM damaged.events "
        "WHERE rowid > ? AND rowid <= ? ORDER BY rowid DESC"
    )
    copied, is_complete = 0, True
    ranges = _list_ranges(fresh)
    while ranges:
        low, high = ranges.pop()
        if time.monotonic() > end:
            return copied, False
        try:
            copied += fresh.execute(copy, (low, high)).rowcount
        except sqlite3.DatabaseError:
            is_complete = False
            middle = (low + high) // 2
            ranges += [(low, middle), (middle, high)] if high - low > 1 else []
    return copied, is_complete


def _list_ranges(fresh: Connection) -> list[tuple[int, int]]:
    """The ranges of numbers that may have events, the newest last."""
    last = _read_number(fresh, "SELECT seq FROM damaged.sqlite_sequence WHERE name = 'events'")
    last = max(last, _read_number(fresh, "SELECT max(rowid) FROM damaged.events"))
    first = _read_number(fresh, "SELECT min(rowid) FROM damaged.events")
    starts = range(max(first - 1, 0), last, EVENTS_PER_STEP)
    return [(start, min(start + EVENTS_PER_STEP, last)) for start in starts]


def _read_number(fresh: Connection, sql: str) -> int:
    try:
        row = fresh.execute(sql).fetchone()
    except sqlite3.DatabaseError:
        return 0
    return row[0] if row and isinstance(row[0], int) else 0


def _keep_numbers(fresh: Connection) -> None:
    """No number is given a second time, whichever rows are gone."""
    last = _read_number(fresh, "SELECT seq FROM damaged.sqlite_sequence WHERE name = 'events'")
    known = _read_number(fresh, "SELECT seq FROM main.sqlite_sequence WHERE name = 'events'")
    if last > known:
        fresh.execute("DELETE FROM main.sqlite_sequence WHERE name = 'events'")
        fresh.execute("INSERT INTO main.sqlite_sequence (name, seq) VALUES ('events', ?)", (last,))


def _choose_columns(fresh: Connection, table: str) -> tuple[str, str] | None:
    """Into which columns, and from which: by their place, as names may be damaged; by name from an older version."""
    mine = [row[1] for row in fresh.execute(f"PRAGMA main.table_info({table})")]
    try:
        theirs = [row[1] for row in fresh.execute(f"PRAGMA damaged.table_info({table})")]
    except sqlite3.DatabaseError:
        return None
    if len(mine) == len(theirs):
        return ", ".join(mine), "*"
    names = ", ".join(name for name in mine if name in theirs)
    return (names, names) if names else None


def _remove_leftovers(successor: Path) -> None:
    """Of one who was killed while building."""
    for suffix in ("", "-wal", "-shm"):
        Path(f"{successor}{suffix}").unlink(missing_ok=True)

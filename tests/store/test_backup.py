"""Every schema that was ever released comes forward with its rows, after a copy of it was kept."""

import asyncio
import errno
import json
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from synaptic.daemon.client import new_call_id
from synaptic.engine.walk import open_engine
from synaptic.model.call import Request
from synaptic.model.errors import StoreError
from synaptic.model.home import Home
from synaptic.setup.doctor import check_database
from synaptic.store import backup, journal, schema
from synaptic.store.db import Store

RELEASED = range(1, schema.find_latest_version())
TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
ALLOWED = {"lifecycle": "active", "status": "working"}
"""Columns that take only certain words."""
SINGLE_ROWS = {"pin"}
"""Tables that hold one row."""
NEWER = schema.find_latest_version() + 1


def build_database(home: Home, version: int) -> dict[str, list[tuple[Any, ...]]]:
    """A database as a program of this schema left it, three rows in each table that may have so many; what is in it."""
    home.root.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(home.database, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        for number, script in schema._read_scripts():
            if number <= version:
                schema._apply_script(connection, number, script)
        for (table,) in connection.execute(TABLES).fetchall():
            for number in (1,) if table in SINGLE_ROWS else (1, 2, 3):
                insert_row(connection, table, number)
        return {table: read_rows(connection, table) for (table,) in connection.execute(TABLES).fetchall()}
    finally:
        connection.close()


def insert_row(connection: sqlite3.Connection, table: str, number: int) -> None:
    columns = connection.execute(f"PRAGMA table_info({table})").fetchall()
    values = [make_value(name, kind, number) for _, name, kind, *_ in columns]
    connection.execute(f"INSERT OR IGNORE INTO {table} VALUES ({', '.join('?' * len(values))})", values)


def make_value(name: str, kind: str, number: int) -> object:
    if name in ALLOWED:
        return ALLOWED[name]
    return {"INTEGER": number, "REAL": number + 0.5, "BLOB": b"%d" % number}.get(kind, f"{name}-{number}")


def read_rows(connection: sqlite3.Connection, table: str, columns: str = "*") -> list[tuple[Any, ...]]:
    return connection.execute(f"SELECT {columns} FROM {table} ORDER BY 1, 2").fetchall()


def list_columns(connection: sqlite3.Connection, table: str) -> str:
    return ", ".join(f'"{row[1]}"' for row in connection.execute(f"PRAGMA table_info({table})"))


@pytest.mark.parametrize("version", RELEASED)
def test_a_database_of_every_released_schema_comes_forward_with_all_its_rows(home: Home, version: int) -> None:
    before = build_database(home, version)
    old = sqlite3.connect(home.database)
    columns = {table: list_columns(old, table) for table in before}
    old.close()
    store = Store.open(home)
    try:
        assert store.durable
        assert store.read(schema.read_schema_version) == schema.find_latest_version()
        assert store.read(schema.is_shape_whole)
        for table, rows in before.items():
            assert store.read(lambda reader, table=table: read_rows(reader, table, columns[table])) == rows, table
    finally:
        store.close()


@pytest.mark.parametrize("version", RELEASED)
def test_a_copy_of_it_is_kept_first_and_is_a_whole_database_of_that_schema(home: Home, version: int) -> None:
    before = build_database(home, version)
    Store.open(home).close()
    (copy,) = backup.list_copies(home.database)
    assert copy.stat().st_mode & 0o777 == 0o600
    kept = sqlite3.connect(copy)
    try:
        assert schema.read_schema_version(kept) == version
        assert kept.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert {table: read_rows(kept, table) for table in before} == before
    finally:
        kept.close()


def test_the_last_two_copies_are_kept_and_nothing_else_is_touched(home: Home) -> None:
    build_database(home, 1)
    own = home.root / "synaptic.db.mine"
    own.write_text("x")
    for _ in range(4):
        shutil.copy(home.database, home.root / "first")
        Store.open(home).close()
        for file in home.root.glob("synaptic.db*"):
            if file != own and backup.NAME_PART not in file.name:
                file.unlink()
        (home.root / "first").rename(home.database)
    assert len(backup.list_copies(home.database)) == 2
    assert own.read_text() == "x"


def test_a_new_database_and_one_that_is_as_it_should_be_are_not_copied(home: Home) -> None:
    Store.open(home).close()
    Store.open(home).close()
    assert backup.list_copies(home.database) == ()


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No file can be made: the system says so when the copy is begun."""
    whole = backup.os.open

    def refuse(path: Any, flags: int, *mode: int) -> int:
        if backup.NAME_PART in str(path):
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        return whole(path, flags, *mode)

    monkeypatch.setattr(backup.os, "open", refuse)
    yield


def test_without_room_for_a_copy_nothing_is_changed_and_the_message_says_what_to_do(
    home: Home, full_disk: None
) -> None:
    build_database(home, 3)
    with pytest.raises(StoreError, match=r"stays at version 3.*No space left.*df .*synaptic up"):
        Store.open(home)
    connection = sqlite3.connect(home.database)
    assert schema.read_schema_version(connection) == 3
    assert backup.list_copies(home.database) == ()
    (found,) = check_database(home)
    assert (found.state, "version 3" in found.seen, "df " in found.fix) == ("fail", True, True)


def test_a_disk_that_fills_up_while_it_is_copied_leaves_no_half_copy(home: Home) -> None:
    build_database(home, 3)
    source = sqlite3.connect(home.database, isolation_level=None)

    class Filling:
        """A connection whose copy fails half way."""

        def backup(self, target: sqlite3.Connection) -> None:
            target.execute("CREATE TABLE half (id INTEGER)")
            error = sqlite3.OperationalError("database or disk is full")
            error.sqlite_errorcode = sqlite3.SQLITE_FULL
            raise error

    with pytest.raises(StoreError, match="disk is full"):
        backup.keep_copy(Filling(), home.database, 3)  # type: ignore[arg-type]
    assert list(home.root.glob(f"*{backup.NAME_PART}*")) == []
    assert schema.read_schema_version(source) == 3


def judge(home: Home, project: Path, command: str) -> str:
    payload = {"session_id": "s", "cwd": str(project), "hook_event_name": "PreToolUse", "tool_name": "Bash"}
    stdin = json.dumps({**payload, "tool_input": {"command": command}}).encode()
    request = Request(agent="claude", event="PreToolUse", stdin=stdin, id=new_call_id(), env={"HOME": str(home.root)})

    async def ask() -> bytes:
        engine = open_engine(home)
        try:
            return (await engine.answer(request)).stdout
        finally:
            await engine.close()

    out = asyncio.run(ask())
    return json.loads(out)["hookSpecificOutput"].get("permissionDecision", "") if out else ""


def test_beside_a_newer_database_the_guard_judges_and_leaves_it_alone(home: Home, tmp_path: Path) -> None:
    build_database(home, schema.find_latest_version())
    connection = sqlite3.connect(home.database)
    connection.execute(f"PRAGMA user_version = {NEWER}")
    connection.close()
    before = home.database.read_bytes()
    (tmp_path / "project" / ".git").mkdir(parents=True)
    assert judge(home, tmp_path / "project", "git reset --hard HEAD~3") in ("deny", "ask")
    assert judge(home, tmp_path / "project", "ls") == ""
    assert home.database.read_bytes() == before
    (found,) = check_database(home)
    assert (found.state, f"version {NEWER}" in found.seen) == ("fail", True)
    assert "synaptic upgrade --self" in found.fix
    assert f"mv {home.database}" in found.fix


def test_without_room_for_a_copy_the_guard_judges_all_the_same(home: Home, tmp_path: Path, full_disk: None) -> None:
    build_database(home, 3)
    (tmp_path / "project" / ".git").mkdir(parents=True)
    assert judge(home, tmp_path / "project", "git reset --hard HEAD~3") in ("deny", "ask")
    assert sqlite3.connect(home.database).execute("PRAGMA user_version").fetchone() == (3,)


def test_what_was_taken_back_from_a_copy_is_a_journal_again(home: Home, record: Any) -> None:
    store = Store.open(home)
    journal.append_records(store, [record()])
    copy = store.read(lambda connection: backup.keep_copy(connection, home.database, schema.find_latest_version()))
    store.close()
    for file in home.root.glob("synaptic.db*"):
        if file != copy:
            file.unlink()
    copy.rename(home.database)
    again = Store.open(home)
    assert journal.count_events(again) == 1
    again.close()

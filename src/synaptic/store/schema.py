"""Schema migrations: numbered SQL files, applied in order, each in its own transaction."""

import sqlite3  # noqa: TID251 - this is the room it is kept in
from functools import cache
from pathlib import Path

from synaptic.model.errors import StoreError

MIGRATIONS = Path(__file__).parent / "migrations"
SELECT_SHAPE = """
SELECT CAST(t.name AS BLOB), CAST(c.name AS BLOB) FROM sqlite_master t, pragma_table_info(t.name) c
WHERE t.type = 'table' UNION ALL
SELECT CAST(t.name AS BLOB), CAST(i.name || i."unique" AS BLOB) FROM sqlite_master t, pragma_index_list(t.name) i
WHERE t.type = 'table'
"""
"""Tables with their columns and indexes; as bytes, for damaged names may be no text."""


def read_schema_version(connection: sqlite3.Connection) -> int:
    """Read the schema version of a database; 0 when it is new."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def find_latest_version() -> int:
    """The newest schema version that this program knows."""
    return _read_scripts()[-1][0]


def refuse_newer(connection: sqlite3.Connection, where: str) -> None:
    """Raises StoreError for a database that a newer program wrote, before anything is changed in it."""
    version = read_schema_version(connection)
    if version > find_latest_version():
        raise StoreError(
            f"a newer program wrote the database (version {version}), this one knows {find_latest_version()}",
            where=where,
            hint=f"type: synaptic upgrade --self, or start a new one: mv {where} {where}.newer",
        )


def migrate_schema(connection: sqlite3.Connection, where: str) -> None:
    """Bring a database to the latest version; one that a newer program wrote is refused untouched."""
    refuse_newer(connection, where)
    version = read_schema_version(connection)
    for number, script in _read_scripts():
        if number > version:
            _apply_script(connection, number, script)


def is_shape_whole(connection: sqlite3.Connection) -> bool:
    """Whether a database of the latest version has every table, column and index that the migrations make.

    Other bits in a name are no damage to SQLite: it reads them as another name, and our statements fail.
    """
    if read_schema_version(connection) != find_latest_version():
        return True  # nobody knows what it had
    return _read_latest_shape() <= set(connection.execute(SELECT_SHAPE))


@cache
def _read_latest_shape() -> frozenset[tuple[bytes, bytes]]:
    fresh = sqlite3.connect(":memory:", isolation_level=None)
    try:
        migrate_schema(fresh, ":memory:")
        return frozenset(fresh.execute(SELECT_SHAPE))
    finally:
        fresh.close()


def _apply_script(connection: sqlite3.Connection, number: int, script: str) -> None:
    try:
        # The version is set in the same transaction: a killed migration is repeated as a whole or not at all.
        connection.executescript(f"BEGIN IMMEDIATE;\n{script}\nPRAGMA user_version = {number};\nCOMMIT;")
    except sqlite3.Error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@cache
def _read_scripts() -> tuple[tuple[int, str], ...]:
    files = sorted(MIGRATIONS.glob("[0-9][0-9][0-9][0-9]_*.sql"))
    return tuple((int(file.name[:4]), file.read_text(encoding="utf-8")) for file in files)

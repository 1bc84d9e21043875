"""Schema migrations: numbered SQL files, applied in order, each in its own transaction."""

import sqlite3  # noqa: TID251 - this is the room it is kept in
from functools import cache
from pathlib import Path

from synaptic.model.errors import StoreError

MIGRATIONS = Path(__file__).parent / "migrations"


def current(connection: sqlite3.Connection) -> int:
    """Read the schema version of a database; 0 when it is new."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def latest() -> int:
    """The newest schema version that this program knows."""
    return _scripts()[-1][0]


def refuse_newer(connection: sqlite3.Connection, where: str) -> None:
    """Raises StoreError for a database that a newer program wrote, before anything is changed in it."""
    version = current(connection)
    if version > latest():
        raise StoreError(
            f"the database has version {version}, this program knows {latest()}",
            where=where,
            hint="upgrade synaptic-hooks, or move the file away",
        )


def migrate(connection: sqlite3.Connection, where: str) -> None:
    """Bring a database to the latest version; one that a newer program wrote is refused untouched."""
    refuse_newer(connection, where)
    version = current(connection)
    for number, script in _scripts():
        if number > version:
            _apply(connection, number, script)


def _apply(connection: sqlite3.Connection, number: int, script: str) -> None:
    try:
        # The version is set in the same transaction: a killed migration is repeated as a whole or not at all.
        connection.executescript(f"BEGIN IMMEDIATE;\n{script}\nPRAGMA user_version = {number};\nCOMMIT;")
    except sqlite3.Error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@cache
def _scripts() -> tuple[tuple[int, str], ...]:
    files = sorted(MIGRATIONS.glob("[0-9][0-9][0-9][0-9]_*.sql"))
    return tuple((int(file.name[:4]), file.read_text(encoding="utf-8")) for file in files)

"""Connections to a database file: their settings, the file's permissions, and one transaction."""

import os
import sqlite3  # noqa: TID251 - this is the room it is kept in
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import TypeVar

from synaptic.store.held_index import IndexUse

Connection = sqlite3.Connection
T = TypeVar("T")

PAGE_SIZE = 2048
"""Whole pages go into the log: small ones make a commit of one event a third cheaper than 4096 (measured)."""
KEPT_LOG_BYTES = 4 * 1024 * 1024
"""What a log that starts anew keeps of its file."""


_creating = Lock()


class CountedConnection(sqlite3.Connection):
    """A connection that counts as a user of its database until it is closed."""

    use: IndexUse | None = None

    def close(self) -> None:
        """Close the connection first: what it locks must not be dropped before."""
        super().close()
        if self.use is not None:
            self.use.end()


def connect_counted(name: str | Path, patience: float) -> Connection:
    """Open a connection as all connections to a database file must be: one that is not counted may lose its locks."""
    use = IndexUse(str(name))
    try:
        # Statements outside `run_transaction` commit by themselves; the lock of the store serialises threads.
        connection = sqlite3.connect(
            name, timeout=patience, isolation_level=None, check_same_thread=False, factory=CountedConnection
        )
    except BaseException:
        use.end()
        raise
    connection.use = use
    return connection


def open_connection(name: str, patience: float) -> Connection:
    """Open a connection that waits this long for others' locks."""
    connection = connect_counted(name, patience)
    try:
        # wal_autocheckpoint = 0: the daemon checkpoints between events, so that no event pays for the fsync.
        # secure_delete: what was pruned must not stay readable in free pages.
        for setting in (
            "synchronous = NORMAL",
            "foreign_keys = ON",
            "wal_autocheckpoint = 0",
            f"journal_size_limit = {KEPT_LOG_BYTES}",
            "secure_delete = ON",
        ):
            connection.execute(f"PRAGMA {setting}").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def set_file_pragmas(connection: Connection) -> None:
    """Set the pragmas that are stored in the file; they only take effect before the first table is created."""
    for setting in (f"page_size = {PAGE_SIZE}", "auto_vacuum = INCREMENTAL", "journal_mode = WAL"):
        connection.execute(f"PRAGMA {setting}").fetchone()


def prepare_file(path: Path) -> None:
    """Create folder and file readable by the user only; SQLite gives the log the mode of the file."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        with _creating:  # another thread finds the file before it is closed here, and must not lock it by then
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
    except FileExistsError:
        # Never opened here: closing such a descriptor would drop the locks of SQLite's own.
        _tighten_mode(path, 0o600)
    _tighten_mode(path.parent, 0o700)
    if not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        raise PermissionError(13, "no permission to write", str(path))


def run_transaction(connection: Connection, work: Callable[[Connection], T]) -> T:
    """Run some work in one transaction; any exception rolls it back."""
    # IMMEDIATE takes the write lock first: a read that turns into a write would fail with BUSY without waiting.
    connection.execute("BEGIN IMMEDIATE")
    try:
        result = work(connection)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return result


def _tighten_mode(path: Path, mode: int) -> None:
    found = path.stat()
    if found.st_uid == os.getuid() and found.st_mode & 0o777 & ~mode:
        path.chmod(mode)

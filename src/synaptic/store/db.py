"""Open, upgrade and repair the database; its failures are StoreErrors that callers answer without it."""

import os
import sqlite3  # noqa: TID251 - this is the room it is kept in
from collections.abc import Callable
from pathlib import Path
from threading import RLock
from typing import Any, TypeVar

from synaptic.model.errors import StoreError
from synaptic.model.home import Home
from synaptic.store import damage, schema

Connection = sqlite3.Connection
Row = tuple[object, ...]
Version = tuple[int, int, int]
NO_VERSION: Version = (-1, -1, -1)
T = TypeVar("T")

LOCK_TIMEOUT = 1.0
"""Seconds a write waits for another process's lock. Writes take under a millisecond, so more means a stuck one."""
OPEN_LOCK_TIMEOUT = 10.0
PAGE_SIZE = 2048
"""Whole pages go into the log: small ones make a commit of one event a third cheaper than 4096 (measured)."""
LARGE_LOG_BYTES = 64 * 1024 * 1024
MEMORY_PAGES = 64 * 1024 * 1024 // PAGE_SIZE
"""Upper bound for a database in memory (64 MB); beyond it writes are refused."""
SQLITE_REASONS = {
    sqlite3.SQLITE_FULL: ("the disk is full", "free some space, or run `synaptic prune`"),
    sqlite3.SQLITE_READONLY: ("the database is read-only", "check the permissions with `synaptic doctor`"),
    sqlite3.SQLITE_CANTOPEN: ("the database cannot be opened", "check the permissions with `synaptic doctor`"),
    sqlite3.SQLITE_BUSY: ("another program keeps the database locked", "close it, or run `synaptic doctor`"),
    sqlite3.SQLITE_LOCKED: ("another program keeps the database locked", "close it, or run `synaptic doctor`"),
    sqlite3.SQLITE_IOERR: ("the disk failed while reading or writing", "check the disk, then `synaptic doctor`"),
}


class Store:
    """One process's access to the database. Threads may share it; every call is one transaction.

    `read` and `write` raise StoreError when the database cannot be used: the caller answers without it, and the next
    call tries again. A damaged file is replaced by a fresh one, the call is repeated there, and `notices` tells.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.notices: list[str] = []
        """What a person should be told, once, at the next SessionStart and by doctor."""
        self.generation = 0
        """Grows whenever what was read before may no longer hold."""
        self.durable = False
        """False while everything is in memory only."""
        self.trouble = ""
        """Why it is not durable."""
        self._caches: dict[type, Any] = {}
        self._own_writes = 0
        self._name = str(path)
        self._lock = RLock()
        self._inode: damage.Inode | None = None
        self._connection: Connection

    @classmethod
    def open(cls, home: Home) -> "Store":
        """The user's database, or one in memory (with a notice) where there cannot be a file.

        Raises StoreError for a database that a newer version wrote: it is left alone.
        """
        store = cls(home.database)
        try:
            store._open()
        except (OSError, sqlite3.Error) as error:
            store._open_memory(store._to_store_error(error))
        return store

    @classmethod
    def open_in_memory(cls, home: Home, trouble: StoreError) -> "Store":
        """A database for this process alone, with the notice why."""
        store = cls(home.database)
        store._open_memory(trouble)
        return store

    def cache(self, kind: type[T]) -> T:
        """What a module keeps in memory about this database, in a class of its own; made when it first asks."""
        found: T | None = self._caches.get(kind)
        if found is None:
            found = self._caches[kind] = kind()
        return found

    def version(self, connection: Connection) -> Version:
        """Changes whenever something that was read before may no longer hold.

        The file may be another one, this process may have written, another one may have committed (data_version).
        """
        return self.generation, self._own_writes, connection.execute("PRAGMA data_version").fetchone()[0]

    def read(self, work: Callable[[Connection], T]) -> T:
        """Run SELECT statements under the lock and return their result."""
        with self._lock:
            return self._run_guarded(work)

    def write(self, work: Callable[[Connection], T], *, follows: bool = False) -> T:
        """The result of some statements that happen together or not at all.

        What was read before counts as old afterwards, unless the caller `follows` its changes in every cache.
        """
        with self._lock:
            if not follows:
                self._own_writes += 1
            # A write to a file that another process has renamed would succeed and be lost.
            if self.durable and damage.read_inode(self._name) != self._inode:
                self._reopen_moved()
            return self._run_guarded(lambda connection: run_transaction(connection, work))

    def checkpoint(self) -> None:
        """Move the log into the database, from a background thread: its fsync must not happen inside an event."""
        if not self.durable:
            self._try_disk()
            return
        try:
            self.run_separately(self._checkpoint_log)
        except StoreError:
            return  # the log stays as it is, and the next tick tries again

    def run_separately(self, work: Callable[[Connection], T]) -> T:
        """Slow work on a connection of its own, so that events do not wait for it. In memory there is only one."""
        if not self.durable:
            return self.read(work)
        try:
            connection = _open_connection(self._name, LOCK_TIMEOUT)
            try:
                return work(connection)
            finally:
                connection.close()
        except sqlite3.Error as error:
            raise self._to_store_error(error) from error

    def close(self) -> None:
        """Close the connection; SQLite empties the log when the last process closes."""
        with self._lock:
            self._connection.close()

    def _open(self) -> None:
        _prepare_file(self.path)
        self._inode = damage.read_inode(self._name)
        try:
            self._connect()
        except sqlite3.Error as error:
            if not damage.is_damage(error):
                raise
            self._replace_damaged(error)

    def _connect(self) -> None:
        connection = _open_connection(self._name, OPEN_LOCK_TIMEOUT)
        try:
            if schema.read_schema_version(connection) != schema.find_latest_version():
                # Before the lock and the pragmas: a database of a newer version must not be changed in any way.
                schema.refuse_newer(connection, self._name)
                with damage.lock_database(self.path):
                    _set_file_pragmas(connection)
                    schema.migrate_schema(connection, self._name)
            # SQLite opens lazily: without a read of a real table a damaged file would only be noticed inside an event.
            connection.execute("SELECT 1 FROM events LIMIT 1").fetchone()
        except BaseException:
            connection.close()
            raise
        # Opening may wait for a migration in another process; from here on an agent is waiting for the answer.
        connection.execute(f"PRAGMA busy_timeout = {int(LOCK_TIMEOUT * 1000)}")
        self._use_connection(connection, durable=True)

    def _use_connection(self, connection: Connection, *, durable: bool) -> None:
        self._connection, self.durable = connection, durable
        self._inode = damage.read_inode(self._name) if durable else None
        self.generation += 1

    def _open_memory(self, trouble: StoreError) -> None:
        connection = _open_connection(":memory:", LOCK_TIMEOUT)
        connection.execute(f"PRAGMA max_page_count = {MEMORY_PAGES}")
        schema.migrate_schema(connection, self._name)
        self._use_connection(connection, durable=False)
        self.trouble = str(trouble)
        self.notices.append(f"{trouble}: events are kept in memory only")

    def _try_disk(self) -> None:
        with self._lock:
            memory = self._connection
            try:
                self._open()
            except (OSError, sqlite3.Error, StoreError):
                return  # still no file; memory goes on
            memory.close()
            self.notices.append(f"{self._name}: events are kept on disk again")

    def _reopen_moved(self) -> None:
        """Reopen the path: the file there is no longer ours (another process moved it aside, or it was deleted)."""
        gone = damage.read_inode(self._name) is None
        try:
            self._connection.close()
            if gone:
                with damage.lock_database(self.path):
                    # Only a left-over log can be there: replayed into the fresh database it would damage it.
                    damage.set_database_aside(self.path, None)
                self.notices.append(f"{self._name}: was deleted while in use; a fresh one was started")
            self._open()
        except (OSError, sqlite3.Error) as error:
            self._open_memory(self._to_store_error(error))

    def _replace_damaged(self, error: sqlite3.Error) -> None:
        with damage.lock_database(self.path):
            aside = damage.set_database_aside(self.path, self._inode)
        _prepare_file(self.path)
        self._connect()
        if aside:
            self.notices.append(
                f"{self._name}: was damaged ({error}); moved to {aside.name}, a fresh one was started "
                "(trusted projects must be trusted again: `synaptic trust`)"
            )

    def _run_guarded(self, work: Callable[[Connection], T]) -> T:
        try:
            return work(self._connection)
        except sqlite3.Error as error:
            if not (self.durable and damage.is_damage(error)):
                raise self._to_store_error(error) from error
            return self._retry_on_fresh(work, error)

    def _retry_on_fresh(self, work: Callable[[Connection], T], error: sqlite3.Error) -> T:
        try:
            self._connection.close()
            self._replace_damaged(error)
        except (OSError, sqlite3.Error) as worse:
            self._open_memory(self._to_store_error(worse))
        try:
            return work(self._connection)
        except sqlite3.Error as worse:
            raise self._to_store_error(worse) from worse

    def _checkpoint_log(self, connection: Connection) -> None:
        # PASSIVE never blocks writers; TRUNCATE does for a moment, so only when the log has grown large.
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        log = Path(f"{self._name}-wal")
        if log.exists() and log.stat().st_size > LARGE_LOG_BYTES:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()

    def _to_store_error(self, error: Exception) -> StoreError:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        message, hint = SQLITE_REASONS.get(code, (str(error), "run `synaptic doctor`"))
        if isinstance(error, OSError):
            message = f"the database cannot be opened ({error.strerror or error})"
        return StoreError(message, where=self._name, hint=hint)


def _open_connection(name: str, patience: float) -> Connection:
    # Statements outside `transact` commit by themselves; the lock above serialises threads.
    connection = sqlite3.connect(name, timeout=patience, isolation_level=None, check_same_thread=False)
    # wal_autocheckpoint = 0: the daemon checkpoints between events, so that no event pays for the fsync.
    # secure_delete: what was pruned must not stay readable in free pages.
    for setting in ("synchronous = NORMAL", "foreign_keys = ON", "wal_autocheckpoint = 0", "secure_delete = ON"):
        connection.execute(f"PRAGMA {setting}").fetchone()
    return connection


def _set_file_pragmas(connection: Connection) -> None:
    """Set the pragmas that are stored in the file; they only take effect before the first table is created."""
    for setting in (f"page_size = {PAGE_SIZE}", "auto_vacuum = INCREMENTAL", "journal_mode = WAL"):
        connection.execute(f"PRAGMA {setting}").fetchone()


def _prepare_file(path: Path) -> None:
    """Create folder and file readable by the user only; SQLite gives the log the mode of the file."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
    except FileExistsError:
        # Never opened here: closing such a descriptor would drop the locks of SQLite's own.
        _tighten_mode(path, 0o600)
    _tighten_mode(path.parent, 0o700)
    if not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        raise PermissionError(13, "no permission to write", str(path))


def _tighten_mode(path: Path, mode: int) -> None:
    found = path.stat()
    if found.st_uid == os.getuid() and found.st_mode & 0o777 & ~mode:
        path.chmod(mode)


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

"""Read and write the database; its failures are StoreErrors that callers answer without it."""

import sqlite3  # noqa: TID251 - this is the room it is kept in
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import RLock
from typing import Any, TypeVar

from synaptic.model.errors import StoreError
from synaptic.model.home import Home
from synaptic.store import damage
from synaptic.store.connection import Connection, open_connection, run_transaction
from synaptic.store.integrity import Doubt, Soundness, examine_database, read_stamp
from synaptic.store.opened import LOCK_TIMEOUT, OpenedDatabase

__all__ = ["NO_VERSION", "Connection", "Row", "Store", "Version", "run_transaction"]

Row = tuple[object, ...]
Version = tuple[int, int, int]
NO_VERSION: Version = (-1, -1, -1)
T = TypeVar("T")

LARGE_LOG_BYTES = 8 * 1024 * 1024
"""A log that upkeep and long work move down."""
MAX_LOG_BYTES = 32 * 1024 * 1024
"""A log that the next write moves down itself: nobody else does."""
MOVE_AGAIN_SECONDS = 1.0
EXAMINE_SECONDS = 120.0
"""How long a database is examined between events."""
EXAMINED_DOUBTS = (Doubt.CHANGED, Doubt.UNEXAMINED)


class Store(OpenedDatabase):
    """One process's access to the database. Threads may share it; every call is one transaction.

    `read` and `write` raise StoreError when the database cannot be used: the caller answers without it, and the next
    call tries again. Files that are damaged or no longer ours are repaired, the call is repeated, and `notices` tells.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._caches: dict[type, Any] = {}
        self._own_writes = 0
        self._move_again = 0.0
        self._lock = RLock()

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
            if self._is_closed or self._unfinished:
                self._repair_further()
            return self._run_guarded(work)

    def write(self, work: Callable[[Connection], T], *, follows: bool = False) -> T:
        """The result of some statements that happen together or not at all.

        What was read before counts as old afterwards, unless the caller `follows` its changes in every cache.
        """
        with self._lock:
            if self._is_closed or self._unfinished:
                self._repair_further()
            if not follows:
                self._own_writes += 1
            if self._misses_folder and self.path.parent.is_dir():
                self._misses_folder = False
                self._try_disk()  # the home is back: what is answered from now on need not wait for the next checkpoint
            if not self.durable:
                return self._run_guarded(lambda connection: run_transaction(connection, work))
            return self._write_watched(work)

    def checkpoint(self) -> None:
        """Move the log into the database, from a background thread: its fsync must not happen inside an event."""
        if not self.durable:
            self._try_disk()
            return
        with suppress(StoreError):  # the log stays as it is, and the next tick tries again
            self._settle_before_checkpoint()
            self.run_separately(self._checkpoint_log)

    def limit_log(self, connection: Connection) -> None:
        """Between two steps of a long work on a connection of its own: move the log down when it has grown."""
        if self.durable and self._measure_log() > LARGE_LOG_BYTES:
            self._settle_before_checkpoint()
            self._checkpoint_log(connection)

    def run_separately(self, work: Callable[[Connection], T]) -> T:
        """Slow work on a connection of its own, so that events do not wait for it. In memory there is only one."""
        if not self.durable:
            return self.read(work)
        try:
            connection = self._connect_separately()
            try:
                return work(connection)
            finally:
                connection.close()
        except sqlite3.Error as error:
            raise self._to_store_error(error) from error

    def close(self) -> None:
        """Close the connection; SQLite empties the log when the last process closes, so it is looked at before."""
        with self._lock:
            with suppress(StoreError):
                if self._is_closed or self._unfinished:
                    self._repair_further()
                if self.durable and self._watch.has_log and (doubt := self._watch.look()):
                    self._settle(doubt)
            self._close_connection()
            self._is_closed, self._unfinished = False, [_refuse_closed]

    def _connect_separately(self) -> Connection:
        return open_connection(self._name, LOCK_TIMEOUT)

    def _write_watched(self, work: Callable[[Connection], T]) -> T:
        """Write to the file: to one or a log that has lost its name a write would succeed and be lost."""
        has_begun = False

        def begin(connection: Connection) -> T:
            nonlocal has_begun
            has_begun = True
            self._note_version(connection)
            return work(connection)

        if doubt := self._watch.look():
            self._settle(doubt)
        try:
            return self._run_guarded(lambda connection: run_transaction(connection, begin))
        finally:
            if has_begun:  # what happened to the log while somebody else had it locked is no doing of ours
                self._look_after_commit()

    def _look_after_commit(self) -> None:
        """Note the log as it is now: the next write compares. What may have to be done is rare."""
        if not self.durable:
            return
        if doubt := self._watch.note_commit():
            with suppress(StoreError):  # the commit has happened; the next call goes on with the repair
                self._settle(doubt)
            # Whoever wrote keeps its records only now: what could not be saved of them is written again, too.
            self._unfinished[:0] = [self._write_missing] if self.durable else []
        elif self._watch.log_bytes > MAX_LOG_BYTES and time.monotonic() > self._move_again:
            self._move_log()

    def _move_log(self) -> None:
        """Move down a log that nobody else does, without waiting; not at each write below a long reader."""
        self._move_again = time.monotonic() + MOVE_AGAIN_SECONDS
        with suppress(sqlite3.Error):
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        self._watch.note_checkpoint()

    def _settle(self, doubt: Doubt) -> None:
        """Settle a doubt about the files; where nothing can be written, go on in memory."""
        try:
            self._settle_doubt(doubt)
        except (OSError, sqlite3.Error) as error:
            self._bear_failure(error, use_memory=doubt is not Doubt.LOG_CHANGED)

    def _repair_further(self) -> None:
        """Go on with a repair that failed before: until it is done, nothing is read or written."""
        try:
            self._go_on_repairing()
        except (OSError, sqlite3.Error) as error:
            self._bear_failure(error, use_memory=self._is_closed)

    def _bear_failure(self, error: OSError | sqlite3.Error, *, use_memory: bool) -> None:
        """After a repair failed: go on in memory. Raises StoreError where the next call can go on with the file."""
        if isinstance(error, sqlite3.Error) and damage.is_damage(error):
            self._repair_damage(error)
        elif damage.is_locked(error) or not use_memory:
            raise self._to_store_error(error) from error
        else:
            self._open_memory(self._to_store_error(error))

    def _settle_before_checkpoint(self) -> None:
        """A checkpoint moves what is in the log into the database: not before it is known to be ours."""
        with self._lock:
            if self._is_closed or self._unfinished:
                self._repair_further()
            doubt = self._watch.look_closely()
            if doubt and doubt not in EXAMINED_DOUBTS:
                self._settle(doubt)
        if doubt in EXAMINED_DOUBTS:
            self._examine(doubt)

    def _examine(self, doubt: Doubt) -> None:
        """Nobody but a checkpoint writes to the database itself: examine it, and replace it when it is damaged."""
        stamp, started = read_stamp(self._name), time.monotonic()
        found = examine_database(self._name, EXAMINE_SECONDS)
        if found is Soundness.UNKNOWN:
            raise StoreError("the database cannot be examined now", where=self._name)
        with self._lock:
            try:
                if found is Soundness.DAMAGED:
                    self._replace_damaged(doubt)
                    return  # the next checkpoint examines the successor
                if doubt is Doubt.CHANGED:
                    # Pages in this connection's memory may be as they were: compare with those of the file.
                    self._connection.execute("PRAGMA shrink_memory").fetchone()
                    self._finish_repair(lambda _: None, with_effects=False)
            except (OSError, sqlite3.Error) as error:
                raise self._to_store_error(error) from error
            self._watch.note_examined(stamp, time.monotonic() - started)

    def _try_disk(self) -> None:
        with self._lock:
            if self._unfinished:
                return  # closed
            try:
                self._require_folder()
                self._open()
            except (OSError, sqlite3.Error, StoreError) as error:
                if self.durable:  # it was there for a moment
                    self._open_memory(self._to_store_error(error))
                return  # still no file; memory goes on
            self.notices.append(f"{self._name}: events are kept on disk again")
            with suppress(OSError, sqlite3.Error):  # the next call tries again
                self._carry_out(self._write_missing)

    def _run_guarded(self, work: Callable[[Connection], T]) -> T:
        try:
            return work(self._connection)
        except UnicodeDecodeError as error:
            if not self.durable:
                raise
            return self._retry_repaired(work, damage.make_damage(str(error)))
        except sqlite3.Error as error:
            if not (self.durable and (damage.is_damage(error) or damage.is_read_failure(error))):
                raise self._to_store_error(error) from error
            return self._retry_repaired(work, error)

    def _retry_repaired(self, work: Callable[[Connection], T], error: sqlite3.Error) -> T:
        """Repeat some work after the files were looked at: the log first, then the database."""
        doubt = self._watch.look()
        if not doubt and not damage.is_damage(error):
            raise self._to_store_error(error) from error
        try:
            with damage.read_as_damage():
                self._settle_doubt(doubt) if doubt else self._reread_log()
                return work(self._connection)
        except sqlite3.Error as again:
            if not damage.is_damage(again):
                raise self._to_store_error(again) from again
        except OSError as gone:
            raise self._to_store_error(gone) from gone  # the next write looks again
        self._repair_damage(error)
        try:
            return work(self._connection)
        except sqlite3.Error as worse:
            raise self._to_store_error(worse) from worse

    def _repair_damage(self, error: sqlite3.Error) -> None:
        """Replace a database whose damage is confirmed; open one anew that was only unreadable for a moment."""
        try:
            if self._is_damage_confirmed():
                self._replace_damaged(error)
            else:
                self._reopen(lambda _: None, with_effects=True)
        except (OSError, sqlite3.Error) as worse:
            if damage.is_locked(worse):
                raise self._to_store_error(worse) from worse
            self._open_memory(self._to_store_error(worse))

    def _checkpoint_log(self, connection: Connection) -> None:
        if not self._watch.is_as_noted():
            return  # changed since it was looked at: the next tick examines it
        # PASSIVE never blocks writers, and when it has moved everything the next writer starts the log anew.
        _, written, moved = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        # TRUNCATE does block them for a moment, for what came since: only when they never leave a gap.
        if moved < written and self._measure_log() > LARGE_LOG_BYTES:
            with suppress(sqlite3.Error):  # a long reader: the next write or tick tries again
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        with self._lock:
            self._watch.note_checkpoint()

    def _measure_log(self) -> int:
        log = Path(f"{self._name}-wal")
        return log.stat().st_size if log.exists() else 0


def _refuse_closed() -> None:
    """The step that is left of a store that its owner has closed: no call opens it again."""
    raise sqlite3.ProgrammingError("the store is closed")

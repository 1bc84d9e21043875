"""An open database file: how it is opened, and how it is repaired when its files are damaged or not ours any more.

Nothing here relaxes anything: what is sound is kept, what this process has written is written again, and what may be
missing is told (`losses`).
"""

import errno
import sqlite3  # noqa: TID251 - this is the room it is kept in
import threading
import time
from contextlib import suppress
from pathlib import Path

from synaptic.model.errors import StoreError
from synaptic.store import damage, losses, salvage, schema
from synaptic.store.connection import Connection, open_connection, prepare_file, run_transaction, set_file_pragmas
from synaptic.store.integrity import Doubt, FileWatch, Soundness, check_state, examine_database
from synaptic.store.losses import Loss
from synaptic.store.recent import RecentWrites

LOCK_TIMEOUT = 1.0
"""Seconds a write waits for another process's lock. Writes take under a millisecond, so more means a stuck one."""
OPEN_LOCK_TIMEOUT = 10.0
OPEN_ATTEMPTS = 3
CONFIRM_PAUSES = (0.05, 0.25, 0.9)
"""Seconds between the looks at a database that seems damaged: a disk that fails for a second is no damage."""
MEMORY_PAGES = 64 * 1024 * 1024 // 2048
"""Upper bound for a database in memory (64 MB); beyond it writes are refused."""
STRICTER_TEXT = "where state is missing breakers count as tripped and safemode as on until you reset them"
UNREADABLE_TEXT = "the file is damaged, or the disk failed while it was read"
SQLITE_REASONS = {
    sqlite3.SQLITE_FULL: ("the disk is full", "free some space, or run `synaptic prune`"),
    sqlite3.SQLITE_READONLY: ("the database is read-only", "check the permissions with `synaptic doctor`"),
    sqlite3.SQLITE_CANTOPEN: ("the database cannot be opened", "check the permissions with `synaptic doctor`"),
    sqlite3.SQLITE_BUSY: ("another program keeps the database locked", "close it, or run `synaptic doctor`"),
    sqlite3.SQLITE_LOCKED: ("another program keeps the database locked", "close it, or run `synaptic doctor`"),
    sqlite3.SQLITE_IOERR: ("the disk failed while reading or writing", "check the disk, then `synaptic doctor`"),
}


class OpenedDatabase:
    """The file of a database and this process's connection to it; callers hold the lock of the store."""

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
        self.has_lost_state = False
        """Whether stored state may be missing: what is not there then reads as the stricter."""
        self.recent = RecentWrites()
        self._name = str(path)
        self._watch = FileWatch(self._name)
        self._data_version = 0
        self._inode: damage.Inode | None = None
        self._connection: Connection

    def _open(self) -> None:
        """Open the file under the name; again when another one has taken its place meanwhile."""
        for _ in range(OPEN_ATTEMPTS):
            prepare_file(self.path)
            self._inode = damage.read_inode(self._name)
            try:
                with damage.read_as_damage():
                    self._connect()
            except sqlite3.Error as error:
                if not damage.is_damage(error):
                    raise
                self._open_damaged(error)
            if damage.read_inode(self._name) == self._inode:
                return
            self._connection.close()
        raise FileNotFoundError(2, "it is replaced again and again", self._name)

    def _connect(self) -> None:
        # In this order: whoever makes a key has made the tables before, so one without the other was emptied.
        had_state, is_first = self._has_key(), not self.generation
        # Closing the index drops every lock that this process has on it: not where another thread may have it open.
        if is_first and threading.current_thread() is threading.main_thread():
            self._watch.look_before_opening()
        connection = open_connection(self._name, OPEN_LOCK_TIMEOUT)
        try:
            version = schema.read_schema_version(connection)
            if version != schema.find_latest_version():
                # Before the lock and the pragmas: a database of a newer version must not be changed in any way.
                schema.refuse_newer(connection, self._name)
                with damage.lock_database(self.path):
                    set_file_pragmas(connection)
                    schema.migrate_schema(connection, self._name)
                    # Tables must not depend on a log that somebody may delete.
                    connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            # SQLite opens lazily: without a read of a real table a damaged file would only be noticed inside an event.
            connection.execute("SELECT 1 FROM events LIMIT 1").fetchone()
            check_state(connection)
            if had_state and not version and is_first:
                run_transaction(connection, lambda write: losses.record_loss(write, self._describe_emptied()))
            self.has_lost_state = losses.has_lost_state(connection)
        except BaseException:
            connection.close()
            raise
        # Opening may wait for a migration in another process; from here on an agent is waiting for the answer.
        connection.execute(f"PRAGMA busy_timeout = {int(LOCK_TIMEOUT * 1000)}")
        self._use_connection(connection, durable=True)
        if is_first and self._watch.has_lost_log():
            self._distrust_lost_log()

    def look_for_losses(self, connection: Connection) -> None:
        """After somebody else's write: another process may have repaired the file and lost state."""
        if self.durable and not self.has_lost_state:
            self.has_lost_state = losses.has_lost_state(connection)

    def _has_key(self) -> bool:
        """Whether state was ever signed in this home."""
        return self.path.with_name(losses.KEY_NAME).exists()

    def _describe_emptied(self) -> Loss:
        what = "was deleted or emptied while nobody used it; a fresh one was started"
        return Loss(f"{self._name}: {what}; {STRICTER_TEXT}", state_lost=True)

    def _distrust_lost_log(self) -> None:
        """The end of the log is gone: what is damaged by that is replaced, and what may be older is not believed."""
        what = "its log was deleted, cut or changed while nobody used it"
        if self._watch.drop_older_log():
            self._tell_loss(Loss(f"{self._name}: {what}; {_describe_missing(0)}"))
            return
        if examine_database(self._name) is Soundness.DAMAGED:
            self._replace_damaged(what)
        run_transaction(self._connection, losses.quarantine_wary)
        self._tell_loss(
            Loss(f"{self._name}: {what}; the newest events may be missing; {STRICTER_TEXT}", state_lost=True)
        )

    def _use_connection(self, connection: Connection, *, durable: bool) -> None:
        self._connection, self.durable = connection, durable
        self._data_version = connection.execute("PRAGMA data_version").fetchone()[0]
        if durable:
            self._watch.note_opened()
        self.generation += 1

    def _open_memory(self, trouble: StoreError) -> None:
        connection = open_connection(":memory:", LOCK_TIMEOUT)
        connection.execute(f"PRAGMA max_page_count = {MEMORY_PAGES}")
        schema.migrate_schema(connection, self._name)
        with suppress(sqlite3.Error):
            self.recent.restore(connection)  # what this process knows holds on
        self._use_connection(connection, durable=False)
        # What is stored cannot be read now: that relaxes nothing.
        self.has_lost_state = self._has_key()
        self.trouble = str(trouble)
        self.notices.append(f"{trouble}: events are kept in memory only")

    def _open_damaged(self, error: sqlite3.Error) -> None:
        """A file that cannot be opened as a database: looked at again before it is given up."""
        for pause in CONFIRM_PAUSES:
            time.sleep(pause)
            try:
                with damage.read_as_damage():
                    self._connect()
            except sqlite3.Error as again:
                if not damage.is_damage(again):
                    raise
            else:
                return
        self._replace_damaged(error)

    def _settle_doubt(self, doubt: Doubt) -> None:
        """Make sure that what was answered is in the file that has the name now. Raises sqlite3.Error, OSError."""
        if doubt is Doubt.MOVED:
            self._reopen_moved()
        elif doubt is Doubt.LOG_MOVED:
            self._rescue_log()
        elif doubt is Doubt.LOG_CHANGED and not self._has_other_committed():
            self._reread_log()

    def _has_other_committed(self) -> bool:
        """Whether another connection's commit explains why the log has changed."""
        try:
            now = self._connection.execute("PRAGMA data_version").fetchone()[0]
        except sqlite3.Error:
            return False  # a log that is cut too short to be read
        if now == self._data_version:
            return False
        self._data_version = now
        self._watch.note_commit()
        return True

    def _reread_log(self) -> None:
        """Somebody else wrote to the log: believe only what its checksums cover, and write the rest again."""
        moved = self._watch.count_moved_frames()
        before = self._watch.invalidate_log_index()
        schema.read_schema_version(self._connection)  # reads the log
        if self._watch.count_log_frames() < moved:
            # The first pages of a log are older than what a checkpoint has made of them.
            self._watch.empty_log()
        schema.migrate_schema(self._connection, self._name)  # all tables may have been in there
        gone = before - self._watch.count_log_frames()
        self.generation += 1
        missing = self._repeat_writes(with_effects=True)
        if missing or gone > 0:
            what = "its log was changed by somebody else while in use"
            self._tell_loss(Loss(f"{self._name}: {what}; {_describe_missing(missing)}"))
        self._data_version = self._connection.execute("PRAGMA data_version").fetchone()[0]
        self._watch.note_commit()

    def _rescue_log(self) -> None:
        """The log has no name any more, but this connection still has it: into the database with it, and open anew."""
        with suppress(sqlite3.Error):
            self._connection.execute("PRAGMA wal_checkpoint(FULL)").fetchone()
        self._connection.close()
        with damage.lock_database(self.path):
            aside = damage.set_log_aside(self.path)
        self._open()
        missing = self._repeat_writes(with_effects=True)
        what = "its log was deleted or replaced while in use"
        self._tell_loss(Loss(f"{self._name}: {what}; {_describe_missing(missing)}", aside.name if aside else ""))

    def _reopen_moved(self) -> None:
        """The file under the name is not ours (set aside by another process, or deleted): go on with that one."""
        if damage.read_inode(self._name) is None:
            self._put_back()
            return
        self._connection.close()
        self._open()
        if missing := self._repeat_writes(with_effects=False):
            what = "was replaced while in use"
            self._tell_loss(Loss(f"{self._name}: {what}; {_describe_missing(missing)}"))

    def _require_folder(self) -> None:
        """A home that was taken away is not made again: it may be back at any moment, or be gone for good."""
        if self._inode is not None and not self.path.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, "the folder is gone", str(self.path.parent))

    def _put_back(self) -> None:
        """The file was deleted, but this connection still has it: write all that it holds under the name again."""
        successor = self._locate_successor()
        self._require_folder()
        with damage.lock_database(self.path):
            is_copied = self._copy_open(successor)
            self._connection.close()
            # Only a left-over log can be there: replayed into the successor it would damage it.
            damage.set_database_aside(self.path, None)
            if is_copied:
                successor.replace(self.path)
        self._open()
        missing = self._repeat_writes(with_effects=is_copied)
        kept = "what it held was put back" if is_copied else "a fresh one was started"
        loss = Loss(
            f"{self._name}: was deleted while in use; {kept}, {_describe_missing(missing)}", state_lost=not is_copied
        )
        self._tell_loss(loss)

    def _copy_open(self, successor: Path) -> bool:
        try:
            salvage.copy_open_database(self._connection, successor)
        except sqlite3.DatabaseError:
            return False
        return True

    def _is_damage_confirmed(self) -> bool:
        """Look again, each time on a fresh connection. Raises sqlite3.Error when nothing can be read at all."""
        found = Soundness.UNKNOWN
        for pause in CONFIRM_PAUSES:
            time.sleep(pause)
            found = examine_database(self._name)
            if found is Soundness.SOUND:
                return False
        if found is Soundness.UNKNOWN:
            raise sqlite3.OperationalError(UNREADABLE_TEXT)
        return True

    def _replace_damaged(self, error: Exception | str) -> None:
        """Set the damaged file aside and go on with one that holds all that is sound in it."""
        successor = self._locate_successor()
        with damage.lock_database(self.path):
            is_ours = damage.read_inode(self._name) in (self._inode, None)
            saved = salvage.build_successor(self.path, successor) if is_ours else salvage.Salvage()
            aside = damage.set_database_aside(self.path, self._inode) if is_ours else None
            self._close_quietly()
            if is_ours:
                successor.replace(self.path)
        self._inode = damage.read_inode(self._name)
        self._connect()
        missing = self._repeat_writes(with_effects=False)
        if aside:
            self._tell_loss(_describe_damage(f"{self._name}: was damaged ({error})", aside.name, saved, missing))

    def _close_quietly(self) -> None:
        """Close a connection to a file that was set aside; where none was ever opened there is nothing to close."""
        with suppress(AttributeError, sqlite3.Error):
            self._connection.close()

    def _repeat_writes(self, *, with_effects: bool) -> int:
        """Write again what this process has answered and the file does not hold; how many records that were.

        With their effects where whole commits are gone, the last ones. Where single rows may be gone, effects would
        count twice: sections are written as they are known instead.
        """

        def work(connection: Connection) -> int:
            if not with_effects:
                self.recent.restore(connection)
            return self.recent.repeat(connection, with_effects=with_effects)

        return run_transaction(self._connection, work)

    def _tell_loss(self, loss: Loss) -> None:
        self.notices.append(loss.what)
        run_transaction(self._connection, lambda connection: losses.record_loss(connection, loss))
        self.has_lost_state = self.has_lost_state or loss.state_lost
        self.generation += 1
        self._watch.note_commit()

    def _locate_successor(self) -> Path:
        return self.path.with_name(f".{self.path.name}.successor")

    def _to_store_error(self, error: Exception) -> StoreError:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        message, hint = SQLITE_REASONS.get(code, (str(error), "run `synaptic doctor`"))
        if isinstance(error, OSError):
            message = f"the database cannot be opened ({error.strerror or error})"
        return StoreError(message, where=self._name, hint=hint)


def _describe_missing(missing: int) -> str:
    if not missing:
        return "no answered event was lost"
    return f"{missing} answered events were missing and have been written again"


def _describe_damage(start: str, aside: str, saved: salvage.Salvage, missing: int) -> Loss:
    parts = [start, f"moved to {aside}", f"{saved.events} events and what was sound were carried over"]
    if missing:
        parts.append(_describe_missing(missing))
    if not saved.has_all_events:
        parts.append("older or damaged events are only in that file")
    if not saved.is_state_whole:
        parts.append(STRICTER_TEXT)
    if "trust" in saved.damaged_tables or "all" in saved.damaged_tables:
        parts.append("trusted projects must be trusted again: `synaptic trust`")
    return Loss("; ".join(parts), aside, state_lost=not saved.is_state_whole)

"""An open database file: how it is opened, and how it is repaired when its files are damaged or not ours any more.

Nothing here relaxes anything: what is sound is kept, what this process has written is written again, and what may be
missing is told (`losses`).
"""

import errno
import os
import sqlite3  # noqa: TID251 - this is the room it is kept in
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from synaptic.model.errors import StoreError
from synaptic.store import backup, damage, losses, salvage, schema
from synaptic.store.connection import Connection, open_connection, prepare_file, run_transaction, set_file_pragmas
from synaptic.store.integrity import Doubt, FileWatch, Soundness, check_state, examine_database
from synaptic.store.left_index import LeftIndex, count_pages, invalidate_index
from synaptic.store.losses import Loss
from synaptic.store.recent import RecentWrites

LOCK_TIMEOUT = 1.0
"""Seconds a write waits for another process's lock. Writes take under a millisecond, so more means a stuck one."""
OPEN_LOCK_TIMEOUT = 10.0
OPEN_ATTEMPTS = 3
READ_ATTEMPTS = 5
READ_PAUSE = 0.002
"""Seconds between two readings of a log that somebody is writing to."""
CONFIRM_PAUSES = (0.05, 0.25, 0.9)
"""Seconds between the looks at a database that seems damaged: a disk that fails for a second is no damage."""
MEMORY_PAGES = 64 * 1024 * 1024 // 2048
"""Upper bound for a database in memory (64 MB); beyond it writes are refused."""
STRICTER_TEXT = (
    "where state is missing breakers count as tripped and safemode as on until you reset them, and exceptions "
    "(`synaptic grants list`) have to be made again"
)
UNREADABLE_TEXT = "the file is damaged, or the disk failed while it was read"
SQLITE_REASONS = {
    sqlite3.SQLITE_FULL: ("the disk is full", "free some space, or run `synaptic prune`"),
    sqlite3.SQLITE_READONLY: ("the database is read-only", "check the permissions with `synaptic doctor`"),
    sqlite3.SQLITE_CANTOPEN: ("the database cannot be opened", "check the permissions with `synaptic doctor`"),
    sqlite3.SQLITE_BUSY: ("another program keeps the database locked", "close it, or run `synaptic doctor`"),
    sqlite3.SQLITE_LOCKED: ("another program keeps the database locked", "close it, or run `synaptic doctor`"),
    sqlite3.SQLITE_IOERR: ("the disk failed while reading or writing", "check the disk, then `synaptic doctor`"),
}

DescribeLoss = Callable[[int], Loss | None]
"""What to tell of a repair, given how many answered events were missing."""


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
        self._is_closed = False
        """Whether a repair has closed the connection and could not open it again yet."""
        self._misses_folder = False
        """Whether memory goes on because the home was taken away, and it has not been back since."""
        self._unfinished: list[Callable[[], None]] = []
        """Steps of repairs that failed, the innermost last: the next call does them before anything else."""

    def _go_on_repairing(self) -> None:
        """Open what is closed, and do what is left of a repair. Raises sqlite3.Error, OSError."""
        if self._is_closed and not self._unfinished:
            self._unfinished.append(self._write_missing)
        self._ensure_open()
        while self._unfinished:
            self._carry_out(self._unfinished.pop())

    def _carry_out(self, step: Callable[[], None]) -> None:
        """Do a step of a repair that can be done again: when it fails, the next call goes on with it."""
        self._unfinished.append(step)
        step()
        if step in self._unfinished:  # not where memory goes on instead
            self._unfinished.remove(step)

    def _ensure_open(self) -> None:
        if self._is_closed:
            self._open()

    def _close_connection(self) -> None:
        """Close the connection to open it again; where none was ever opened there is nothing to close."""
        self._is_closed = True
        with suppress(AttributeError, sqlite3.Error):
            self._connection.close()
        self._watch.let_go()

    def _open(self) -> None:
        """Open the file under the name; again when another one has taken its place meanwhile."""
        for _ in range(OPEN_ATTEMPTS):
            damage.finish_replacement(self.path)
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
            self._close_connection()
        raise FileNotFoundError(2, "it is replaced again and again", self._name)

    def _connect(self) -> None:
        # In this order: whoever makes a key has made the tables before, so one without the other was emptied.
        had_state, is_first = self.has_signed_state(), not self.generation
        if is_first:
            self._watch.look_before_opening()
        # Opening may wait for a migration in another process; later on an agent is waiting for the answer.
        connection = open_connection(self._name, OPEN_LOCK_TIMEOUT if is_first else LOCK_TIMEOUT)
        try:
            version = schema.read_schema_version(connection)
            if version != schema.find_latest_version():
                # Before the lock and the pragmas: a database of a newer version must not be changed in any way.
                schema.refuse_newer(connection, self._name)
                with damage.lock_database(self.path):
                    self._keep_copy(connection)
                    set_file_pragmas(connection)
                    schema.migrate_schema(connection, self._name)
                    # Tables must not depend on a log that somebody may delete.
                    connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            # SQLite opens lazily: without a read of a real table a damaged file would only be noticed inside an event.
            connection.execute("SELECT 1 FROM events LIMIT 1").fetchone()
            check_state(connection)
            if had_state and not version:
                run_transaction(connection, lambda write: losses.record_loss(write, self._describe_emptied()))
            self.has_lost_state = losses.has_lost_state(connection)
        except BaseException:
            connection.close()
            raise
        connection.execute(f"PRAGMA busy_timeout = {int(LOCK_TIMEOUT * 1000)}")
        self._use_connection(connection, durable=True)
        if is_first and self._watch.has_lost_log():
            self._carry_out(self._distrust_lost_log)

    def _keep_copy(self, connection: Connection) -> None:
        """Keep what is there before it is changed; another process may have changed it while we waited."""
        version = schema.read_schema_version(connection)
        if 0 < version < schema.find_latest_version():
            backup.keep_copy(connection, self.path, version)

    def look_for_losses(self, connection: Connection) -> None:
        """After somebody else's write: another process may have repaired the file and lost state."""
        if self.durable and not self.has_lost_state:
            self.has_lost_state = losses.has_lost_state(connection)

    def has_signed_state(self) -> bool:
        """Whether state was ever signed in this home."""
        return self.path.with_name(losses.KEY_NAME).exists()

    def _describe_emptied(self) -> Loss:
        what = "was deleted or emptied while nobody used it; a fresh one was started"
        return Loss(f"{self._name}: {what}; {STRICTER_TEXT}", state_lost=True)

    def _distrust_lost_log(self) -> None:
        """The end of the log is gone: what is damaged by that is replaced, and what may be older is not believed."""
        self._ensure_open()
        what = f"{self._name}: its log was deleted, cut or changed while nobody used it"
        left = self._watch.left
        if left and self._drop_older_log(left) and left.moved >= left.frames:
            self._finish_repair(lambda missing: Loss(f"{what}; {_describe_missing(missing)}"), with_effects=True)
            return
        if examine_database(self._name) is Soundness.DAMAGED:
            self._replace_damaged(what)
        self._distrust_state(what)

    def _distrust_state(self, what: str) -> None:
        """What is stored may be older than what was lost: believe nothing of it that could have been stricter."""
        run_transaction(self._connection, losses.quarantine_wary)
        loss = Loss(f"{what}; the newest events may be missing; {STRICTER_TEXT}", state_lost=True)
        self._finish_repair(lambda _: loss, with_effects=True)

    def _use_connection(self, connection: Connection, *, durable: bool) -> None:
        self._close_connection()
        self._connection, self.durable, self._is_closed = connection, durable, False
        self._data_version = _read_data_version(connection)
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
        self._unfinished.clear()  # all that was answered is written again when there is a file
        # What is stored cannot be read now: that relaxes nothing.
        self.has_lost_state = self.has_signed_state()
        self.trouble, self._misses_folder = str(trouble), not self.path.parent.is_dir()
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
            now = _read_data_version(self._connection)
        except sqlite3.Error:
            return False  # a log that is cut too short to be read
        if now == self._data_version:
            return False
        self._data_version = now
        self._watch.note_commit()
        self._watch.note_others()
        return True

    def _note_version(self, connection: Connection) -> None:
        """In a transaction, where nobody else commits: what others did before explains nothing that comes later."""
        now = _read_data_version(connection)
        if now != self._data_version:
            self._data_version = now
            self._watch.note_others()

    def _reread_log(self) -> None:
        """Somebody else wrote to the log: believe only what its checksums cover, and write the rest again."""
        index = self._watch.find_own_index()
        if index is None:
            self._rescue_log()
        else:
            before = count_pages(index)
            self._carry_out(lambda: self._read_log_anew(before))

    def _read_log_anew(self, before: LeftIndex) -> None:
        self._ensure_open()
        index = self._watch.find_own_index()
        if index is None:
            self._rescue_log()
            return
        self._read_until_still(index)
        now = count_pages(index)
        self._drop_older_log(before)
        schema.migrate_schema(self._connection, self._name)  # all tables may have been in there
        what = f"{self._name}: its log was changed by somebody else while in use"
        if self._watch.has_lost_others(before, now):
            self._distrust_state(what)
        else:
            is_shorter = count_pages(index).frames < before.frames
            self._finish_repair(
                lambda missing: Loss(f"{what}; {_describe_missing(missing)}") if missing or is_shorter else None,
                with_effects=True,
            )

    def _read_until_still(self, index: int) -> None:
        """Read the log, and again where somebody is still writing to it: what was read counts as it was before."""
        for attempt in range(READ_ATTEMPTS):
            self._watch.note_commit()
            invalidate_index(index)
            if not attempt:
                # Reading the log changes the number as a commit of another process does. Who commits later is seen,
                # and where the log is read once more nobody knows who wrote to it: that counts as theirs.
                self._data_version = _read_data_version(self._connection)
            schema.read_schema_version(self._connection)
            if self._watch.look() is not Doubt.LOG_CHANGED:
                return
            time.sleep(READ_PAUSE)

    def _drop_older_log(self, before: LeftIndex) -> bool:
        """Empty a log that hides what a checkpoint has made of its pages; whether it did."""
        index = self._watch.find_own_index()
        if index is None or not count_pages(index).hides_pages_of(before):
            return False
        self._connection.execute("BEGIN IMMEDIATE")  # nobody else writes to it meanwhile
        try:
            is_older = count_pages(index).hides_pages_of(before)
            if is_older:
                os.truncate(f"{self._name}-wal", 0)
                invalidate_index(index)
        finally:
            self._connection.execute("ROLLBACK")
        return is_older

    def _rescue_log(self) -> None:
        """The log has no name any more, but this connection still has it: into the database with it, and open anew."""
        with damage.lock_database(self.path):
            is_ours = self._save_log()
            self._close_connection()
            aside = damage.set_log_aside(self.path) if is_ours else None
        what, name = f"{self._name}: its log was deleted or replaced while in use", aside.name if aside else ""
        self._reopen(lambda missing: Loss(f"{what}; {_describe_missing(missing)}", name), with_effects=True)

    def _save_log(self) -> bool:
        """Move a log without a name into the database, unless others have begun another: theirs counts then."""
        if self._watch.is_log_of_others():
            return False  # pages of the older log would go over theirs
        with suppress(sqlite3.Error):
            self._connection.execute("PRAGMA wal_checkpoint(FULL)").fetchone()
        return True

    def _reopen_moved(self) -> None:
        """The file under the name is not ours (set aside by another process, or deleted): go on with that one."""
        damage.finish_replacement(self.path)
        if damage.read_inode(self._name) is None and self._put_back():
            return
        what = f"{self._name}: was replaced while in use"
        self._reopen(
            lambda missing: Loss(f"{what}; {_describe_missing(missing)}") if missing else None, with_effects=False
        )

    def _reopen(self, describe: DescribeLoss, *, with_effects: bool) -> None:
        """Open the file under the name anew, and write again what it lacks."""
        self._close_connection()
        self._carry_out(lambda: self._finish_repair(describe, with_effects=with_effects))

    def _require_folder(self) -> None:
        """A home that was taken away is not made again: it may be back at any moment, or be gone for good."""
        if self._inode is not None and not self.path.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, "the folder is gone", str(self.path.parent))

    def _put_back(self) -> bool:
        """The file was deleted, but this connection still has it: write all that it holds under the name again.

        False when another process was faster: what it has put there counts.
        """
        successor = self._locate_successor()
        self._require_folder()
        with damage.lock_database(self.path):
            if damage.read_inode(self._name) is not None:
                return False
            is_copied = self._copy_open(successor)
            self._close_connection()
            # Only a left-over log can be there: replayed into the successor it would damage it.
            damage.set_database_aside(self.path, None)
            if is_copied:
                successor.replace(self.path)
        kept = "what it held was put back" if is_copied else "a fresh one was started"
        what = f"{self._name}: was deleted while in use; {kept}"
        self._reopen(
            lambda missing: Loss(f"{what}, {_describe_missing(missing)}", state_lost=not is_copied),
            with_effects=is_copied,
        )
        return True

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
            saved = salvage.build_successor(self.path, successor, self._restore) if is_ours else salvage.Salvage()
            aside = damage.begin_replacement(self.path, successor) if is_ours else None
            self._close_connection()
            if is_ours:
                damage.locate_ready(self.path).replace(self.path)
        what = f"{self._name}: was damaged ({error})"
        self._carry_out(
            lambda: self._start_successor(
                lambda missing: _describe_damage(what, aside.name, saved, missing) if aside else None
            )
        )

    def _start_successor(self, describe: DescribeLoss) -> None:
        if self._is_closed:
            self._inode = damage.read_inode(self._name)
            self._connect()  # and no third one where this one is damaged, too
        self._finish_repair(describe, with_effects=False)

    def _finish_repair(self, describe: DescribeLoss, *, with_effects: bool) -> None:
        """Write again what this process has answered and the file does not hold, and what was lost: both or neither.

        With their effects where whole commits are gone, the last ones. Where single rows may be gone, effects would
        count twice: sections are written as they are known instead.
        """

        def work(connection: Connection) -> Loss | None:
            self._note_version(connection)
            missing = self.recent.repeat(connection, with_effects=True) if with_effects else self._restore(connection)
            loss = describe(missing)
            if loss:
                losses.record_loss(connection, loss)
            return loss

        self._ensure_open()
        self.generation += 1
        loss = run_transaction(self._connection, work)
        if loss:
            self.notices.append(loss.what)
            self.has_lost_state = self.has_lost_state or loss.state_lost
        self.generation += 1
        self._watch.note_commit()

    def _restore(self, connection: Connection) -> int:
        """Write the sections that are known and the events that were answered; how many events were missing."""
        self.recent.restore(connection)
        return self.recent.repeat(connection, with_effects=False)

    def _write_missing(self) -> None:
        self._finish_repair(lambda _: None, with_effects=True)

    def _locate_successor(self) -> Path:
        return self.path.with_name(f".{self.path.name}.successor")

    def _to_store_error(self, error: Exception) -> StoreError:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        message, hint = SQLITE_REASONS.get(code, (str(error), "run `synaptic doctor`"))
        if isinstance(error, OSError):
            message = f"the database cannot be opened ({error.strerror or error})"
        return StoreError(message, where=self._name, hint=hint)


def _read_data_version(connection: Connection) -> int:
    """Another number whenever another connection has committed."""
    return int(connection.execute("PRAGMA data_version").fetchone()[0])


def _describe_missing(missing: int) -> str:
    if not missing:
        return "no answered event was lost"
    return f"{missing} answered events were missing and have been written again"


def _describe_damage(start: str, aside: str, saved: salvage.Salvage, missing: int) -> Loss:
    missing += saved.restored
    parts = [start, f"moved to {aside}", f"{saved.events} events and what was sound were carried over"]
    if missing:
        parts.append(_describe_missing(missing))
    if not saved.has_all_events:
        parts.append("older or damaged events are only in that file, and exceptions have to be made again")
    if not saved.is_state_whole:
        parts.append(STRICTER_TEXT)
    if "trust" in saved.damaged_tables or "all" in saved.damaged_tables:
        parts.append("trusted projects must be trusted again: `synaptic trust`")
    return Loss("; ".join(parts), aside, state_lost=not saved.is_state_whole)

"""Whether the files of the database are still the ones this process has open, as it left them.

SQLite never looks again: a log that is deleted, cut or changed below an open connection goes unnoticed until it is
lost. Two looks at a file's stamp around each write notice it.
"""

import os
import sqlite3  # noqa: TID251 - this is the room it is kept in
import time
from contextlib import suppress
from enum import StrEnum
from pathlib import Path

from synaptic.store.connection import connect_counted
from synaptic.store.damage import Inode, is_damage, make_damage, read_as_damage, read_inode
from synaptic.store.held_index import IndexUse, is_used_by_others
from synaptic.store.left_index import LeftIndex, count_pages, read_index
from synaptic.store.schema import is_shape_whole

EXAMINE_SECONDS = 3.0
"""How long a database is examined inside a call; what is found by then counts."""
EXAMINE_LOCK_TIMEOUT = 1.0
STEPS_PER_LOOK_AT_THE_CLOCK = 20_000
EXAMINE_AGAIN_SECONDS = 5.0
"""Between two examinations of a database that checkpoints have written to."""
EXAMINE_SHARE = 100
"""And at least so many times as long as the last one took: a large database is read rarely."""

FileStamp = tuple[int, int, int]
"""How many names a file has, its size, and when it was last written."""
NO_STAMP: FileStamp = (1, 0, 0)
"""Where there is no log: on a disk that cannot share memory, SQLite works without."""


class Doubt(StrEnum):
    """What is no longer as this process left it."""

    NONE = ""
    MOVED = "the database was deleted or replaced"
    LOG_MOVED = "its log was deleted or replaced"
    LOG_CHANGED = "its log was written by somebody else"
    CHANGED = "the database was written by somebody else"
    UNEXAMINED = "a checkpoint wrote to the database, and nobody has read all of it since"


class Soundness(StrEnum):
    """What an examination found."""

    SOUND = "sound"
    DAMAGED = "damaged"
    UNKNOWN = "unknown"
    """It cannot be read at all now: no reason to give it up."""


class FileWatch:
    """A database and its log, as they were after this process's own last write."""

    def __init__(self, name: str) -> None:
        self._name, self._log_name, self._index_name = name, f"{name}-wal", f"{name}-shm"
        self._main: Inode | None = None
        self._index: Inode | None = None
        self._main_stamp: FileStamp | None = None
        self._is_written, self._examine_at = False, 0.0
        self._log = NO_STAMP
        self._log_handle = -1
        self._use: IndexUse | None = None
        self.left: LeftIndex | None = None
        """What the last process has left."""
        self._left_main: FileStamp | None = None
        self._others: LeftIndex | None = None
        """The log when the last page of another process was put into it, as far as this one knows."""

    @property
    def has_log(self) -> bool:
        """Whether there is a log to look at; not any more after `let_go`."""
        return self._log_handle >= 0

    @property
    def log_bytes(self) -> int:
        """Size of the log after the last write."""
        return self._log[1]

    def look_before_opening(self) -> None:
        """Note what the last process has left: SQLite makes the index anew when nobody else uses it."""
        self.left, self._left_main = None, read_stamp(self._name)
        with suppress(OSError):
            # What others have open is theirs to look after, and changes below our eyes.
            if not self._count_in().is_shared():
                self.left = read_index(self._count_in().open_index())

    def has_lost_log(self) -> bool:
        """After opening: whether the log has lost pages that nobody has moved into the database."""
        if self.left is None or self._index != self.left.inode:
            return False
        index = self.find_own_index()
        # Who has moved them meanwhile has written to the database.
        is_covered = index is None or self.left.is_covered_by(read_index(index))
        return not is_covered and read_stamp(self._name) == self._left_main

    def note_opened(self) -> None:
        """Whatever is there now is ours."""
        self._main, self._index = read_inode(self._name), read_inode(self._index_name)
        if self._log_handle >= 0:
            os.close(self._log_handle)  # SQLite holds no lock on a log that closing could drop
        self._log_handle = -1
        with suppress(FileNotFoundError):
            self._log_handle = os.open(self._log_name, os.O_RDONLY | os.O_CLOEXEC)
        self.note_commit()
        self.note_others()
        # Nobody knows what happened to the database before: it is examined once, before the first checkpoint.
        self._main_stamp = None

    def note_others(self) -> None:
        """All that is in the log now may be by others, who do not write it again when it is damaged."""
        self._others = None
        with suppress(OSError):
            index = self.find_own_index()
            self._others = count_pages(index) if index is not None else None

    def has_lost_others(self, before: LeftIndex, now: LeftIndex) -> bool:
        """Whether pages of others are not in the log any more, and not in the database either."""
        others = self._others
        return others is not None and others.salts == before.salts and max(now.frames, before.moved) < others.frames

    def note_commit(self) -> Doubt:
        """The log as this process has just left it, which may have lost its name."""
        self._log = stamp_handle(self._log_handle)
        if self._log[0]:
            return Doubt.NONE
        self._log = NO_STAMP  # the next look sees it again
        return Doubt.LOG_MOVED

    def note_checkpoint(self) -> None:
        """The database as a checkpoint has just left it; what somebody else wrote meanwhile, nobody can tell apart.

        Not the log: a checkpoint changes nothing there, or cuts it, which explains itself as a commit of others does.
        """
        if not self.is_as_noted():
            self._main_stamp, self._is_written = read_stamp(self._name), True

    def note_examined(self, stamp: FileStamp | None, seconds: float) -> None:
        """The database was sound, as it was when the examination began."""
        self._main_stamp, self._is_written = stamp, False
        self._examine_at = time.monotonic() + max(EXAMINE_AGAIN_SECONDS, EXAMINE_SHARE * seconds)

    def is_as_noted(self) -> bool:
        """Whether nobody has written to the database itself since a checkpoint or an examination."""
        return read_stamp(self._name) == self._main_stamp

    def look(self) -> Doubt:
        """Look at the name, and at the log: before every write, so two calls of the kernel and no more.

        The log is looked at by a handle, for half the price: a log that was only renamed is seen by `look_closely`.
        """
        if read_inode(self._name) != self._main:
            return Doubt.MOVED
        now = stamp_handle(self._log_handle)
        if now == self._log:
            return Doubt.NONE
        return Doubt.LOG_CHANGED if now[0] else Doubt.LOG_MOVED

    def look_closely(self) -> Doubt:
        """The same, with all names and the file that no event writes to: before a checkpoint."""
        if doubt := self.look():
            return doubt
        if read_inode(self._index_name) != self._index:
            return Doubt.LOG_MOVED
        if self.has_log and read_inode(self._log_name) != _to_inode(os.fstat(self._log_handle)):
            return Doubt.LOG_MOVED
        if not self.is_as_noted():
            return Doubt.CHANGED
        return Doubt.UNEXAMINED if self._is_written and time.monotonic() > self._examine_at else Doubt.NONE

    def find_own_index(self) -> int | None:
        """A descriptor of the index that the connection uses; None when it has lost its name."""
        with suppress(FileNotFoundError):
            handle = self._count_in().open_index()
            if _to_inode(os.fstat(handle)) == self._index:
                return handle
        return None

    def is_log_of_others(self) -> bool:
        """Whether other processes work with a log that is not the one of this connection."""
        with suppress(FileNotFoundError):
            index = self._count_in().open_index()
            is_other = _to_inode(os.fstat(index)) != self._index or self._has_other_log()
            return is_other and is_used_by_others(index)
        return False

    def _has_other_log(self) -> bool:
        return self.has_log and read_inode(self._log_name) not in (None, _to_inode(os.fstat(self._log_handle)))

    def let_go(self) -> None:
        """After the connection is closed."""
        if self._log_handle >= 0:
            os.close(self._log_handle)
        self._log_handle = -1
        if self._use is not None:
            self._use.end()
        self._use = None

    def _count_in(self) -> IndexUse:
        if self._use is None:
            self._use = IndexUse(self._name)
        return self._use


def read_stamp(name: str) -> FileStamp | None:
    """The stamp of the file under a name now; None when there is none."""
    try:
        found = Path(name).stat()
    except OSError:
        return None
    return (found.st_nlink, found.st_size, found.st_mtime_ns)


def stamp_handle(handle: int) -> FileStamp:
    """The stamp of an open file."""
    if handle < 0:
        return NO_STAMP
    found = os.fstat(handle)
    return (found.st_nlink, found.st_size, found.st_mtime_ns)


def _to_inode(found: os.stat_result) -> Inode:
    return (found.st_dev, found.st_ino)


def examine_database(name: str, seconds: float = EXAMINE_SECONDS) -> Soundness:
    """Examine a database on a connection of its own, which has nothing in its cache, for some seconds at most."""
    try:
        connection = connect_counted(name, EXAMINE_LOCK_TIMEOUT)
        try:
            with read_as_damage():
                return _check_quickly(connection, time.monotonic() + seconds)
        finally:
            connection.close()
    except sqlite3.Error as error:
        return Soundness.DAMAGED if is_damage(error) else Soundness.UNKNOWN


def _check_quickly(connection: sqlite3.Connection, end: float) -> Soundness:
    connection.execute("SELECT max(rowid) FROM events").fetchone()
    if not is_shape_whole(connection):
        return Soundness.DAMAGED
    connection.set_progress_handler(lambda: int(time.monotonic() > end), STEPS_PER_LOOK_AT_THE_CLOCK)
    found = ("ok",)
    with suppress(sqlite3.OperationalError):  # interrupted: nothing was found in that time
        found = connection.execute("PRAGMA quick_check(1)").fetchone()
    return Soundness.SOUND if found == ("ok",) else Soundness.DAMAGED


def check_state(connection: sqlite3.Connection) -> None:
    """Raise for a table of state whose pages are damaged: a row that is not found there would relax something."""
    found = connection.execute("PRAGMA integrity_check(state)").fetchone()
    if found != ("ok",):
        raise make_damage(f"table state: {found[0]}")

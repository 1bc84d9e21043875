"""Move a damaged database aside, with its log, in exactly one process."""

import fcntl
import os
import re
import sqlite3  # noqa: TID251 - this is the room it is kept in
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from synaptic.files.lock import LOCK_FLAGS, LOCK_MODE

DAMAGE_CODES = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
OTHER_SHAPE = re.compile(r"no such (table|column)|has no column|does not match any PRIMARY KEY")
"""Our own statements fit the tables, unless other bits have given those other names."""
LOCKED_CODES = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
DATABASE_SUFFIXES = ("-wal", "-shm", "")
"""The log goes first: left beside a fresh database it would be replayed into it."""
LOCK_SECONDS = 10.0
"""The longest repair takes less."""
LOCK_PAUSE = 0.005

Inode = tuple[int, int]


def is_damage(error: sqlite3.Error) -> bool:
    """Whether an error means that the file is no (whole) database, as opposed to full, locked or forbidden."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in DAMAGE_CODES or (code == sqlite3.SQLITE_ERROR and bool(OTHER_SHAPE.search(str(error))))


@contextmanager
def read_as_damage() -> Iterator[None]:
    """Raise sqlite3.DatabaseError where a message names something damaged that is no text: Python cannot decode it."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise make_damage("malformed database schema") from error


def make_damage(what: str) -> sqlite3.DatabaseError:
    """The error of SQLite for a damaged database."""
    error = sqlite3.DatabaseError(what)
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return error


def is_read_failure(error: sqlite3.Error) -> bool:
    """Whether an error means that a file could not be read or written: it may be another or shorter than it was."""
    return (getattr(error, "sqlite_errorcode", 0) & 0xFF) == sqlite3.SQLITE_IOERR


def is_locked(error: Exception) -> bool:
    """Whether an error means that somebody else has the database locked: it is as it was, a moment later."""
    return (getattr(error, "sqlite_errorcode", 0) & 0xFF) in LOCKED_CODES


def read_inode(path: str | Path) -> Inode | None:
    """Device and inode of the file under a name now; None when there is none."""
    try:
        found = os.stat(path)  # noqa: PTH116 - on the path of every event, and Path.stat costs twice as much
    except OSError:
        return None
    return (found.st_dev, found.st_ino)


@contextmanager
def lock_database(path: Path, seconds: float = LOCK_SECONDS) -> Iterator[None]:
    """Hold the lock under which one process at a time creates, upgrades or moves the database.

    Raises sqlite3.OperationalError when somebody keeps it: one who was stopped must not stop all others.
    """
    handle = os.open(path.with_name(f"{path.name}.lock"), LOCK_FLAGS, LOCK_MODE)
    try:
        _wait_for_lock(handle, time.monotonic() + seconds)
        yield
    finally:
        os.close(handle)


def _wait_for_lock(handle: int, end: float) -> None:
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > end:
                raise make_locked() from None
            time.sleep(LOCK_PAUSE)
        else:
            return


def make_locked() -> sqlite3.OperationalError:
    """The error of SQLite for a database that another process has locked."""
    error = sqlite3.OperationalError("database is locked")
    error.sqlite_errorcode = sqlite3.SQLITE_BUSY
    return error


def set_database_aside(path: Path, seen: Inode | None) -> Path | None:
    """Rename the database and its log to `<name>.damaged-<UTC stamp>`; call it inside `alone`.

    Nothing is done when `path` is no longer the file the caller saw: somebody else has replaced it.
    """
    # None is accepted: a database that was deleted may still have its log here, which must go too.
    if read_inode(path) not in (seen, None):
        return None
    aside = _choose_aside_path(path)
    for suffix in DATABASE_SUFFIXES:
        _rename_existing(Path(f"{path}{suffix}"), Path(f"{aside}{suffix}"))
    return aside


def locate_ready(path: Path) -> Path:
    """Where a successor is that is whole, and that takes the place of the database whatever happens."""
    return path.with_name(f".{path.name}.ready")


def begin_replacement(path: Path, successor: Path) -> Path | None:
    """Say that the successor counts, and set the database aside; who is killed now has others finish it."""
    successor.replace(locate_ready(path))
    return set_database_aside(path, read_inode(path))


def finish_replacement(path: Path) -> None:
    """Put a successor in place whose maker was killed before it could."""
    ready = locate_ready(path)
    if not ready.exists():
        return
    with lock_database(path):
        if ready.exists():  # its maker lives, and has done it meanwhile
            set_database_aside(path, read_inode(path))
            ready.replace(path)


def set_log_aside(path: Path) -> Path | None:
    """Rename a log that is not the one we wrote: replayed into the database it would damage it."""
    log = Path(f"{path}-wal")
    if not log.exists() or log.stat().st_size == 0:
        return None
    aside = Path(f"{_choose_aside_path(path)}-wal")
    log.rename(aside)
    return aside


def list_damaged(path: Path) -> tuple[Path, ...]:
    """List the databases that were moved aside, oldest first."""
    found = path.parent.glob(f"{path.name}.damaged-*")
    return tuple(sorted(file for file in found if not file.name.endswith(("-wal", "-shm"))))


def _choose_aside_path(path: Path) -> Path:
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    # Two damages within one second must not overwrite each other's evidence.
    names = (f"{path.name}.damaged-{stamp}{suffix}" for suffix in ("", *(f".{n}" for n in range(2, 1000))))
    free = (path.with_name(name) for name in names if not path.with_name(name).exists())
    return next(free)


def _rename_existing(source: Path, target: Path) -> None:
    if source.exists():
        source.rename(target)

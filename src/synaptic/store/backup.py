"""A copy of the database from before its schema is changed; the newest two are kept."""

import os
import sqlite3  # noqa: TID251 - this is the room it is kept in
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from synaptic.model.errors import StoreError
from synaptic.store.schema import find_latest_version

KEPT_COPIES = 2
NAME_PART = ".schema-"


def keep_copy(connection: sqlite3.Connection, path: Path, version: int) -> Path:
    """Copy the whole database, and forget copies that are older than the last two.

    Raises StoreError when there is no room for it: then nothing may be changed, and nothing has been.
    """
    copy = _choose_name(path, version)
    try:
        os.close(os.open(copy, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
        with closing(sqlite3.connect(copy, isolation_level=None)) as target:
            connection.backup(target)
            # Whole in one file: who takes it back moves one name.
            target.execute("PRAGMA journal_mode = DELETE").fetchone()
    except (OSError, sqlite3.Error) as error:
        _remove(copy)
        raise StoreError(
            f"stays at version {version} and is not brought to {find_latest_version()}, since no copy of it can be "
            f"kept first ({getattr(error, 'strerror', None) or error})",
            where=str(path),
            hint=f"make room for {_measure(path)} MB there: df {path.parent}; then type: synaptic up",
        ) from error
    for old in list_copies(path)[:-KEPT_COPIES]:
        _remove(old)
    return copy


def list_copies(path: Path) -> tuple[Path, ...]:
    """The copies that are there, oldest first."""
    found = path.parent.glob(f"{path.name}{NAME_PART}*")
    return tuple(
        sorted((file for file in found if not file.name.endswith(("-journal", "-wal", "-shm"))), key=_read_age)
    )


def _choose_name(path: Path, version: int) -> Path:
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    return path.with_name(f"{path.name}{NAME_PART}{version:04d}-{stamp}")


def _read_age(file: Path) -> str:
    """By the time in its name: a copy that was touched is not younger for that."""
    return file.name.rpartition("-")[2]


def _measure(path: Path) -> int:
    try:
        return path.stat().st_size // 1_000_000 + 1
    except OSError:
        return 1


def _remove(copy: Path) -> None:
    for suffix in ("", "-journal", "-wal", "-shm"):
        Path(f"{copy}{suffix}").unlink(missing_ok=True)

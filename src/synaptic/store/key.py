"""The key that sections are signed with: created once, atomically, readable by its user only."""

import os
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from synaptic.files.bounded import PASSING_ERRORS
from synaptic.model.errors import StoreError
from synaptic.store import damage
from synaptic.store.db import Store
from synaptic.store.losses import KEY_NAME

KEY_BYTES = 32


class _KeyCache:
    key = b""
    """Once it has been read."""
    is_durable = False
    """Whether it was read beside a database on disk; one made for memory must sign nothing that stays."""


def read_signing_key(store: Store) -> bytes:
    """Read or create the key of this home. Where no file can be written, a key that lives as long as this process.

    Raises StoreError where it is there and cannot be read for the moment.
    """
    cache = store.cache(_KeyCache)
    if not cache.key or cache.is_durable < store.durable:
        cache.key, cache.is_durable = _read_or_make_key(store), store.durable
    return cache.key


def locate_key(store: Store) -> Path:
    """Path of the key file."""
    return store.path.with_name(KEY_NAME)


def _read_or_make_key(store: Store) -> bytes:
    path = locate_key(store)
    try:
        # In this order: another process may create the key between the first read and our own attempt.
        # None is made beside a database in memory: a key without a database means that one was lost.
        return _read_key(path) or _make_missing(store, path) or _renew_key(store, path)
    except OSError as error:
        if error.errno in PASSING_ERRORS:
            # Nothing is signed with another key, nor is the key renewed, because a descriptor was missing for a moment.
            raise StoreError(f"{path}: cannot be read ({error.strerror})", hint="run `synaptic doctor`") from error
        store.notices.append(
            f"{path}: cannot be used ({error.strerror or error}); sections signed before are not believed, "
            "and what is written now is not believed after a restart (synaptic doctor)"
        )
        return os.urandom(KEY_BYTES)


def _read_key(path: Path) -> bytes:
    """The key, or nothing where there is none that can be used."""
    try:
        key = path.read_bytes()
    except OSError as error:
        if error.errno in PASSING_ERRORS:
            raise
        return b""
    return key if len(key) == KEY_BYTES else b""


def _make_missing(store: Store, path: Path) -> bytes:
    return _make_key(path) if store.durable or path.exists() else os.urandom(KEY_BYTES)


def _make_key(path: Path) -> bytes:
    """Create the key unless there is one: a hard link appears with its whole content and never replaces a file."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}")
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(os.urandom(KEY_BYTES))
        with suppress(FileExistsError):
            path.hardlink_to(fresh)
    finally:
        fresh.unlink()
    return _read_key(path)


def _renew_key(store: Store, path: Path) -> bytes:
    """Move an unusable key aside, in one process, and create a new one; sections signed before are distrusted."""
    with damage.lock_database(store.path):
        # Another process may have renewed it while this one waited for the lock.
        if key := _read_key(path):
            return key
        aside = path.with_name(f"{path.name}.unusable-{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}")
        path.rename(aside)
        key = _make_key(path)
    store.notices.append(
        f"{path}: could not be read as a key; moved to {aside.name}, a new one was made. Sections signed before are "
        "not believed: breakers count as tripped and safemode as on until you reset them, and no exception made before "
        "counts (synaptic grants list)"
    )
    return key

"""The secret that sections are signed with: made once, whole at once, readable by its user only."""

import os
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from synaptic.store import damage
from synaptic.store.db import Store

KEY_BYTES = 32


class _KeyCache:
    key = b""
    """Once it has been read."""


def signing_key(store: Store) -> bytes:
    """The key of this home. Where there can be no file, one that lives as long as this process."""
    cache = store.cache(_KeyCache)
    if not cache.key:
        cache.key = _found(store)
    return cache.key


def key_path(store: Store) -> Path:
    """Where the key is kept."""
    return store.path.with_name("state.key")


def _found(store: Store) -> bytes:
    path = key_path(store)
    try:
        return _read(path) or _made(path) or _renewed(store, path)
    except OSError as error:
        store.notices.append(
            f"{path}: cannot be used ({error.strerror or error}); sections signed before are not believed, "
            "and what is written now is not believed after a restart (synaptic doctor)"
        )
        return os.urandom(KEY_BYTES)


def _read(path: Path) -> bytes:
    """The key, or nothing where there is none that can be used."""
    with suppress(OSError):
        key = path.read_bytes()
        if len(key) == KEY_BYTES:
            return key
    return b""


def _made(path: Path) -> bytes:
    """A new key under its name, unless something is there: a link appears whole, and never replaces."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}")
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(os.urandom(KEY_BYTES))
        with suppress(FileExistsError):
            path.hardlink_to(fresh)
    finally:
        fresh.unlink()
    return _read(path)


def _renewed(store: Store, path: Path) -> bytes:
    """What is there is no key: it is set aside by one process, and everything that it signed is not believed."""
    with damage.alone(store.path):
        if key := _read(path):
            return key
        aside = path.with_name(f"{path.name}.unusable-{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}")
        path.rename(aside)
        key = _made(path)
    store.notices.append(
        f"{path}: could not be read as a key; moved to {aside.name}, a new one was made. Sections signed before are "
        "not believed: breakers count as tripped and safemode as on until you reset them"
    )
    return key

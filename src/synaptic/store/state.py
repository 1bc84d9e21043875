"""Signed sections: written with their event, believed only while their signature is right."""

import hashlib
import hmac
import os
import time
from collections.abc import Iterable
from contextlib import suppress

import msgspec

from synaptic.model.state import SCOPES, Change, Section, State, changed
from synaptic.store.db import Connection, Store
from synaptic.store.record import Record

KEY_BYTES = 32
SELECT = "SELECT value, mac FROM state WHERE scope = ? AND owner = ? AND section = ?"
WRITE = """
INSERT INTO state (scope, owner, section, value, mac, at) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (scope, owner, section) DO UPDATE SET value = excluded.value, mac = excluded.mac, at = excluded.at
"""


class Owner(msgspec.Struct, frozen=True):
    """Whose sections: a project's by its root, a session's by its id."""

    root: str = ""
    session: str = ""

    def of(self, scope: str) -> str:
        return self.root if scope == "project" else self.session


def read(store: Store, owner: Owner, names: Iterable[str]) -> State:
    """The sections of these names, and which of them somebody else wrote."""
    key = signing_key(store)
    found = store.read(lambda connection: {name: _row(connection, owner, name) for name in names})
    good = {name: row[0] for name, row in found.items() if row and _genuine(key, owner, name, row)}
    bad = frozenset(name for name, row in found.items() if row and name not in good)
    return State({name: msgspec.json.decode(value) for name, value in good.items()}, bad)


def write(store: Store, owner: Owner, change: Change) -> Section:
    """One change outside of an event, such as a person's own; returns the section as it is then."""
    key = signing_key(store)
    return store.write(lambda connection: _apply(connection, key, owner, change))


def settle(connection: Connection, store: Store, record: Record) -> None:
    """In the transaction of the event: every change that its decision carries."""
    changes = [effect for effect in record.decision.effects if isinstance(effect, Change)]
    if changes:
        key = signing_key(store)
        owner = Owner(record.root, record.session)
        for change in changes:
            _apply(connection, key, owner, change)


def signing_key(store: Store) -> bytes:
    """The secret of this home: made once, readable by its user only; in memory where there is no disk."""
    if not store.key:
        store.key = _key_file(store)
    return store.key


def _key_file(store: Store) -> bytes:
    path = store.path.with_name("state.key")
    with suppress(FileExistsError, OSError):
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(os.urandom(KEY_BYTES))
    with suppress(OSError):
        key = path.read_bytes()
        if len(key) == KEY_BYTES:
            return key
    return os.urandom(KEY_BYTES)


def _apply(connection: Connection, key: bytes, owner: Owner, change: Change) -> Section:
    scope, name = _split(change.section)
    row = _row(connection, owner, change.section)
    before = msgspec.json.decode(row[0]) if row and _genuine(key, owner, change.section, row) else {}
    after = changed(before, change)
    value = msgspec.json.encode(after)
    mac = _mac(key, owner, change.section, value)
    connection.execute(WRITE, (scope, owner.of(scope), name, value, mac, time.time()))
    return after


def _row(connection: Connection, owner: Owner, section: str) -> tuple[bytes, bytes] | None:
    scope, name = _split(section)
    row = connection.execute(SELECT, (scope, owner.of(scope), name)).fetchone()
    return (bytes(row[0]), bytes(row[1])) if row else None


def _genuine(key: bytes, owner: Owner, section: str, row: tuple[bytes, bytes]) -> bool:
    return hmac.compare_digest(_mac(key, owner, section, row[0]), row[1])


def _mac(key: bytes, owner: Owner, section: str, value: bytes) -> bytes:
    """Over the place as well as the value: a section cannot be moved to another project."""
    place = f"{section}\0{owner.of(_split(section)[0])}\0".encode("utf-8", "surrogatepass")
    return hmac.digest(key, place + value, hashlib.sha256)


def _split(section: str) -> tuple[str, str]:
    scope, _, name = section.partition(":")
    if scope not in SCOPES or not name:
        raise ValueError(f"a section is named `project:NAME` or `session:NAME`, not {section!r}")
    return scope, name

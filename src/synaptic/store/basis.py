"""What decisions rest on: facts and catalogs, redacted, each text kept once under its own digest.

A row that says something else than its digest was changed by somebody: it is told, and never believed.
"""

import hashlib
from collections.abc import Iterable
from functools import lru_cache

from synaptic.store.db import Connection, Store
from synaptic.store.record import SealedText
from synaptic.store.redact import redact_bytes

DIGEST_BYTES = 8
SMALL_BYTES = 4096
"""A text up to this size is sealed once while it comes again."""
REFRESH_SECONDS = 3600.0
KEPT_SECONDS = 24 * 3600.0
"""A text is kept this much longer than it was used: its time is noted only now and then."""
REDACTED_MARK = b"[redacted:"
UPSERT_TEXT = """
INSERT INTO basis (id, at, value) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET at = max(at, excluded.at)
"""
SELECT_TEXT = "SELECT value FROM basis WHERE id = ?"
SELECT_OF_EVENTS = "SELECT id, basis FROM events WHERE id >= ? AND id <= ?"
DELETE_OLD_TEXTS = "DELETE FROM basis WHERE at < ?"


class _KnownTexts:
    """Which texts are in the database, and since when this process knows that."""

    def __init__(self) -> None:
        self.generation: object = None
        self.since: dict[int, float] = {}

    def select_due(self, store: Store, texts: Iterable[SealedText], at: float) -> list[SealedText]:
        """Those that must be written: new ones, and those whose time is old."""
        if self.generation != store.generation:
            self.generation, self.since = store.generation, {}
        return [text for text in texts if not 0 <= at - self.since.get(text.id, 0.0) < REFRESH_SECONDS]


def seal_text(raw: bytes) -> SealedText:
    """A text as it is kept."""
    return _seal_small(raw) if len(raw) <= SMALL_BYTES else _seal(raw)


def _seal(raw: bytes) -> SealedText:
    value = redact_bytes(raw)
    return SealedText(hash_text(value), value)


_seal_small = lru_cache(maxsize=512)(_seal)


def hash_text(value: bytes) -> int:
    """The name of a text: a number that SQLite can hold."""
    return int.from_bytes(hashlib.blake2b(value, digest_size=DIGEST_BYTES).digest()) >> 1


def keep_texts(connection: Connection, store: Store, texts: Iterable[SealedText], at: float) -> None:
    """Write what is not there yet, in the transaction of the event that rests on it."""
    for text in store.cache(_KnownTexts).select_due(store, texts, at):
        connection.execute(UPSERT_TEXT, (text.id, at, text.value))


def note_kept(store: Store, texts: Iterable[SealedText], at: float) -> None:
    """After that transaction: they need not be written again for a while."""
    known = store.cache(_KnownTexts)
    for text in known.select_due(store, texts, at):
        known.since[text.id] = at


def read_basis_ids(store: Store, first: int, last: int) -> dict[int, int]:
    """Of the events with these numbers, what each rests on; one that rests on nothing known is not among them."""
    rows = store.read(lambda connection: connection.execute(SELECT_OF_EVENTS, (first, last)).fetchall())
    return {id: name for id, name in rows if isinstance(name, int)}


def read_text(store: Store, id: int) -> bytes | None:
    """A text by its name; None where there is none, or where it is not what was written."""
    row = store.read(lambda connection: connection.execute(SELECT_TEXT, (id,)).fetchone())
    value = row[0] if row else None
    if isinstance(value, str):
        value = value.encode("utf-8", "replace")
    return value if isinstance(value, bytes) and hash_text(value) == id else None


def delete_old_texts(connection: Connection, before: float) -> None:
    """Forget what no event after that time can name."""
    connection.execute(DELETE_OLD_TEXTS, (before - KEPT_SECONDS,))

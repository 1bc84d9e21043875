"""What decisions rest on: facts and catalogs, redacted, each text kept once under its own digest.

A row that says something else than its digest was changed by somebody: it is told, and never believed.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from itertools import islice

import msgspec

from synaptic.store.db import Connection, Store
from synaptic.store.packed_texts import SELECT_BASES, compress_text, find_base, pack_text, unpack_text
from synaptic.store.record import SealedText
from synaptic.store.redact_parts import redact_json

DIGEST_BYTES = 8
SMALL_BYTES = 4096
"""A text up to this size is sealed once while it comes again."""
REFRESH_SECONDS = 3600.0
SETTLED_SECONDS = 60.0
"""For so long the very same texts are not looked up again."""
KEPT_SECONDS = 24 * 3600.0
"""A text is kept this much longer than it was used: its time is noted only now and then."""
MAX_KNOWN = 20_000
MAX_BASES = 128
MOST_OF_BASE = 16 << 10
"""Bytes of a text that others are made of: they stay in memory."""
REDACTED_MARK = b"[redacted:"
PUT_TEXT = "INSERT INTO basis (id, at, value) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET at = max(at, excluded.at)"
UPSERT_WHOLE = f"{PUT_TEXT}, value = excluded.value"
"""What other texts are made of is there by itself, also where it was made of another one before."""
SELECT_TEXT = "SELECT CAST(value AS BLOB) FROM basis WHERE id = ?"
SELECT_OF_EVENTS = "SELECT id, basis FROM events WHERE id >= ? AND id <= ?"
MOST_AHEAD = 16 << 10
"""Bytes of a stored text that is read before it is asked for: what an event rests on is hardly ever longer."""
SELECT_NAMED = f"""
SELECT id, value FROM basis WHERE typeof(value) = 'blob' AND length(value) <= {MOST_AHEAD}
AND id IN (SELECT value FROM json_each(?))
"""
MOST_NAMED = 2000
"""Texts that are read ahead because others name them: a page of real events names a quarter of that."""
DELETE_OLD_TEXTS = f"DELETE FROM basis WHERE at < ?1 AND id NOT IN ({SELECT_BASES})"


class _TextBase(msgspec.Struct):
    """A text that is in the database by itself, and what was made of it."""

    text: SealedText
    size: int
    """As it is stored."""
    spent: int = 0
    """Bytes of all that was made of it: with more than its own, a newer one is cheaper."""


class _KnownTexts:
    """Which texts are in the database, and since when this process knows that."""

    def __init__(self) -> None:
        self.generation: object = None
        self.since: dict[int, float] = {}
        self.bases: OrderedDict[str, _TextBase] = OrderedDict()
        """By place."""
        self.written: dict[int, bytes] = {}
        """In the transaction that runs, as they are stored."""
        self.settled: tuple[Iterable[SealedText], float] = ((), 0.0)
        """The texts of the last event that needed nothing written, and when that was looked at."""

    def select_due(self, store: Store, texts: Iterable[SealedText], at: float) -> list[SealedText]:
        """Those that must be written: new ones, and those whose time is old."""
        if self.generation != store.generation:
            self.generation, self.since, self.written = store.generation, {}, {}
            self.bases.clear()
            self.settled = ((), 0.0)
        same, since = self.settled
        if same is texts and 0 <= at - since < SETTLED_SECONDS:
            return []
        due = [text for text in texts if not 0 <= at - self.since.get(text.id, 0.0) < REFRESH_SECONDS]
        if not due:
            self.settled = (texts, at)
        return due

    def find_base(self, text: SealedText, at: float) -> _TextBase | None:
        """What a text can be made of: surely there for as long as the text."""
        base = self.bases.get(text.place) if text.place else None
        if base is None or base.spent > base.size or base.text.id == text.id:
            return None
        return base if 0 <= at - self.since.get(base.text.id, 0.0) < REFRESH_SECONDS else None

    def note(self, text: SealedText, at: float) -> None:
        """It is on disk."""
        self.since[text.id] = at
        if len(self.since) > MAX_KNOWN:
            self.since = dict(islice(self.since.items(), MAX_KNOWN // 2, None))
        stored = self.written.pop(text.id, None)
        if stored is None or not text.place or len(text.value) > MOST_OF_BASE:
            return
        if not find_base(stored):
            self.bases[text.place] = _TextBase(text, len(stored))
            if len(self.bases) > MAX_BASES:
                self.bases.popitem(last=False)
        elif base := self.bases.get(text.place):
            base.spent += len(stored)


class _ReadBases(OrderedDict[int, bytes]):
    """Texts that others are made of, read before: the next text is made of the same one."""


class _ReadAhead:
    """What the events of a page rest on: three questions instead of one for each text."""

    def __init__(self) -> None:
        self.stored: dict[int, bytes] = {}
        self.texts: dict[int, bytes] = {}
        """Those that were unpacked to see what they name."""

    def clear(self) -> None:
        self.stored.clear()
        self.texts.clear()


class _NamedTexts(msgspec.Struct):
    """The texts that a look names: all that this room has to know about one."""

    needs: int = 0
    texts: dict[str, int] = {}


class _NamingText(msgspec.Struct):
    """The text of an event, which names others."""

    looks: tuple[_NamedTexts, ...] = ()


_naming = msgspec.json.Decoder(_NamingText)


def seal_text(raw: bytes, place: str = "") -> SealedText:
    """A text as it is kept."""
    sealed = _seal_small(raw) if len(raw) <= SMALL_BYTES else _seal(raw)
    return SealedText(sealed.id, sealed.value, place) if place else sealed


def _seal(raw: bytes) -> SealedText:
    value = redact_json(raw)
    return SealedText(hash_text(value), value)


_seal_small = lru_cache(maxsize=512)(_seal)


def seal_clean(raw: bytes, place: str) -> SealedText:
    """A text that was read from the database, where nothing with a secret is."""
    return SealedText(hash_text(raw), raw, place)


def hash_text(value: bytes) -> int:
    """The name of a text: a number that SQLite can hold."""
    return int.from_bytes(hashlib.blake2b(value, digest_size=DIGEST_BYTES).digest()) >> 1


def keep_texts(connection: Connection, store: Store, texts: Iterable[SealedText], at: float) -> None:
    """Write what is not there yet, in the transaction of the event that rests on it."""
    known = store.cache(_KnownTexts)
    for text in known.select_due(store, texts, at):
        base = known.find_base(text, at)
        packed = pack_text(text.value, (base.text.id, base.text.value)) if base else None
        stored = known.written[text.id] = packed or compress_text(text.value)
        connection.execute(PUT_TEXT if packed else UPSERT_WHOLE, (text.id, at, stored))


def note_kept(store: Store, texts: Iterable[SealedText], at: float) -> None:
    """After that transaction: they need not be written again for a while."""
    known = store.cache(_KnownTexts)
    if not known.written:
        return  # as with most events: all was there
    for text in known.select_due(store, texts, at):
        known.note(text, at)


def read_basis_ids(store: Store, first: int, last: int) -> dict[int, int]:
    """Of the events with these numbers, what each rests on; one that rests on nothing known is not among them."""
    rows = store.read(lambda connection: connection.execute(SELECT_OF_EVENTS, (first, last)).fetchall())
    return {id: name for id, name in rows if isinstance(name, int)}


@contextmanager
def read_ahead(store: Store, ids: Iterable[int]) -> Iterator[None]:
    """Have these texts at hand, which events rest on, with those that they name."""
    ahead = store.cache(_ReadAhead)
    _fetch_named(store, ids)
    _fetch_named(store, _list_bases(store, ahead))
    named = {id for text in _unpack_ahead(store, ahead) for id in _list_named(text)}
    _fetch_named(store, named)
    _fetch_named(store, _list_bases(store, ahead))
    try:
        yield
    finally:
        ahead.clear()


def _fetch_named(store: Store, ids: Iterable[int]) -> None:
    """Read texts by their names in one question, but those that are there."""
    stored = store.cache(_ReadAhead).stored
    wanted = msgspec.json.encode([id for id in islice(ids, MOST_NAMED) if id not in stored]).decode()
    if wanted != "[]":
        stored.update(store.read(lambda connection: connection.execute(SELECT_NAMED, (wanted,)).fetchall()))


def _list_bases(store: Store, ahead: _ReadAhead) -> set[int]:
    """The texts that those at hand are made of."""
    known = store.cache(_ReadBases)
    return {base for stored in ahead.stored.values() if (base := find_base(stored)) and base not in known}


def _unpack_ahead(store: Store, ahead: _ReadAhead) -> Iterable[bytes]:
    """The texts of the events themselves. What is longer than a text should be is not kept."""
    for id in list(ahead.stored):
        text = read_text(store, id)
        if text is not None and len(text) <= MOST_AHEAD:
            ahead.texts[id] = text
            yield text


def _list_named(text: bytes) -> Iterable[int]:
    try:
        looks = _naming.decode(text).looks
    except (msgspec.MsgspecError, RecursionError):
        return ()  # whoever reads it finds that out
    return [id for look in looks for id in (look.needs, *look.texts.values())]


def read_text(store: Store, id: int) -> bytes | None:
    """A text by its name; None where there is none, or where it is not what was written."""
    if (known := store.cache(_ReadAhead).texts.get(id)) is not None:
        return known
    stored = _read_stored(store, id)
    value = unpack_text(stored, lambda base: _read_base(store, base)) if stored is not None else None
    return value if value is not None and hash_text(value) == id else None


def _read_base(store: Store, id: int) -> bytes | None:
    """A text that another one is made of: it is never made of one itself."""
    known = store.cache(_ReadBases)
    if id in known:
        return known[id]
    stored = _read_stored(store, id)
    value = unpack_text(stored, lambda _: None) if stored is not None else None
    if value is not None:
        known[id] = value
        if len(known) > MAX_BASES:
            known.popitem(last=False)
    return value


def _read_stored(store: Store, id: int) -> bytes | None:
    if (known := store.cache(_ReadAhead).stored.get(id)) is not None:
        return known
    row = store.read(lambda connection: connection.execute(SELECT_TEXT, (id,)).fetchone())
    return row[0] if row and isinstance(row[0], bytes) else None


def delete_old_texts(connection: Connection, before: float) -> None:
    """Forget what no event after that time can name."""
    connection.execute(DELETE_OLD_TEXTS, (before - KEPT_SECONDS,))

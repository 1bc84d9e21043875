"""Signed state sections: written with their event, used only while their signature is right.

A section that somebody else wrote is put into quarantine by whoever reads or changes it first. A wary one takes its
place (`model/sane.py`), and `project:tampering` remembers it until a person has been told.
"""

import hashlib
import hmac
import json
import time
from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from typing import TypeVar

import msgspec

from synaptic.model.errors import StoreError
from synaptic.model.sane import TAMPERING, WARY, distrusted_section
from synaptic.model.state import SCOPES, Change, Section, State, apply_change
from synaptic.store.db import NO_VERSION, Connection, Store
from synaptic.store.key import read_signing_key
from synaptic.store.known_rows import KnownRows, ReadRow, RowKey, StoredRow
from synaptic.store.record import EventRecord
from synaptic.store.redact_parts import redact_json

SELECT_SECTIONS = "SELECT section, value, mac, at FROM state WHERE scope = ? AND owner = ?"
SELECT_SECTION = "SELECT value, mac, at FROM state WHERE scope = ? AND owner = ? AND section = ?"
PUT_SECTION = """
INSERT INTO state (scope, owner, section, value, mac, at) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (scope, owner, section) DO UPDATE SET value = excluded.value, mac = excluded.mac,
"""
UPSERT_SECTION = f"{PUT_SECTION} at = max(excluded.at, state.at + 0.00001) RETURNING at"
"""The time, made to grow: with a clock that was set back, a later row is still the newer one."""
RESTORE_SECTION = f"{PUT_SECTION} at = excluded.at"
INSERT_QUARANTINE = "INSERT INTO quarantine (scope, owner, section, value, mac, at) VALUES (?, ?, ?, ?, ?, ?)"
SELECT_QUARANTINE = "SELECT section, at FROM quarantine WHERE scope = 'project' AND owner = ? ORDER BY id DESC LIMIT 50"

MAX_OWNERS = 64
"""Upper bound of the cache."""
T = TypeVar("T")
WRITTEN_HERE: Section = {"": "written"}
"""Stands for a section that this process wrote, until it is read again."""
SectionRevision = Callable[[Section], Section]


class _SectionCache:
    """What this process has read of the sections, as of `version`."""

    def __init__(self) -> None:
        self.version = NO_VERSION
        self.sections: dict[tuple[str, str], dict[str, Section | None]] = {}
        """By scope and owner; None for one that is not genuine."""
        self.states: dict[tuple[str, str, frozenset[str]], State] = {}
        """The same, as somebody asked for them."""
        self.rows = KnownRows()
        """Rows whose signature has been looked at."""


class _ChangeValues(msgspec.Struct, frozen=True):
    put: dict[str, object]
    append: dict[str, object]


class SectionOwner(msgspec.Struct, frozen=True):
    """Whose sections: a project's by its root, a session's by its id."""

    root: str = ""
    session: str = ""

    def get_key(self, scope: str) -> str:
        owner = self.root if scope == "project" else self.session
        return owner if owner.isascii() else owner.encode("utf-8", "replace").decode()


def read_state(store: Store, owner: SectionOwner, names: Iterable[str]) -> State:
    """Read sections; forged ones are reported as tampered, quarantined and replaced by their cautious version."""
    wanted = frozenset(names)
    found = _read_sections(store, owner, wanted)
    if not found.tampered:
        return found
    try:
        write_changes(
            store,
            lambda connection: [_quarantine_section(connection, store, owner, name) for name in sorted(found.tampered)],
        )
    except StoreError:
        return found  # where nothing can be written they stay as they are, and the next reader does not believe them
    believed = _read_sections(store, owner, wanted - found.tampered)
    return State(believed.sections, found.tampered | believed.tampered)


def recall_state(store: Store, owner: SectionOwner, names: Iterable[str]) -> State:
    """What this process last knew of some sections, where they cannot be read now: that relaxes nothing."""
    rows = store.cache(_SectionCache).rows
    found: dict[str, Section | None] = {}
    for name in names:
        scope, key = _split_name(name)[0], owner.get_key(_split_name(name)[0])
        if row := rows.recall((key, name)):
            found[name] = row[1]
        elif name in WARY and owner.root and store.has_signed_state() and not rows.has_looked(scope, key):
            found[name] = None
    return msgspec.structs.replace(_build_state(found, frozenset(found)), known=False)


def write_change(store: Store, owner: SectionOwner, change: Change) -> Section:
    """Write one change outside of an event (a person's command); returns the section afterwards."""
    return revise_section(store, owner, change.section, lambda before: apply_change(before, change))


def revise_section(store: Store, owner: SectionOwner, section: str, work: SectionRevision) -> Section:
    """Replace a section by what `work` makes of the stored one, in one transaction."""
    return write_changes(store, lambda connection: _revise_stored(connection, store, owner, (section, work)))


def write_changes(store: Store, work: Callable[[Connection], T], *, follows: bool = False) -> T:
    """Write as `Store.write` does; sections that change on the way are known once they are on disk."""
    rows = store.cache(_SectionCache).rows
    written: dict[RowKey, ReadRow] = {}

    def begin(connection: Connection) -> T:
        nonlocal written
        written = rows.begin()  # a transaction that failed may be tried again: what it wrote then does not count
        return work(connection)

    result = store.write(begin, follows=follows)
    if written and store.durable:  # what holds while nothing can be read must not be written to the disk afterwards
        rows.keep(written)
        store.recent.restorers["state"] = partial(_restore_known, store)
    return result


def record_changes(connection: Connection, store: Store, record: EventRecord) -> None:
    """In the transaction of the event: write every state change of its decision."""
    owner = SectionOwner(record.root, record.session)
    for effect in record.decision.effects:
        if isinstance(effect, Change):
            _apply_change(connection, store, owner, effect)


def list_sections(store: Store, owner: SectionOwner) -> dict[str, bool]:
    """List an owner's stored sections and whether each is genuine, without quarantining anything."""
    rows = store.read(lambda connection: _select_rows(connection, owner, SCOPES))
    return {name: _verify_cached(store, owner, name, row) is not None for name, row in sorted(rows.items())}


def list_quarantine(store: Store, owner: SectionOwner) -> list[tuple[str, float]]:
    """List the forged sections of a project and when they were found, newest first."""
    return store.read(lambda connection: connection.execute(SELECT_QUARANTINE, (owner.get_key("project"),)).fetchall())


def sign_value(store: Store, owner: SectionOwner, name: str, value: bytes) -> str:
    """Sign a value that is stored elsewhere, such as a file; valid for this owner and name only."""
    return _compute_mac(read_signing_key(store), owner, f"project:{name}", value).hex()


def _read_sections(store: Store, owner: SectionOwner, names: frozenset[str]) -> State:
    return store.read(lambda connection: _read_cached(connection, store, owner, names))


def _read_cached(connection: Connection, store: Store, owner: SectionOwner, names: frozenset[str]) -> State:
    """Read from the cache while nobody has written since."""
    cache, now = store.cache(_SectionCache), store.version(connection)
    if now != cache.version or len(cache.sections) > MAX_OWNERS:
        cache.sections.clear()
        cache.states.clear()
        cache.version = now
        store.look_for_losses(connection)
    asked = (owner.root, owner.session, names)
    known = cache.states.get(asked)
    if known is None:
        found = _load_current(connection, store, owner, _find_scopes(names))
        if store.has_lost_state and owner.root:
            found = {**dict.fromkeys(WARY), **found}
        known = cache.states[asked] = _build_state(found, names)
    return known


def _build_state(found: dict[str, Section | None], names: frozenset[str]) -> State:
    known = {name: found[name] for name in names if name in found}
    bad = frozenset(name for name, value in known.items() if value is None)
    return State({name: value for name, value in known.items() if value is not None}, bad)


@lru_cache(maxsize=256)
def _find_scopes(names: frozenset[str]) -> frozenset[str]:
    return frozenset(_split_name(name)[0] for name in names)


def _load_current(
    connection: Connection, store: Store, owner: SectionOwner, scopes: frozenset[str]
) -> dict[str, Section | None]:
    """Every section of an owner, None for a forged one. Read again only after a change."""
    found: dict[str, Section | None] = {}
    sections = store.cache(_SectionCache).sections
    for scope in scopes:
        place = (scope, owner.get_key(scope))
        known = sections.get(place)
        if known is None:
            rows = _select_rows(connection, owner, (scope,))
            known = sections[place] = {name: _verify_cached(store, owner, name, row) for name, row in rows.items()}
            if store.durable:
                store.cache(_SectionCache).rows.note_looked(*place)
        for name in [name for name, value in known.items() if value is WRITTEN_HERE]:
            _read_again(connection, store, owner, (name, known))
        found.update(known)
    return found


def _read_again(
    connection: Connection, store: Store, owner: SectionOwner, written: tuple[str, dict[str, Section | None]]
) -> None:
    """Read a section again after this process wrote it: its transaction may have been rolled back."""
    section, known = written
    scope, name = _split_name(section)
    row = connection.execute(SELECT_SECTION, (scope, owner.get_key(scope), name)).fetchone()
    if row is None:
        del known[section]
    else:
        known[section] = _verify_cached(store, owner, section, row)


def _select_rows(connection: Connection, owner: SectionOwner, scopes: Iterable[str]) -> dict[str, StoredRow]:
    """One walk along the index a scope is cheaper than a search a section."""
    return {
        f"{scope}:{name}": (value, mac, at)
        for scope in scopes
        for name, value, mac, at in connection.execute(SELECT_SECTIONS, (scope, owner.get_key(scope)))
    }


def _revise_stored(
    connection: Connection, store: Store, owner: SectionOwner, revision: tuple[str, SectionRevision]
) -> Section:
    section, work = revision
    after = work(_read_stored(connection, store, owner, section))
    _write_encoded(connection, store, owner, (section, redact_json(_encode_section(after))))
    return after


def _apply_change(connection: Connection, store: Store, owner: SectionOwner, change: Change) -> None:
    """Apply an event's change. Stored values are redacted already, so only the new ones are searched."""
    clean = _clean_change(change)
    after = apply_change(_read_stored(connection, store, owner, change.section), clean)
    _write_section(connection, store, owner, (change.section, _encode_section(after), after))


def _clean_change(change: Change) -> Change:
    """Make a change storable: plain JSON values, with secrets redacted."""
    if not change.put and not change.append:
        return change
    values = msgspec.json.decode(
        redact_json(_encode_section({"put": change.put, "append": change.append})), type=_ChangeValues
    )
    return msgspec.structs.replace(change, put=values.put, append=values.append)


def _read_stored(connection: Connection, store: Store, owner: SectionOwner, section: str) -> Section:
    """Read a stored section; a forged one is quarantined and its cautious version returned."""
    scope, name = _split_name(section)
    row = connection.execute(SELECT_SECTION, (scope, owner.get_key(scope), name)).fetchone()
    known: Section | None = (
        _verify_cached(store, owner, section, row) if row else _assume_missing(store, owner, section)
    )
    return _quarantine_section(connection, store, owner, section) if known is None else known


def _assume_missing(store: Store, owner: SectionOwner, section: str) -> Section | None:
    """A section that is not stored: empty, or not to be believed where it may have been lost."""
    return None if store.has_lost_state and owner.root and section in WARY else {}


def _quarantine_section(connection: Connection, store: Store, owner: SectionOwner, section: str) -> Section:
    """Quarantine a forged section, store its cautious version, and note it so that the user is told."""
    scope, name = _split_name(section)
    place = (scope, owner.get_key(scope), name)
    row = connection.execute(SELECT_SECTION, place).fetchone()
    # Looked up again inside the write lock: two readers that met the same forgery must quarantine it once.
    if row is not None and _verify_cached(store, owner, section, row) is not None:
        return {}  # somebody else has dealt with it
    if row is not None:
        connection.execute(INSERT_QUARANTINE, (*place, *row[:2], time.time()))
    elif _assume_missing(store, owner, section) is not None:
        return {}
    _write_encoded(connection, store, owner, (section, _encode_section(distrusted_section(section))))
    note = Change(section=TAMPERING, append={"entries": {"what": section, "at": time.time()}}, add={"untold": 1})
    _revise_stored(connection, store, owner, (TAMPERING, partial(apply_change, change=note)))
    why = "was lost with a damaged database" if store.durable else "cannot be read now"
    why = "was not written by the engine: it is in quarantine" if row else why
    store.notices.append(
        f"{section} of {owner.get_key(scope) or 'no project'} {why}, and the cautious answer holds until you reset it "
        "(synaptic state list)"
    )
    return distrusted_section(section)


def _write_encoded(connection: Connection, store: Store, owner: SectionOwner, written: tuple[str, bytes]) -> None:
    section, value = written
    _write_section(connection, store, owner, (section, value, _decode_section(value)))


def _write_section(
    connection: Connection, store: Store, owner: SectionOwner, written: tuple[str, bytes, Section | None]
) -> None:
    section, value, values = written
    scope, name = _split_name(section)
    place = (scope, owner.get_key(scope))
    mac = _compute_mac(read_signing_key(store), owner, section, value)
    ((at,),) = connection.execute(UPSERT_SECTION, (*place, name, value, mac, time.time())).fetchall()
    cache = store.cache(_SectionCache)
    cache.rows.note_written((place[1], section), (value, mac, at), values)
    cache.states.clear()
    if place in cache.sections:
        cache.sections[place][section] = WRITTEN_HERE


def _encode_section(values: Section) -> bytes:
    try:
        return msgspec.json.encode(values, enc_hook=repr)
    except UnicodeEncodeError:  # text from outside that UTF-8 cannot hold
        return json.dumps(values, ensure_ascii=False, default=repr).encode("utf-8", "replace")


def _decode_section(value: bytes) -> Section | None:
    try:
        return msgspec.json.decode(value, type=dict[str, object])
    except msgspec.DecodeError:
        return None


def _verify_cached(store: Store, owner: SectionOwner, section: str, row: StoredRow) -> Section | None:
    """The values of a stored section; None when they are not ours, or no section of any version."""
    key, rows = (owner.get_key(_split_name(section)[0]), section), store.cache(_SectionCache).rows
    if known := rows.find(key, row):
        return known[1]
    values = _verify_value(store, owner, section, row)
    if store.durable:  # what holds while nothing can be read must not be written to the disk afterwards
        rows.note_seen(key, row, values)
        store.recent.restorers["state"] = partial(_restore_known, store)
    return values


def _restore_known(store: Store, connection: Connection) -> None:
    """Write the sections again that this process knows, where the file has none or an older one: nothing relaxes."""
    for (key, section), known in store.cache(_SectionCache).rows.list_genuine():
        scope, name = _split_name(section)
        stored = connection.execute(SELECT_SECTION, (scope, key, name)).fetchone()
        if stored is None or _is_newer(store, (key, section), known, stored):
            connection.execute(RESTORE_SECTION, (scope, key, name, *known))


def _is_newer(store: Store, key: RowKey, known: StoredRow, stored: StoredRow) -> bool:
    """Whether a known row is newer than the stored one, or is what that was before its bytes were changed."""
    if known[2] != stored[2]:
        return known[2] > stored[2]
    return known != stored and _verify_value(store, SectionOwner(key[0], key[0]), key[1], stored) is None


def _verify_value(store: Store, owner: SectionOwner, section: str, row: StoredRow) -> Section | None:
    value, mac, _ = row
    if not (isinstance(value, bytes) and isinstance(mac, bytes)):
        return None
    if not hmac.compare_digest(_compute_mac(read_signing_key(store), owner, section, value), mac):
        return None
    return _decode_section(value)


def _compute_mac(key: bytes, owner: SectionOwner, section: str, value: bytes) -> bytes:
    """MAC over scope, owner and value, so that a row cannot be copied to another project."""
    place = f"{section}\0{owner.get_key(_split_name(section)[0])}\0".encode("utf-8", "surrogatepass")
    return hmac.digest(key, place + value, hashlib.sha256)


def _split_name(section: str) -> tuple[str, str]:
    scope, _, name = section.partition(":")
    if scope not in SCOPES or not name:
        raise ValueError(f"a section is named `project:NAME` or `session:NAME`, not {section!r}")
    return scope, name

"""One row per tool call: written with the event that asks about it and the one that tells its result, pruned with them.

Inputs and numbers are kept as digests under the key of this home: they can be compared, and tell nobody what they were.
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from functools import lru_cache
from hashlib import blake2b
from threading import RLock

import msgspec

from synaptic.model.errors import StoreError
from synaptic.model.text import to_utf8
from synaptic.model.witness import Sign, WitnessedCall
from synaptic.store.db import Connection, Store
from synaptic.store.key import read_signing_key
from synaptic.store.record import EventRecord

MOST_INPUTS = 64
"""Different inputs under one number that are looked at: a model that gives every call the same number."""
MOST_CALLS = 500_000
"""Rows that are kept; with a journal that is never pruned the oldest sessions go."""
PUT_CALL = """
INSERT INTO witness (session, call, input, asked, ran, at, flags) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (session, call, input) DO UPDATE SET flags = flags | excluded.flags,
    asked = CASE WHEN flags & 256 OR excluded.asked = 0 THEN asked ELSE excluded.asked END,
    ran = CASE WHEN flags & 256 OR excluded.ran = 0 THEN ran ELSE excluded.ran END,
    at = CASE WHEN flags & 256 THEN at ELSE excluded.at END
"""
"""Events and time of what a person was told (256) stay those of which they were told."""
PUT_SESSION = """
INSERT INTO witness_sessions (session, agent, name, first, last) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (session) DO UPDATE SET last = max(last, excluded.last)
"""
SELECT_CALL = f"""
SELECT input, flags, asked FROM witness WHERE session = ?1 AND call = ?2 AND input = ?3 UNION ALL
SELECT * FROM (SELECT input, flags, asked FROM witness WHERE session = ?1 AND call = ?2 LIMIT {MOST_INPUTS})
"""
"""The very input first: others may be many."""
SELECT_INPUT = "SELECT input, flags, asked FROM witness WHERE session = ? AND call = 0 AND input = ?"
SELECT_OLD = "SELECT session, last < ?1 FROM witness_sessions WHERE first < ?1"
DELETE_CALLS = "DELETE FROM witness WHERE session = ? AND at < ?"
DELETE_SESSION = (
    "DELETE FROM witness_sessions WHERE session = ?1 AND NOT EXISTS (SELECT 1 FROM witness WHERE session = ?1)"
)
SELECT_SESSIONS = "SELECT session FROM witness_sessions ORDER BY last"
DELETE_QUIET = "DELETE FROM witness WHERE session = ? AND NOT flags & 256"
DELETE_ALL = "DELETE FROM witness WHERE session = ?"
LET_ALONE = (Sign.LET | Sign.NUMBERED, Sign.LET)
"""Of a call that went on as it was, and about which nothing else is known."""
MOST_WAITING = 24
_Place = tuple[str, str, bytes | int]
"""A session, a call's number and its input: they are hashed when they are written, and most of them together."""
LONGEST_KEPT = 4096
"""Bytes of an input in memory; a longer one is its digest there."""
_Row = tuple[int, int, int, int]
"""The event that asked, the one that told its result, when, and what is known."""
MOST_SESSIONS = 4096
LONGEST_NAME = 256
"""Letters of a session's name that is remembered; every agent's is far shorter."""
RESULT_EVENTS = frozenset({"PostToolUse", "PostToolUseFailure"})
TURN_EVENTS = frozenset({"SessionStart", "UserPromptSubmit", "Stop", "SubagentStop", "SessionEnd"})


class _KnownSessions(set[str]):
    """Sessions that have a row, as far as this process knows, by name."""


class _WaitingCalls:
    """Calls that were let through and whose result has not come: their rows are written with it, or a few together.

    A row for each would be the dearest part of writing an event about which nobody had anything to say. Who is killed
    before they are written leaves calls of which nothing is known: their results are not observable.
    """

    def __init__(self) -> None:
        self.lock = RLock()
        self.rows: dict[_Place, _Row] = {}
        self.begun: dict[_Place, _Row] = {}
        """Of the transaction that runs: what is rolled back was never let through."""
        self.written: tuple[_Place, ...] = ()
        """In the transaction that runs."""

    def __enter__(self) -> None:
        """What an earlier try had begun is not remembered."""
        self.lock.acquire()
        self.begun, self.written = {}, ()

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is None:  # it is committed
                for place in self.written:
                    self.rows.pop(place, None)
                self.rows.update(self.begun)
        finally:
            self.lock.release()


class KnownCall(msgspec.Struct, frozen=True):
    """What was known about a call before one event."""

    input: int
    by_input: Mapping[int, Sign]
    asked: int = 0
    """The event that asked about the very input."""

    @property
    def signs(self) -> Sign:
        """Of the very input."""
        return self.by_input.get(self.input, Sign(0))


def find_call(store: Store, session: str, call: WitnessedCall) -> KnownCall:
    """What is known about a call by its number, or where it has none by its input. Raises StoreError."""
    key = read_signing_key(store)
    named, input = digest_number(key, call.number), _digest(key, call.said)
    place = digest_session(key, session)
    sql, values = (SELECT_CALL, (place, named, input)) if named else (SELECT_INPUT, (place, input))
    rows = [
        *_find_waiting(store, key, session, call.number),
        *store.read(lambda connection: connection.execute(sql, values).fetchall()),
    ]
    signs: dict[int, Sign] = {}
    for found, flags, _ in rows:
        signs[found] = signs.get(found, Sign(0)) | Sign(flags)
    return KnownCall(input, signs, next((id for found, _, id in rows if found == input and id), 0))


def record_witness(connection: Connection, store: Store, record: EventRecord, id: int) -> None:
    """In the transaction of the event with this number: what it says about its call."""
    call = record.witnessed
    if call is None and record.event not in TURN_EVENTS:
        return
    if call is not None and _begin_waiting(store, record, call, id):
        return
    try:
        key = read_signing_key(store)
    except StoreError:
        return  # without the key nothing can be compared: not observable
    session = digest_session(key, record.session)
    _note_session(connection, store, record, session)
    if record.event in TURN_EVENTS or len(store.cache(_WaitingCalls).rows) >= MOST_WAITING:
        write_waiting(connection, store)
    if call is None:
        return
    ids = (0, id) if record.event in RESULT_EVENTS else (id, 0)
    at, signs = int(record.at), call.signs
    place = (record.session, call.number, _shorten_input(key, call.said))
    if _may_wait(record, call):
        store.cache(_WaitingCalls).begun[place] = (*ids, at, int(signs))
        return
    if call.let:
        # The answer lets another input through: this one is not to run.
        other = (record.session, call.number, _shorten_input(key, call.let))
        _put_call(connection, store, key, (other, (*ids, at, int(signs))))
        signs = signs & ~Sign.LET | Sign.REPLACED
    _put_call(connection, store, key, (place, (*ids, at, int(signs))))


def _may_wait(record: EventRecord, call: WitnessedCall) -> bool:
    """Whether it goes on as it was, under a number, and nothing else is known about it."""
    return bool(call.number) and call.signs in LET_ALONE and not call.let and record.event not in RESULT_EVENTS


def _begin_waiting(store: Store, record: EventRecord, call: WitnessedCall, id: int) -> bool:
    """The way of most calls, without a digest: in a session that has its row, and while not too many wait."""
    waiting = store.cache(_WaitingCalls)
    if len(call.said) > LONGEST_KEPT or len(waiting.rows) >= MOST_WAITING or not _may_wait(record, call):
        return False
    if record.session not in store.cache(_KnownSessions):
        return False
    waiting.begun[record.session, call.number, call.said] = (id, 0, int(record.at), int(call.signs))
    return True


def follow_calls(store: Store) -> AbstractContextManager[object]:
    """Around a transaction of events: what they let through waits for its result only once they are written."""
    return store.cache(_WaitingCalls)


def write_waiting(connection: Connection, store: Store) -> None:
    """Write what waits for a result; it is forgotten when that is committed."""
    waiting = store.cache(_WaitingCalls)
    places = tuple(waiting.rows)
    if places:
        key = read_signing_key(store)
        connection.executemany(PUT_CALL, [(*_hash_place(key, place), *waiting.rows[place]) for place in places])
        waiting.written += places


def flush_waiting(store: Store) -> None:
    """Before the process ends or somebody else looks. Raises StoreError."""
    if store.cache(_WaitingCalls).rows:
        with follow_calls(store):
            store.write(lambda connection: write_waiting(connection, store), follows=True)


def _put_call(connection: Connection, store: Store, key: bytes, said: tuple[_Place, _Row]) -> None:
    place, row = said
    waiting = store.cache(_WaitingCalls)
    asked = waiting.rows.get(place)
    hashed = _hash_place(key, place)
    if asked is not None:
        waiting.written += (place,)
        if row[0]:  # it was asked about again
            connection.execute(PUT_CALL, (*hashed, *asked))
        else:  # both in one row
            row = (asked[0], row[1], row[2], asked[3] | row[3])
    connection.execute(PUT_CALL, (*hashed, *row))


def _find_waiting(store: Store, key: bytes, session: str, number: str) -> list[tuple[int, int, int]]:
    rows = tuple(store.cache(_WaitingCalls).rows.items())
    return [(_hash_input(key, place[2]), row[3], row[0]) for place, row in rows if place[:2] == (session, number)]


def _shorten_input(key: bytes, said: bytes) -> bytes | int:
    return said if len(said) <= LONGEST_KEPT else _digest(key, said)


def _hash_input(key: bytes, kept: bytes | int) -> int:
    return kept if isinstance(kept, int) else _digest(key, kept)


def _hash_place(key: bytes, place: _Place) -> tuple[int, int, int]:
    session, number, said = place
    return digest_session(key, session), digest_number(key, number), _hash_input(key, said)


def forget_calls(connection: Connection, before: float) -> None:
    """Remove what is older, a session at a time: between two of them events can be written."""
    for session, is_over in connection.execute(SELECT_OLD, (int(before),)).fetchall():
        connection.execute(DELETE_CALLS, (session, int(before)))
        if is_over:
            connection.execute(DELETE_SESSION, (session,))
    # Sessions may be long over and rows still many where the journal is kept for ever.
    too_many = connection.execute("SELECT count(*) FROM witness").fetchone()[0] - MOST_CALLS
    for delete in (DELETE_QUIET, DELETE_ALL):  # what a person was told goes last: a flood of calls is no way to hide it
        for oldest in connection.execute(SELECT_SESSIONS).fetchall() if too_many > 0 else ():
            too_many -= connection.execute(delete, oldest).rowcount
            connection.execute(DELETE_SESSION, oldest)
            if too_many <= 0:
                return


@lru_cache(maxsize=256)
def digest_session(key: bytes, session: str) -> int:
    """The number under which a session's calls are kept."""
    return _digest(key, b"session\0" + session.encode("utf-8", "replace"))


@lru_cache(maxsize=256)
def digest_number(key: bytes, number: str) -> int:
    """Of the number that an agent gave a call; 0 for a call without one."""
    return _digest(key, b"call\0" + number.encode("utf-8", "replace")) or 1 if number else 0


def _digest(key: bytes, text: bytes) -> int:
    return int.from_bytes(blake2b(text, digest_size=8, key=key).digest(), "big", signed=True)


def _note_session(connection: Connection, store: Store, record: EventRecord, session: int) -> None:
    known = store.cache(_KnownSessions)
    if record.session in known and record.event not in TURN_EVENTS:
        return
    at = int(record.at)
    connection.execute(PUT_SESSION, (session, to_utf8(record.agent), to_utf8(record.session), at, at))
    if len(known) > MOST_SESSIONS:
        known.clear()
    if len(record.session) <= LONGEST_NAME:
        known.add(record.session)

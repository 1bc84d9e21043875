"""Read what was witnessed: counts by signs, the calls that a person was told of, sessions and their transcripts."""

import time
from collections.abc import Iterable, Mapping
from functools import partial
from itertools import islice
from typing import cast

import msgspec

from synaptic.model.witness import Sign
from synaptic.store.db import Connection, Row, Store
from synaptic.store.key import read_signing_key
from synaptic.store.witness import PUT_CALL, digest_number, digest_session

CALLS_PER_STEP = 200
"""Calls of a transcript that are noted in one transaction."""
STEP_PAUSE = 0.001
MOST_SESSIONS = 200
"""Sessions whose transcripts are compared at once, the newest."""
SELECT_COUNTS = "SELECT flags, count(*) FROM witness WHERE at >= ? GROUP BY flags"
SELECT_SESSION_COUNTS = "SELECT flags, count(*) FROM witness WHERE session = ? AND at >= ? GROUP BY flags"
SELECT_ALARMS = """
SELECT w.flags, w.asked, w.ran, w.at, coalesce(s.agent, ''), coalesce(s.name, '') FROM witness w
LEFT JOIN witness_sessions s ON s.session = w.session
WHERE w.flags & 256 AND w.at >= ?1 AND (?2 IS NULL OR w.session = ?2) ORDER BY w.at DESC LIMIT ?3
"""
SELECT_SESSIONS = """
SELECT agent, name, transcript, place, first FROM witness_sessions WHERE transcript <> '' AND last >= ?
ORDER BY last DESC LIMIT ?
"""
SELECT_SESSION = "SELECT agent, name, transcript, place, first FROM witness_sessions WHERE session = ?"
SELECT_TRANSCRIPT = """
SELECT agent, name, transcript, place, first FROM witness_sessions WHERE name = ? AND transcript <> ''
ORDER BY last DESC LIMIT 1
"""
SELECT_DIGESTS = "SELECT session FROM witness_sessions WHERE name = ? LIMIT 4"
SELECT_EVENT = "SELECT flags FROM witness WHERE session = ? AND (asked = ? OR ran = ?) LIMIT 8"
SELECT_NAMES = """
SELECT name FROM witness_sessions WHERE substr(name, 1, length(?1)) = ?1 ORDER BY name <> ?1 LIMIT 2
"""
SET_TRANSCRIPT = "UPDATE witness_sessions SET transcript = ?, place = ? WHERE session = ? AND transcript = ''"
SET_PLACE = "UPDATE witness_sessions SET place = ? WHERE session = ? AND place = ?"
MARK_WRITTEN = "UPDATE witness SET flags = flags | ? WHERE session = ? AND call = ?"


class Alarm(msgspec.Struct, frozen=True, kw_only=True):
    """A call that a person was told of."""

    signs: Sign
    asked: int
    ran: int
    at: float
    agent: str
    session: str


class WitnessedSession(msgspec.Struct, frozen=True):
    """A session with a transcript of its own."""

    agent: str
    name: str
    transcript: str
    place: int
    """Up to where it was compared."""
    first: int
    """When its first event came: what is older nobody here has seen."""


class WrittenCall(msgspec.Struct, frozen=True):
    """A call that a transcript says has run."""

    number: str
    at: float


def count_signs(store: Store, since: float, session: str = "") -> Mapping[Sign, int]:
    """How many calls there are of each combination of signs. Raises StoreError."""
    sql, values = SELECT_COUNTS, cast(Row, (int(since),))
    if session:
        sql, values = SELECT_SESSION_COUNTS, (digest_session(read_signing_key(store), session), int(since))
    rows = store.read(lambda connection: connection.execute(sql, values).fetchall())
    return {Sign(flags): count for flags, count in rows}


def list_alarms(store: Store, since: float, session: str = "", limit: int = 1000) -> tuple[Alarm, ...]:
    """The calls that a person was told of, the newest first; of one session or of all. Raises StoreError."""
    place = digest_session(read_signing_key(store), session) if session else None
    values = (int(since), place, limit)
    rows = store.read(lambda connection: connection.execute(SELECT_ALARMS, values).fetchall())
    return tuple(
        Alarm(signs=Sign(flags), asked=asked, ran=ran, at=float(at), agent=agent, session=name)
        for flags, asked, ran, at, agent, name in rows
    )


def find_session(store: Store, name: str) -> WitnessedSession | None:
    """One session. Raises StoreError."""
    key = digest_session(read_signing_key(store), name)
    row = store.read(lambda connection: connection.execute(SELECT_SESSION, (key,)).fetchone())
    return WitnessedSession(*row) if row else None


def find_transcript(store: Store, name: str) -> WitnessedSession | None:
    """One session with a transcript of its own, by its name alone: for those who only read. Raises StoreError."""
    row = store.read(lambda connection: connection.execute(SELECT_TRANSCRIPT, (name,)).fetchone())
    return WitnessedSession(*row) if row else None


def find_signs(store: Store, name: str, event: int) -> Sign | None:
    """What is known about the call of one event, for those who only read: no key is made. Raises StoreError."""

    def read(connection: Connection) -> list[Sign]:
        sessions = [row[0] for row in connection.execute(SELECT_DIGESTS, (name,))]
        rows = [row for one in sessions for row in connection.execute(SELECT_EVENT, (one, event, event))]
        return [Sign(flags) for (flags,) in rows]

    # A call that was let through in another form has a row for the old one, too: only where that ran, it is a call.
    found = store.read(read)
    return next((one for one in found if Sign.REPLACED not in one or Sign.RAN in one), found[0] if found else None)


def find_session_names(store: Store, start: str) -> tuple[str, ...]:
    """At most two sessions whose names begin so; one that is called so is the first."""
    return tuple(name for (name,) in store.read(lambda one: one.execute(SELECT_NAMES, (start,)).fetchall()))


def list_sessions(store: Store, since: float) -> tuple[WitnessedSession, ...]:
    """Those that have a transcript, the newest first. Raises StoreError."""
    values = (int(since), MOST_SESSIONS)
    rows = store.read(lambda connection: connection.execute(SELECT_SESSIONS, values).fetchall())
    return tuple(WitnessedSession(*row) for row in rows)


def set_transcript(store: Store, session: str, path: str, place: int) -> None:
    """The first transcript that a session names is its own; another one later is not. Raises StoreError."""
    key = digest_session(read_signing_key(store), session)
    store.write(lambda connection: connection.execute(SET_TRANSCRIPT, (path, place, key)).rowcount)


def add_written(store: Store, session: WitnessedSession, calls: Iterable[WrittenCall], end: int, signs: Sign) -> int:
    """Note the calls of a transcript up to a place, once; how many of them no hook has seen. Raises StoreError.

    `signs` is what else is known about those.
    """
    key = read_signing_key(store)
    place = digest_session(key, session.name)

    def add_some(connection: Connection, some: Iterable[WrittenCall]) -> int:
        return sum(_add_one(connection, (place, digest_number(key, call.number)), call, signs) for call in some)

    # A transcript may name very many, and events wait for a writer. The place comes last: all of this may happen twice.
    added, wanted = 0, iter(calls)
    while some := tuple(islice(wanted, CALLS_PER_STEP)):
        added += store.write(partial(add_some, some=some))
        time.sleep(STEP_PAUSE)
    store.write(lambda connection: connection.execute(SET_PLACE, (end, place, session.place)).rowcount)
    return added


def _add_one(connection: Connection, where: tuple[int, int], call: WrittenCall, signs: Sign) -> bool:
    if connection.execute(MARK_WRITTEN, (int(Sign.WRITTEN), *where)).rowcount:
        return False
    connection.execute(PUT_CALL, (*where, 0, 0, 0, int(call.at), int(signs | Sign.WRITTEN | Sign.NUMBERED)))
    return True

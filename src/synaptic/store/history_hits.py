"""The newest events that have some words and pass a filter: found in the index, compared with the journal."""

import time
from collections.abc import Iterator, Sequence
from itertools import chain, repeat

import msgspec

from synaptic.store.connection import Connection
from synaptic.store.db import Store
from synaptic.store.entries import SELECT_EVENTS, select_entries
from synaptic.store.history_index import IndexSpan
from synaptic.store.history_match import Match
from synaptic.store.journal_filter import (
    IN_SESSION,
    LAST_LETTER,
    NEIGHBOURS,
    Conditions,
    JournalFilter,
    find_number_at,
    make_conditions,
    matches_entry,
)
from synaptic.store.mapped import read_mapped
from synaptic.store.record import JournalEntry

MOST_SIFTED = 50_000
"""So many hits, from the newest back, are compared with a filter of which the index knows nothing; `since` goes on."""
SIFT_SECONDS = 2.0
"""And more of them for so long, where none of those passed: that nothing was found is not said lightly."""
MOST_LEADING = 1000
"""Events that a filter's own index finds, among which the words are looked for, instead of the other way round."""
FEW = 200
"""Events that are looked up in the index one by one: of more, all hits between them are read."""
CHUNKS = (200, 1000, 5000)
"""Hits looked at together: mostly the first ones are enough."""
ANYTHING = JournalFilter()

SELECT_HITS = "SELECT rowid FROM history WHERE history MATCH ? AND rowid >= ? AND rowid < ?"
NEWEST_FIRST = "ORDER BY rowid DESC"
LISTED = "id IN (SELECT value FROM json_each(?))"
SAME_SESSION = "(+session >= ? AND +session < ?)"
"""For a few events whose sessions are read: as IN_SESSION, all events of those sessions would be."""
SELECT_SESSION = "SELECT count(*) FROM (SELECT 1 FROM events WHERE session >= ? AND session < ? LIMIT ?)"


class FoundNumbers(msgspec.Struct, frozen=True):
    """The events that were wanted, newest first."""

    numbers: list[int]
    looked_to: int = 0
    """The oldest hit that was compared with the filter; 0 where there was no reason to stop."""
    looked: int = 0
    """How many hits were, then."""


def find_newest(
    places: tuple[Connection, Store], match: Match, wanted: tuple[JournalFilter, int], span: IndexSpan
) -> FoundNumbers:
    """So many of the newest events that match and are in the journal; the connection is the index's."""
    (connection, store), (chosen, most) = places, wanted
    leading = _find_leading(store, chosen)
    found: list[int] = []
    looked = last = 0
    first = max(most, CHUNKS[0])  # without a filter, these are enough
    patient_until = time.monotonic() + SIFT_SECONDS
    for numbers in _iter_hits((connection, first), match, _limit_numbers(store, chosen, span), leading):
        is_unbound = leading is None and not chosen.since
        if is_unbound and looked >= MOST_SIFTED and (found or time.monotonic() > patient_until):
            return FoundNumbers(found, last, looked)
        found += _sift(store, chosen, numbers)
        if len(found) >= most:
            break
        looked, last = looked + len(numbers), numbers[-1]
    return FoundNumbers(found[:most])


def read_listed_entries(store: Store, numbers: Sequence[int], chosen: JournalFilter = ANYTHING) -> list[JournalEntry]:
    """Events by their numbers, newest first; with a filter, those that may pass it."""
    where = _choose_rows(store, chosen)
    values = (list_numbers(numbers), *where.values)
    found = select_entries(store, f"{SELECT_EVENTS} WHERE {LISTED} AND ({where.sql})", values, maps=bool(chosen.grep))
    return sorted(found, key=lambda entry: entry.id, reverse=True)


def list_numbers(numbers: Sequence[int]) -> str:
    """Numbers as one value: SQLite takes some thousands at most."""
    return msgspec.json.encode(list(numbers)).decode()


def _iter_hits(
    source: tuple[Connection, int], match: Match, border: IndexSpan, leading: list[int] | None
) -> Iterator[list[int]]:
    """The numbers of the events that have the words, newest first; of the leading ones, where there are such."""
    sql, values = SELECT_HITS, [match.text, border.first, border.last]
    if leading == []:
        return
    if leading:
        # Unary plus: all hits between them are read. Without it, each is looked up by itself.
        sql += f" AND {'' if match.is_lazy and len(leading) <= FEW else '+'}row{LISTED}"
        values = [match.text, max(border.first, leading[0]), min(border.last, leading[-1] + 1), list_numbers(leading)]
    connection, first = source
    rows = connection.execute(f"{sql} {NEWEST_FIRST}", values)
    for size in chain((first,), CHUNKS[1:], repeat(CHUNKS[-1])):
        numbers = [number for (number,) in rows.fetchmany(size)]
        if not numbers:
            return
        yield numbers


def _find_leading(store: Store, chosen: JournalFilter) -> list[int] | None:
    """All events that a filter may want, oldest first; None where no index finds them, or they are very many."""
    is_short = bool(chosen.session) and not _has_many(store, chosen.session)
    if not (is_short or chosen.failed or chosen.policies):
        return None
    found: set[int] = set()
    for way in _list_ways(store, chosen):
        sql = way.sql if is_short else way.sql.replace(IN_SESSION, SAME_SESSION)
        found.update(_select_numbers(store, f"SELECT id FROM events WHERE {sql} LIMIT {MOST_LEADING + 1}", way.values))
    return sorted(found) if len(found) <= MOST_LEADING else None


def _has_many(store: Store, session: str) -> bool:
    values = (session, session + LAST_LETTER, MOST_LEADING + 1)
    return bool(store.read(lambda connection: connection.execute(SELECT_SESSION, values).fetchone()[0]) > MOST_LEADING)


def _limit_numbers(store: Store, chosen: JournalFilter, span: IndexSpan) -> IndexSpan:
    """The numbers between which is looked: from the first, up to and without the last."""
    first = find_number_at(store, chosen.since) - NEIGHBOURS if chosen.since else span.first
    last = find_number_at(store, chosen.until) + NEIGHBOURS if chosen.until else span.last + 1
    return IndexSpan(first, last)


def _sift(store: Store, chosen: JournalFilter, numbers: Sequence[int]) -> list[int]:
    """Those of some events that the filter wants, newest first."""
    if chosen.grep or chosen.policies:
        entries = read_listed_entries(store, numbers, chosen)
        return [entry.id for entry in entries if matches_entry(chosen, entry)]
    where = _choose_rows(store, chosen)
    sql = f"SELECT id FROM events WHERE {LISTED} AND ({where.sql})"
    return sorted(_select_numbers(store, sql, (list_numbers(numbers), *where.values)), reverse=True)


def _select_numbers(store: Store, sql: str, values: tuple[object, ...]) -> set[int]:
    rows = read_mapped(store, lambda connection: connection.execute(sql, values).fetchall())
    return {number for (number,) in rows}


def _choose_rows(store: Store, chosen: JournalFilter) -> Conditions:
    """The filter as a part of a WHERE clause, for a few rows."""
    if chosen.is_empty:
        return Conditions("1", ())
    ways = _list_ways(store, chosen)
    sql = " OR ".join(f"({way.sql})" for way in ways).replace(IN_SESSION, SAME_SESSION)
    return Conditions(sql, tuple(value for way in ways for value in way.values))


def _list_ways(store: Store, chosen: JournalFilter) -> tuple[Conditions, ...]:
    # With a beginning it does not stop at the newest events.
    return make_conditions(store, msgspec.structs.replace(chosen, since=chosen.since or 1.0))

"""Find events of the journal by words, in the index of its words and with the filters of the journal."""

from collections.abc import Iterator, Sequence

import msgspec

from synaptic.model.errors import StoreError
from synaptic.model.home import Home
from synaptic.model.text import to_utf8
from synaptic.store.db import Connection, Store
from synaptic.store.entries import SELECT_EVENTS, select_entries
from synaptic.store.history_index import HistoryIndex, IndexSpan, use_index, use_index_in_memory
from synaptic.store.journal_filter import NEIGHBOURS, JournalFilter, find_number_at, make_conditions, matches_entry
from synaptic.store.record import JournalEntry

CATCH_UP_SECONDS = 3.0
"""How long somebody who searches waits for the index; what it lacks then is said."""
MEMORY_SECONDS = 5.0
ANYTHING = JournalFilter()
MOST_WORDS = 32
RANKED = 2000
"""Of so many of the newest hits the best ones are chosen: to weigh a million takes seconds."""
SNIPPET_WORDS = 16
CHUNKS = (200, 1000, 5000)
"""Hits looked at together: mostly the first ones are enough."""
HIT_BEGINS, HIT_ENDS = "\x02", "\x03"
"""No text of the index holds control characters."""

SELECT_HITS = "SELECT rowid FROM history WHERE history MATCH ? AND rowid >= ? AND rowid < ? ORDER BY rowid DESC LIMIT ?"
SELECT_BEST = "SELECT rowid FROM history WHERE history MATCH ? AND rowid >= ? AND rowid <= ? ORDER BY rank"
SELECT_SNIPPET = f"""
SELECT call, snippet(history, -1, '{HIT_BEGINS}', '{HIT_ENDS}', '…', {SNIPPET_WORDS})
FROM history WHERE history MATCH ? AND rowid = ?
"""
IN_LIST = "id IN (SELECT value FROM json_each(?))"


class SearchQuery(msgspec.Struct, frozen=True, kw_only=True):
    """What is searched for."""

    words: tuple[str, ...]
    """All of them must be there; one of several words is a phrase, one that ends with `*` a beginning."""
    chosen: JournalFilter = JournalFilter()
    best: bool = False
    """The best first, else the newest."""
    most: int = 20


class SearchHit(msgspec.Struct, frozen=True):
    """One event, and the part of it in which the words are."""

    entry: JournalEntry
    snippet: str
    """Each hit between HIT_BEGINS and HIT_ENDS."""


class SearchResult(msgspec.Struct, frozen=True, kw_only=True):
    """The events that were found."""

    hits: tuple[SearchHit, ...] = ()
    is_whole: bool = True
    """Whether all of the journal was looked through."""
    first: int = 0
    """The oldest event that was."""
    trouble: str = ""
    """Why the index on disk could not be used."""


def search_journal(home: Home, store: Store, query: SearchQuery) -> SearchResult:
    """Search the journal; raises ValueError for words that nothing can be found by, StoreError where nothing works."""
    match = make_match(query.words, query.chosen)
    try:
        return use_index(home, lambda index: _search(index, store, (query, match), CATCH_UP_SECONDS))
    except StoreError as error:
        found = use_index_in_memory(lambda index: _search(index, store, (query, match), MEMORY_SECONDS))
        return msgspec.structs.replace(found, trouble=str(error))


def make_match(words: Sequence[str], chosen: JournalFilter = ANYTHING) -> str:
    """The words as the index is asked for them: each is a text, whatever signs are in it."""
    if not words or len(words) > MOST_WORDS:
        raise ValueError(f"give 1 to {MOST_WORDS} words")
    for word in words:
        if not any(letter.isalnum() for letter in word):
            raise ValueError(f"{word!r} has no letter and no digit to be found by")
    match = f"{{tool command prompt reason}} : ({' AND '.join(map(_quote_word, words))})"
    if chosen.kinds and not chosen.failed:
        match += f" AND kind : ({' OR '.join(chosen.kinds)})"
    return match


def _quote_word(word: str) -> str:
    plain = to_utf8(word).replace("\0", " ")
    text = plain.rstrip("*").replace('"', '""')
    return f'"{text}"*' if plain.endswith("*") else f'"{text}"'


def _search(index: HistoryIndex, store: Store, asked: tuple[SearchQuery, str], seconds: float) -> SearchResult:
    query, match = asked
    is_whole, span = index.catch_up(store, seconds), index.read_span()
    numbers = list(_take(_iter_wanted(index, store, asked), RANKED if query.best else query.most))
    if query.best and numbers:
        wanted = set(numbers)
        ranked = index.connection.execute(SELECT_BEST, (match, numbers[-1], numbers[0]))
        numbers = list(_take((number for (number,) in ranked if number in wanted), query.most))
    hits = tuple(_make_hits(index, store, match, numbers))
    return SearchResult(hits=hits, is_whole=is_whole, first=span.first)


def _make_hits(index: HistoryIndex, store: Store, match: str, numbers: Sequence[int]) -> Iterator[SearchHit]:
    entries = {entry.id: entry for entry in _read_entries(store, numbers)}
    for number in numbers:
        row = index.connection.execute(SELECT_SNIPPET, (match, number)).fetchone()
        # Looked at once more: the event may have been pruned this moment.
        if row and number in entries and entries[number].call == row[0]:
            yield SearchHit(entries[number], row[1])


def _iter_wanted(index: HistoryIndex, store: Store, asked: tuple[SearchQuery, str]) -> Iterator[int]:
    """The numbers of the events that match and are in the journal, newest first."""
    query, match = asked
    border = _limit_numbers(store, query.chosen, index.read_span())
    for at in range(2**31):
        size = CHUNKS[min(at, len(CHUNKS) - 1)]
        rows = index.connection.execute(SELECT_HITS, (match, border.first, border.last, size)).fetchall()
        yield from _sift(store, query.chosen, [number for (number,) in rows])
        if len(rows) < size:
            return
        border = IndexSpan(border.first, rows[-1][0])


def _limit_numbers(store: Store, chosen: JournalFilter, span: IndexSpan) -> IndexSpan:
    """The numbers between which is looked: from the first, up to and without the last."""
    first = find_number_at(store, chosen.since) - NEIGHBOURS if chosen.since else span.first
    last = find_number_at(store, chosen.until) + NEIGHBOURS if chosen.until else span.last + 1
    return IndexSpan(first, last)


def _sift(store: Store, chosen: JournalFilter, numbers: Sequence[int]) -> list[int]:
    """Those of some events that the filter wants."""
    if not numbers:
        return []
    if chosen.grep or chosen.policies:
        return [entry.id for entry in _read_entries(store, numbers, chosen) if matches_entry(chosen, entry)]
    sql, values = _choose_rows(store, chosen)

    def read(connection: Connection) -> list[int]:
        rows = connection.execute(f"SELECT id FROM events WHERE {IN_LIST}{sql}", (_list(numbers), *values))
        return sorted({number for (number,) in rows}, reverse=True)

    return store.read(read)


def _read_entries(store: Store, numbers: Sequence[int], chosen: JournalFilter = ANYTHING) -> list[JournalEntry]:
    sql, values = _choose_rows(store, chosen)
    found = select_entries(store, f"{SELECT_EVENTS} WHERE {IN_LIST}{sql}", (_list(numbers), *values))
    return sorted(found, key=lambda entry: entry.id, reverse=True)


def _choose_rows(store: Store, chosen: JournalFilter) -> tuple[str, tuple[object, ...]]:
    """The filter as a part of a WHERE clause. With a beginning it does not stop at the newest events."""
    if chosen.is_empty:
        return "", ()
    ways = make_conditions(store, msgspec.structs.replace(chosen, since=chosen.since or 1.0))
    return f" AND ({' OR '.join(f'({way.sql})' for way in ways)})", tuple(one for way in ways for one in way.values)


def _list(numbers: Sequence[int]) -> str:
    return msgspec.json.encode(list(numbers)).decode()


def _take(numbers: Iterator[int], most: int) -> Iterator[int]:
    for _ in range(most):
        if (number := next(numbers, None)) is None:
            return
        yield number

"""Find events of the journal by words, in the index of its words and with the filters of the journal."""

from collections.abc import Iterator, Sequence
from contextlib import closing, nullcontext

import msgspec

from synaptic.model.errors import StoreError
from synaptic.model.home import Home
from synaptic.store.connection import Connection
from synaptic.store.db import Store
from synaptic.store.history_hits import find_newest, list_numbers, read_listed_entries
from synaptic.store.history_index import HistoryIndex, copy_rows, use_index, use_index_in_memory
from synaptic.store.history_match import expand_match, make_match
from synaptic.store.history_rank import rank_texts
from synaptic.store.journal_filter import JournalFilter
from synaptic.store.record import JournalEntry

CATCH_UP_SECONDS = 3.0
"""How long somebody who searches waits for the index; what it lacks then is said."""
MEMORY_SECONDS = 5.0
RANKED = 2000
"""Of so many of the newest hits the best ones are chosen."""
SNIPPET_WORDS = 16
HIT_BEGINS, HIT_ENDS = "\x02", "\x03"
"""No text of the index holds control characters."""

SELECT_TEXTS = """
SELECT rowid, tool || ' ' || command || ' ' || prompt || ' ' || reason FROM history
WHERE rowid IN (SELECT value FROM json_each(?))
"""
SELECT_SNIPPET = f"""
SELECT call, snippet(history, -1, '{HIT_BEGINS}', '{HIT_ENDS}', '…', {SNIPPET_WORDS})
FROM history WHERE history MATCH ? AND rowid = ?
"""


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
    looked_to: int = 0
    """The oldest of very many hits that was compared with the filter; 0 where all were that had to be."""
    looked: int = 0
    """How many of them were, then."""
    ranked: int = 0
    """Of so many of the newest hits these are the best; 0: of all."""
    trouble: str = ""
    """Why the index on disk could not be used."""


def search_journal(home: Home, store: Store, query: SearchQuery) -> SearchResult:
    """Search the journal; raises ValueError for words that nothing can be found by, StoreError where nothing works."""
    make_match(query.words)  # before anything is opened
    try:
        return use_index(home, lambda index: _search(index, store, query, CATCH_UP_SECONDS))
    except StoreError as error:
        found = use_index_in_memory(lambda index: _search(index, store, query, MEMORY_SECONDS))
        return msgspec.structs.replace(found, trouble=str(error))


def _search(index: HistoryIndex, store: Store, query: SearchQuery, seconds: float) -> SearchResult:
    is_whole, span = index.catch_up(store, seconds), index.read_span()
    match = expand_match(index.connection, query.words, query.chosen)
    most = RANKED + 1 if query.best else query.most
    found = find_newest((index.connection, store), match, (query.chosen, most), span)
    numbers, ranked = found.numbers, 0
    if query.best:
        ranked = RANKED if len(numbers) > RANKED else 0
        texts = index.connection.execute(SELECT_TEXTS, (list_numbers(numbers[:RANKED]),)).fetchall()
        numbers = rank_texts(texts, query.words)[: query.most]
    # The index reads all of a beginning's events for each snippet: a copy of a few rows has no others.
    few = nullcontext(index.connection) if match.is_lazy else closing(copy_rows(index, numbers))
    with few as connection:
        hits = tuple(_make_hits(connection, store, match.text, numbers))
    return SearchResult(
        hits=hits, is_whole=is_whole, first=span.first, looked_to=found.looked_to, looked=found.looked, ranked=ranked
    )


def _make_hits(connection: Connection, store: Store, match: str, numbers: Sequence[int]) -> Iterator[SearchHit]:
    entries = {entry.id: entry for entry in read_listed_entries(store, numbers)}
    for number in numbers:
        row = connection.execute(SELECT_SNIPPET, (match, number)).fetchone()
        # Looked at once more: the event may have been pruned this moment.
        if row and number in entries and entries[number].call == row[0]:
            yield SearchHit(entries[number], row[1])

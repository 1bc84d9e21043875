"""Full-text index of each repository's abilities, kept until the ability files change."""

import time
from collections.abc import Iterable, Sequence

import msgspec

from synaptic.model.ability import AbilityCandidate, AbilityMatches, IndexedAbility
from synaptic.store.db import Connection, Store, run_transaction

MAX_POOLS = 64
"""How many repositories keep an index; the one indexed longest ago is dropped first."""
MAX_CANDIDATES = 24
"""How many results to take from each of the two searches (exact words, related words)."""
TOKENIZER = "tokenize='unicode61 remove_diacritics 0'"
COLUMN_WEIGHTS = "6.0, 4.0, 2.0, 1.0"
"""BM25 weights of the columns name, keywords, summary, other."""

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(IndexedAbility)


class AbilityPool(msgspec.Struct, frozen=True):
    """The index of one repository."""

    number: int
    size: int
    signature: str


def find_pool(store: Store, root: str) -> AbilityPool | None:
    """Find the index of a repository; None when it was never indexed."""
    sql = "SELECT number, size, signature FROM ability_pools WHERE root = ?"
    row = store.read(lambda connection: connection.execute(sql, (root,)).fetchone())
    return AbilityPool(*row) if row else None


def index_abilities(store: Store, root: str, signature: str, abilities: Sequence[IndexedAbility]) -> AbilityPool:
    """Replace the index of a repository. Slow, so it runs on a separate connection."""
    return store.run_separately(
        lambda connection: run_transaction(connection, lambda c: _replace_pool(c, root, signature, abilities))
    )


def search_abilities(
    store: Store, known: AbilityPool, words: Sequence[str], near: Sequence[str] = ()
) -> AbilityMatches:
    """Find abilities by the given words, then by related words, with the document count of each word."""
    if not words or not known.size:
        return AbilityMatches(size=known.size)
    return store.read(lambda connection: _search_pool(connection, known, words, near))


def read_abilities(store: Store, known: AbilityPool) -> tuple[IndexedAbility, ...]:
    """Read all indexed abilities of a repository, in the order of its files."""
    sql = "SELECT body FROM abilities WHERE pool = ? ORDER BY position"
    rows = store.read(lambda connection: connection.execute(sql, (known.number,)).fetchall())
    return tuple(_decoder.decode(body) for (body,) in rows)


def _search_pool(
    connection: Connection, known: AbilityPool, words: Sequence[str], near: Sequence[str]
) -> AbilityMatches:
    asked = (*words, *near)
    marks = ", ".join("?" * len(asked))
    sql = f"SELECT term, doc FROM ability_words_{known.number}_terms WHERE term IN ({marks})"
    counts = dict(connection.execute(sql, asked).fetchall())
    said = [word for word in words if word in counts]
    found = _match_words(connection, known, said) if said else {}
    # Only when some related word occurs at all: the second search costs as much as the first.
    if len(counts) > len(said):
        # Exact hits on the right: their score must not be replaced by the one of the wider search.
        found = _match_words(connection, known, list(counts)) | found
    return AbilityMatches(tuple(found.values()), counts, known.size)


def _match_words(connection: Connection, known: AbilityPool, words: Sequence[str]) -> dict[int, AbilityCandidate]:
    table = f"ability_words_{known.number}"
    sql = f"""SELECT found, body, score FROM (
        SELECT rowid AS found, -bm25({table}, {COLUMN_WEIGHTS}) AS score FROM {table}
        WHERE {table} MATCH ? ORDER BY score DESC LIMIT {MAX_CANDIDATES})
        JOIN abilities ON pool = {known.number} AND position = found"""
    rows = connection.execute(sql, (" OR ".join(f'"{word}"' for word in words),)).fetchall()
    return {found: AbilityCandidate(_decoder.decode(body), score) for found, body, score in rows}


def _replace_pool(
    connection: Connection, root: str, signature: str, abilities: Sequence[IndexedAbility]
) -> AbilityPool:
    for (number,) in connection.execute("SELECT number FROM ability_pools WHERE root = ?", (root,)).fetchall():
        _drop_pool(connection, number)
    _make_room(connection)
    row = (root, signature, len(abilities), time.time())
    made = connection.execute("INSERT INTO ability_pools (root, signature, size, at) VALUES (?, ?, ?, ?)", row)
    number = int(made.lastrowid or 0)
    table = f"ability_words_{number}"
    # One table per repository: document frequencies of one repository must not weigh in the ranking of another.
    # content='' stores no second copy of the text; the JSON body is in `abilities`.
    connection.execute(
        f"CREATE VIRTUAL TABLE {table} USING fts5(name, keywords, summary, other, content='', {TOKENIZER})"
    )
    # fts5vocab gives each word's document count, by which the ranking weighs rare words.
    connection.execute(f"CREATE VIRTUAL TABLE {table}_terms USING fts5vocab({table}, row)")
    bodies = ((number, position, _encoder.encode(one)) for position, one in enumerate(abilities))
    connection.executemany("INSERT INTO abilities (pool, position, body) VALUES (?, ?, ?)", bodies)
    texts = ((position, *_join_columns(one)) for position, one in enumerate(abilities))
    connection.executemany(f"INSERT INTO {table} (rowid, name, keywords, summary, other) VALUES (?, ?, ?, ?, ?)", texts)
    return AbilityPool(number, len(abilities), signature)


def _join_columns(one: IndexedAbility) -> Iterable[str]:
    keywords = (term for phrase in one.phrases for term in phrase)
    return (" ".join(part) for part in (one.name, keywords, one.summary, one.other))


def _make_room(connection: Connection) -> None:
    sql = "SELECT number FROM ability_pools ORDER BY at DESC LIMIT -1 OFFSET ?"
    for (number,) in connection.execute(sql, (MAX_POOLS - 1,)).fetchall():
        _drop_pool(connection, number)


def _drop_pool(connection: Connection, number: int) -> None:
    connection.execute(f"DROP TABLE IF EXISTS ability_words_{number}_terms")
    connection.execute(f"DROP TABLE IF EXISTS ability_words_{number}")
    connection.execute("DELETE FROM abilities WHERE pool = ?", (number,))
    connection.execute("DELETE FROM ability_pools WHERE number = ?", (number,))

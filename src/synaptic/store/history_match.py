"""What somebody searches for, as the index of words is asked for it."""

from collections.abc import Iterable, Sequence

import msgspec

from synaptic.model.text import to_utf8
from synaptic.store.connection import Connection
from synaptic.store.journal_filter import JournalFilter

MOST_WORDS = 32
MOST_ENDINGS = 300
"""Words that begin alike and are looked for each by itself; of more the index makes one list first, which is slower."""
ANYTHING = JournalFilter()
AFTER = "\x01"
"""No word of the index has it: what follows a word comes after the word with it."""

CREATE_TERMS = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.history_terms USING fts5vocab('main', 'history', 'instance')"
SELECT_TERM = "SELECT term FROM temp.history_terms WHERE term >= ? LIMIT 1"


class Match(msgspec.Struct, frozen=True):
    """What the index is asked for."""

    text: str
    is_lazy: bool
    """Whether the newest events are found without reading all others that have one of the words."""


def make_match(words: Sequence[str], chosen: JournalFilter = ANYTHING) -> str:
    """The words as the index is asked for them: each is a text, whatever signs are in it."""
    if not words or len(words) > MOST_WORDS:
        raise ValueError(f"give 1 to {MOST_WORDS} words")
    for word in words:
        if not any(letter.isalnum() for letter in word):
            raise ValueError(f"{word!r} has no letter and no digit to be found by")
    return _join_words(map(_quote_word, words), chosen)


def expand_match(connection: Connection, words: Sequence[str], chosen: JournalFilter = ANYTHING) -> Match:
    """The same, with every beginning as the words of the index that begin so, unless these are too many.

    Of a beginning the index reads all events that have one of its words before it tells the first: tens of milliseconds
    where a million have it. Whole words are read from the newest event on.
    """
    parts = [(_expand_word(connection, word), word) for word in words]
    text = _join_words((found or _quote_word(word) for found, word in parts), chosen)
    return Match(text, is_lazy=all(found for found, _ in parts))


def _join_words(parts: Iterable[str], chosen: JournalFilter) -> str:
    match = f"{{tool command prompt reason}} : ({' AND '.join(parts)})"
    if chosen.kinds and not chosen.failed:
        match += f" AND kind : ({' OR '.join(chosen.kinds)})"
    return match


def _quote_word(word: str) -> str:
    plain = clean_word(word)
    return f"{_quote(plain)}*" if word.endswith("*") else _quote(plain)


def clean_word(word: str) -> str:
    """A word without what says that it is a beginning, and without what no text of the index holds."""
    return to_utf8(word).replace("\0", " ").rstrip("*")


def _quote(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _expand_word(connection: Connection, word: str) -> str | None:
    plain = clean_word(word)
    if not word.endswith("*"):
        return _quote(plain)
    *before, last = plain.lower().split(" ")
    # Letters of other scripts are folded in ways of their own: those are left to the index.
    if not (last.isascii() and last.isalnum()):
        return None
    found = _list_terms(connection, last)
    if len(found) > MOST_ENDINGS:
        return None
    # A word that is nowhere stands for none at all.
    return f"({' OR '.join(_quote(' '.join((*before, one))) for one in found or [last])})"


def _list_terms(connection: Connection, beginning: str) -> list[str]:
    """Words of the index that begin so, one more than are wanted at most: each is looked up, and not what has it."""
    connection.execute(CREATE_TERMS)
    found: list[str] = []
    after = beginning
    while len(found) <= MOST_ENDINGS:
        row = connection.execute(SELECT_TERM, (after,)).fetchone()
        if row is None or not row[0].startswith(beginning):
            break
        found.append(row[0])
        after = row[0] + AFTER
    return found

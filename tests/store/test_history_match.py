"""Words as the index is asked for them: a beginning finds the same by itself and as the words that begin so."""

import sqlite3

import pytest

from synaptic.store import history_index, history_match
from synaptic.store.history_match import expand_match, make_match

TEXTS = ("git gist gift", "give gîte", "Git-status", "statusgit", "g", "stat naïve git", "GITHUB x1 x12 x_2", "git")
WORDS = (
    "gi*",
    "g*",
    "GIT*",
    "git stat*",
    "x1*",
    "naïv*",
    "gît*",
    "z*",
    "git",
    "a-gi*",
    "git g*",
    'g"i*',
    "gi**",
    "git *",
)


@pytest.fixture
def words():
    connection = sqlite3.connect(":memory:")
    connection.executescript(history_index.CREATE_TABLES)
    rows = [(number, "Bash", text, "", "", "deny", "") for number, text in enumerate(TEXTS, 1)]
    connection.executemany(history_index.INSERT_WORDS, rows)
    yield connection
    connection.close()


def find(connection, match: str) -> list[int]:
    rows = connection.execute("SELECT rowid FROM history WHERE history MATCH ? ORDER BY rowid", (match,))
    return [number for (number,) in rows]


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("most", [0, 2, 300])
def test_a_beginning_finds_the_same_in_both_ways(words, monkeypatch, word, most):
    monkeypatch.setattr(history_match, "MOST_ENDINGS", most)
    assert find(words, expand_match(words, [word]).text) == find(words, make_match([word]))


def test_words_that_begin_alike_are_named_unless_they_are_too_many(words, monkeypatch):
    few = expand_match(words, ["gi*"])
    assert few.is_lazy
    assert '("gift" OR "gist" OR "git" OR "gite" OR "github" OR "give")' in few.text
    monkeypatch.setattr(history_match, "MOST_ENDINGS", 5)
    assert not expand_match(words, ["gi*", "x1*"]).is_lazy
    assert not expand_match(words, ["naïv*"]).is_lazy


def test_what_was_decided_is_no_word(words):
    assert find(words, expand_match(words, ["den*"]).text) == []

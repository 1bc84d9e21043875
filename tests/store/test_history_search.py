"""What `search` finds is what one finds who reads every event, whatever the words, the filter and the way to them."""

import json
import random
import re
import unicodedata
from collections.abc import Sequence

import pytest

from synaptic.model.decision import Decision, Kind, TraceStep
from synaptic.store import entries, history_hits, history_match, history_search, journal
from synaptic.store.history_rank import rank_texts
from synaptic.store.history_search import SearchQuery, search_journal
from synaptic.store.history_words import read_words
from synaptic.store.journal_filter import JournalFilter, matches_entry
from synaptic.store.record import JournalEntry

WORDS = ("git", "give", "status", "Stat", "Größe", "grosse", "naïve", "漢字", "x1", "x", "deny", "none", "kind", "é")
SIGNS = (" ", " ", " ", "-", "/", '"', "'", "\0", "\n", "*", "  ", "_", "\x02", "(", "%")
QUERIES = (
    *WORDS,
    "gi*",
    "STAT*",
    "x*",
    "gr*",
    "größ*",
    "git status",
    "x1 gi*",
    "a-b",
    'git"',
    "g\0it",
    "z*",
    "d*",
    "* x",
)
FILTERS = (
    {},
    {"kinds": (Kind.DENY,)},
    {"kinds": (Kind.DENY, Kind.ASK), "failed": True},
    {"failed": True},
    {"project": "shop"},
    {"project": "nowhere"},
    {"session": "s1"},
    {"session": "s"},
    {"session": "s17", "policies": ("git.*",)},
    {"policies": ("git.*",)},
    {"policies": ("paths.*",), "project": "blog"},
    {"agents": ("cod*",), "tools": ("Bash",)},
    {"since": 1_000_100.0},
    {"until": 1_000_100.0, "project": "shop"},
    {"grep": "GIT"},
    {"grep": 'x"', "since": 1_000_050.0},
)
EVENTS = 120
BOUNDS = (
    {},
    {"MOST_LEADING": 5},
    {"FEW": 0},
    {"CHUNKS": (3, 2, 5)},
    {"MOST_ENDINGS": 0},
    {"MOST_ENDINGS": 1, "FEW": 3},
)


@pytest.fixture
def filled(store, record):
    chance = random.Random(15)
    journal.append_records(store, [make_random(record, chance, number) for number in range(EVENTS)])
    return store


def make_random(record, chance: random.Random, number: int):
    text = "".join(chance.choice(WORDS) + chance.choice(SIGNS) for _ in range(chance.randrange(6)))
    kind = chance.choice((Kind.NONE, Kind.NONE, Kind.NONE, Kind.DENY, Kind.ASK))
    by = chance.choice(("git.push", "paths.system"))
    fault = "crashed" if chance.random() < 0.1 else ""
    step = TraceStep(hook=by, kind=kind, priority=1, reason=chance.choice(WORDS), fault=fault)
    return record(
        at=1_000_000.0 + number,
        payload=json.dumps({"tool_name": "Bash", "tool_input": {"command": text}}),
        root=chance.choice(("/p/shop", "/p/blog")),
        session=f"s{chance.randrange(20)}",
        agent=chance.choice(("claude", "codex")),
        decision=Decision(kind=kind, by=by if kind is not Kind.NONE else "", trace=(step,) if fault or kind else ()),
    )


def split_words(text: str) -> list[str]:
    plain = "".join(letter for letter in unicodedata.normalize("NFD", text) if not unicodedata.combining(letter))
    return re.findall(r"[^\W_]+", unicodedata.normalize("NFC", plain).lower())


def has_word(text: str, word: str) -> bool:
    wanted = split_words(word.replace("\0", " "))
    begins = word.endswith("*")
    there = split_words(text)
    return any(
        part[:-1] == wanted[:-1] and (part[-1].startswith(wanted[-1]) if begins else part[-1] == wanted[-1])
        for part in (there[at : at + len(wanted)] for at in range(len(there) - len(wanted) + 1))
    )


def read_texts(entry: JournalEntry) -> tuple[str, ...]:
    decision = json.dumps(json.loads(journal._encoder.encode(entry.decision)))
    words = read_words(entry.payload, decision)
    return (entry.tool, words.command, words.prompt, words.reason)


def read_all(store) -> list[tuple[JournalEntry, tuple[str, ...]]]:
    return [(entry, read_texts(entry)) for entry in entries.read_last_entries(store, EVENTS)]


def choose(everything, words: Sequence[str], chosen: JournalFilter) -> list[int]:
    return [
        entry.id
        for entry, texts in everything
        if matches_entry(chosen, entry) and all(any(has_word(text, word) for text in texts) for word in words)
    ]


def list_words(chance: random.Random) -> tuple[str, ...]:
    return tuple(chance.choice(QUERIES) for _ in range(chance.choice((1, 1, 2, 3))))


def set_bounds(monkeypatch, bounds: dict[str, object]) -> None:
    for name, value in bounds.items():
        monkeypatch.setattr(history_match if name == "MOST_ENDINGS" else history_hits, name, value)


@pytest.mark.parametrize("bounds", BOUNDS)
def test_the_newest_hits_are_those_of_a_look_at_every_event(home, filled, monkeypatch, bounds):
    set_bounds(monkeypatch, bounds)
    chance, everything, hits = random.Random(str(bounds)), read_all(filled), 0
    for number in range(3 * len(FILTERS)):
        words, chosen, most = list_words(chance), JournalFilter(**FILTERS[number % len(FILTERS)]), (7, 200)[number % 2]
        wanted = choose(everything, words, chosen)
        found = search_journal(home, filled, SearchQuery(words=words, chosen=chosen, most=most))
        assert [hit.entry.id for hit in found.hits] == wanted[:most], (words, chosen)
        assert not (found.trouble or found.looked_to)
        hits += len(wanted)
    assert hits > 50


def test_the_best_are_chosen_among_the_newest_and_it_is_said_among_how_many(home, filled, monkeypatch):
    monkeypatch.setattr(history_search, "RANKED", 12)
    chance, everything, cut = random.Random(4), read_all(filled), 0
    known = {entry.id: " ".join(texts) for entry, texts in everything}
    for number in range(2 * len(FILTERS)):
        words, chosen = list_words(chance)[:1], JournalFilter(**FILTERS[number % len(FILTERS)])
        wanted = choose(everything, words, chosen)
        found = search_journal(home, filled, SearchQuery(words=words, chosen=chosen, best=True, most=9))
        best = rank_texts([(one, known[one]) for one in wanted[:12]], words)[:9]
        assert [hit.entry.id for hit in found.hits] == best, (words, chosen)
        assert found.ranked == (12 if len(wanted) > 12 else 0)
        cut += bool(found.ranked)
    assert cut


def test_of_very_many_hits_the_newest_are_compared_with_a_filter_and_how_far_is_said(home, filled, monkeypatch):
    set_bounds(monkeypatch, {"MOST_SIFTED": 20, "CHUNKS": (5, 5, 5), "MOST_LEADING": 3, "SIFT_SECONDS": -1.0})
    for chosen in (JournalFilter(project="nowhere"), JournalFilter(project="blog"), JournalFilter(policies=("p*",))):
        everything = choose(read_all(filled), ("bash",), chosen)
        found = search_journal(home, filled, SearchQuery(words=("bash",), chosen=chosen, most=20))
        assert found.looked_to == EVENTS - 19
        assert [hit.entry.id for hit in found.hits] == [one for one in everything if one >= found.looked_to]
    further = SearchQuery(words=("bash",), chosen=JournalFilter(project="nowhere", since=1.0))
    assert search_journal(home, filled, further).looked_to == 0


def test_where_none_of_very_many_hits_passes_the_older_ones_are_compared_too(home, filled, monkeypatch):
    set_bounds(monkeypatch, {"MOST_SIFTED": 5, "CHUNKS": (5, 5, 5), "SIFT_SECONDS": 60.0})
    nobody = search_journal(home, filled, SearchQuery(words=("bash",), chosen=JournalFilter(project="nowhere")))
    assert (nobody.hits, nobody.looked_to) == ((), 0)
    everything = choose(read_all(filled), ("bash",), JournalFilter(project="blog"))
    newest = search_journal(home, filled, SearchQuery(words=("bash",), chosen=JournalFilter(project="blog"), most=1))
    assert [hit.entry.id for hit in newest.hits] == everything[:1]


def test_where_enough_was_found_nothing_is_said_of_the_rest(home, filled, monkeypatch):
    set_bounds(monkeypatch, {"MOST_SIFTED": 20, "CHUNKS": (5, 5, 5)})
    found = search_journal(home, filled, SearchQuery(words=("bash",), chosen=JournalFilter(project="shop"), most=3))
    assert (len(found.hits), found.looked_to) == (3, 0)


def test_a_hit_is_marked_however_it_was_found(home, filled, monkeypatch):
    shown = []
    for endings in (300, 0):
        monkeypatch.setattr(history_match, "MOST_ENDINGS", endings)
        found = search_journal(home, filled, SearchQuery(words=("gi*", "STAT*")))
        shown.append([(hit.entry.id, hit.snippet) for hit in found.hits])
    assert shown[0] == shown[1] != []
    assert all(history_search.HIT_BEGINS in snippet for _, snippet in shown[0])

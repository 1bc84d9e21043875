"""The index of the journal's words: derived, private, made again when it is lost, and without what was pruned."""

import json
import os
import sqlite3
import subprocess
import sys
import time

import pytest

from synaptic.model.decision import Decision, Kind
from synaptic.model.errors import StoreError
from synaptic.store import damage, history_hits, history_index, journal, retention
from synaptic.store.db import Store
from synaptic.store.history_index import keep_index_current, use_index
from synaptic.store.history_match import make_match
from synaptic.store.history_search import SearchQuery, search_journal
from synaptic.store.history_words import read_words
from synaptic.store.journal_filter import JournalFilter


def ran(record, command: str, **values):
    payload = json.dumps({"tool_name": "Bash", "tool_input": {"command": command}})
    return record(**{"payload": payload, "decision": Decision(), "at": time.time(), **values})


def find(home, store, *words: str, **more) -> list[int]:
    return [hit.entry.id for hit in search_journal(home, store, SearchQuery(words=words, **more)).hits]


def test_commands_prompts_and_reasons_are_found_newest_first(home, store, record):
    prompt = json.dumps({"hook_event_name": "UserPromptSubmit", "prompt": "please repair the Lexer of Größe"})
    journal.append_records(
        store,
        [
            ran(record, "git push origin main"),
            record(payload=prompt, tool="", event="UserPromptSubmit", decision=Decision()),
            record(payload="{}", decision=Decision(kind=Kind.DENY, by="git.force-push", reason="push with a lease")),
        ],
    )
    assert find(home, store, "push") == [3, 1]
    assert find(home, store, "LEXER", "größe") == find(home, store, "lexer", "GRÖßE") == [2]
    assert find(home, store, "git push") == [1]
    assert find(home, store, "orig*") == [1]
    assert find(home, store, "push", chosen=JournalFilter(kinds=(Kind.DENY,))) == [3]
    assert find(home, store, "absent") == []


def test_what_came_after_the_last_look_is_found_at_once(home, store, record):
    journal.append_records(store, [ran(record, "make alpha")])
    assert find(home, store, "make") == [1]
    journal.append_records(store, [ran(record, "make beta")])
    assert find(home, store, "make") == [2, 1]


def test_an_index_that_was_stopped_in_the_middle_goes_on_there(home, store, record, monkeypatch):
    monkeypatch.setattr(history_index, "EVENTS_PER_STEP", 3)
    journal.append_records(store, [ran(record, f"make number{n}") for n in range(20)])
    assert not use_index(home, lambda index: index.catch_up(store, 0.0))
    span = use_index(home, lambda index: index.read_span())
    assert (span.first, span.last) == (18, 20)  # the newest first
    journal.append_records(store, [ran(record, "make more")])
    assert len(find(home, store, "make", most=50)) == 21
    span = use_index(home, lambda index: index.read_span())
    assert (span.first, span.last) == (1, 21)


def test_a_kill_at_any_moment_leaves_an_index_that_is_caught_up(home, store, record):
    journal.append_records(store, [ran(record, f"make number{n}") for n in range(3000)])
    code = (
        "import sys; from pathlib import Path; from synaptic.model.home import Home\n"
        "from synaptic.store.db import Store; from synaptic.store import history_index as h\n"
        "h.EVENTS_PER_STEP = 20; home = Home(Path(sys.argv[1]))\n"
        "h.use_index(home, lambda index: index.catch_up(Store.open(home), 60))"
    )
    for _ in range(3):
        child = subprocess.Popen([sys.executable, "-c", code, str(home.root)])
        time.sleep(0.35)
        child.kill()
        child.wait()
    assert len(find(home, store, "make", most=5000)) == 3000
    assert use_index(home, lambda index: index.connection.execute("PRAGMA integrity_check").fetchone()[0]) == "ok"


@pytest.mark.parametrize("forged", [b"", b"no database at all", b"SQLite format 3\0" + b"x" * 5000, None])
def test_a_damaged_or_lost_index_is_made_again(home, store, record, forged):
    journal.append_records(store, [ran(record, "make alpha")])
    find(home, store, "make")
    home.history_index.unlink() if forged is None else home.history_index.write_bytes(forged)
    assert find(home, store, "make") == [1]
    assert home.history_index.stat().st_mode & 0o777 == 0o600
    assert home.history_index.parent.stat().st_mode & 0o777 == 0o700


def test_a_foreign_database_in_its_place_is_replaced(home, store, record):
    journal.append_records(store, [ran(record, "make alpha")])
    home.history_index.parent.mkdir()
    forged = sqlite3.connect(home.history_index)
    forged.executescript("CREATE TABLE history (x); CREATE TABLE span (first, last); INSERT INTO span VALUES (1, 999);")
    forged.close()
    assert find(home, store, "make") == [1]


def test_the_index_of_another_journal_is_not_believed(home, store, record):
    journal.append_records(store, [ran(record, "make alpha")])
    find(home, store, "make")
    store.close()
    for suffix in ("", "-wal", "-shm"):
        home.database.with_name(home.database.name + suffix).unlink(missing_ok=True)
    other = Store.open(home)
    journal.append_records(other, [ran(record, "true beta"), ran(record, "true gamma")])
    assert find(home, other, "make") == []
    assert find(home, other, "true") == [2, 1]
    other.close()


def test_a_forged_row_shows_no_event_that_has_not_these_words(home, store, record):
    journal.append_records(store, [ran(record, "make alpha"), ran(record, "make beta")])
    find(home, store, "make")
    use_index(
        home,
        lambda index: index.connection.execute(
            "INSERT INTO history (rowid, tool, command, kind, call) VALUES (77, '', 'zebra', '', 'x')"
        ),
    )
    assert find(home, store, "zebra") == []


def test_pruned_events_vanish_from_results_and_from_the_file(home, store, record):
    old = time.time() - 50 * 86_400
    journal.append_records(store, [ran(record, f"make xylophone{n}", at=old) for n in range(300)])
    journal.append_records(store, [ran(record, "make alpha")])
    assert len(find(home, store, "xylophone*", most=500)) == 300
    retention.prune_events(store, days=30)
    assert find(home, store, "xylophone*") == []
    keep_index_current(home, store, 1.0)
    assert b"xylophone" not in home.history_index.read_bytes()
    assert find(home, store, "make") == [301]


def test_events_that_a_clock_has_left_in_between_vanish_too(home, store, record):
    old, now = time.time() - 50 * 86_400, time.time()
    journal.append_records(store, [ran(record, f"make n{n}", at=old if n % 2 else now) for n in range(40)])
    find(home, store, "make")
    retention.prune_events(store, days=30)
    kept = journal.count_events(store)
    keep_index_current(home, store, 1.0)
    assert use_index(home, lambda index: index.connection.execute("SELECT count(*) FROM history").fetchone()[0]) == kept


def test_secrets_are_no_words(home, store, record):
    token = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    journal.append_records(store, [ran(record, f"curl -H 'Authorization: token {token}' https://api.github.com")])
    assert find(home, store, "curl") == [1]
    assert find(home, store, token) == []
    assert token.encode() not in home.history_index.read_bytes()


def test_where_no_file_can_be_the_newest_events_are_searched_all_the_same(home, store, record):
    journal.append_records(store, [ran(record, "make alpha")])
    home.history_index.parent.write_text("a file where the folder should be")
    found = search_journal(home, store, SearchQuery(words=("make",)))
    assert [hit.entry.id for hit in found.hits] == [1]
    assert str(home.history_index) in found.trouble
    with pytest.raises(StoreError):
        keep_index_current(home, store, 1.0)


def test_somebody_who_keeps_the_index_locked_stops_no_search(home, store, record, monkeypatch):
    monkeypatch.setattr(history_index, "LOCK_SECONDS", 0.2)
    journal.append_records(store, [ran(record, "make alpha")])
    find(home, store, "make")
    with damage.lock_database(home.history_index):
        started = time.monotonic()
        found = search_journal(home, store, SearchQuery(words=("make",)))
        assert time.monotonic() - started < 2
    assert [hit.entry.id for hit in found.hits] == [1]
    assert "locked" in found.trouble


HOSTILE = [
    '"',
    '" OR "',
    "a AND",
    "NEAR(a b)",
    "kind:deny x",
    "-x",
    "a*b",
    "^a",
    "{tool}:a",
    "(a",
    "a)",
    "'a';--",
    "a\0b",
]


@pytest.mark.parametrize("word", HOSTILE)
def test_no_word_is_syntax(home, store, record, word):
    journal.append_records(store, [ran(record, "make alpha")])
    try:
        find(home, store, word)
    except ValueError:
        assert not any(letter.isalnum() for letter in word)


def test_ten_thousand_hostile_words_are_words(home, store):
    signs = "\"'()*{}:^-+,;\\%_ a\t\nü\u202e漢\ud800"
    with sqlite3.connect(":memory:") as connection:
        connection.executescript(history_index.CREATE_TABLES)
        for n in range(10_000):
            word = "".join(signs[(n // len(signs) ** at + at * n) % len(signs)] for at in range(5)) + "a"
            connection.execute(history_hits.SELECT_HITS, (make_match([word]), 0, 9)).fetchall()


@pytest.mark.parametrize("words", [(), ("...",), ("a",) * 33])
def test_what_nothing_can_be_found_by_is_said(home, store, words):
    with pytest.raises(ValueError, match=r"letter|words"):
        make_match(words)


def test_filters_hold_for_what_is_found(home, store, record):
    now = time.time()
    journal.append_records(
        store,
        [
            ran(record, "make a", root="/p/shop", session="s1", agent="claude", at=now - 7200),
            ran(record, "make b", root="/p/blog", session="s2", agent="codex", at=now),
            record(root="/p/shop", session="s3", at=now),
        ],
    )
    for chosen, wanted in (
        (JournalFilter(project="shop"), [1]),
        (JournalFilter(session="s2"), [2]),
        (JournalFilter(agents=("cod*",)), [2]),
        (JournalFilter(since=now - 60), [2]),
        (JournalFilter(until=now - 60), [1]),
        (JournalFilter(tools=("Edit",)), []),
        (JournalFilter(grep="MAKE B"), [2]),
    ):
        assert find(home, store, "make", chosen=chosen) == wanted, chosen
    assert find(home, store, "lease", chosen=JournalFilter(policies=("git.*",))) == [3]


def test_the_best_is_where_the_words_are_most_of_it(home, store, record):
    long = "make " + " ".join(f"word{n}" for n in range(300))
    journal.append_records(store, [ran(record, "make make"), ran(record, long)])
    assert find(home, store, "make") == [2, 1]
    assert find(home, store, "make", best=True) == [1, 2]


def test_an_event_of_any_agent_is_read_for_its_command_and_its_prompt():
    assert read_words('{"toolName": "bash", "toolArgs": "{\\"command\\": \\"ls x\\"}"}', "{}").command == "ls x"
    assert read_words('{"command": "ls", "cwd": "/secret/place"}', "{}").command == "ls"
    assert (
        read_words('{"tool_input": {"edits": [{"file_path": "a.py", "new_string": "code"}]}}', "{}").command == "a.py"
    )
    assert read_words('{"tool_input": {"prompt": "do\\u001b[31m it"}}', "{}").prompt == "do [31m it"


@pytest.mark.parametrize("payload", [None, "", "{", "[1]", "null", '"x"', '{"a":' * 3000 + "1" + "}" * 3000])
def test_a_payload_that_is_none_has_no_words(payload):
    assert read_words(payload, "{broken").command == ""


def test_long_texts_are_cut_and_what_is_deep_is_left():
    assert len(read_words(json.dumps({"prompt": "x " * 100_000}), "{}").prompt) == 8000
    deep: dict = {"command": "found"}
    for _ in range(50):
        deep = {"args": deep}
    assert read_words(json.dumps(deep), "{}").command == ""


def test_a_full_disk_is_told_and_leaves_the_journal_alone(home, store, record):
    journal.append_records(store, [ran(record, f"make {n}") for n in range(3000)])
    code = (
        "import resource, signal, sys; from pathlib import Path; from synaptic.model.home import Home\n"
        "from synaptic.store.db import Store; from synaptic.store.history_search import *\n"
        "home = Home(Path(sys.argv[1])); store = Store.open(home)\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))\n"
        "found = search_journal(home, store, SearchQuery(words=('make',), most=3))\n"
        "print(len(found.hits), found.trouble)"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code, str(home.root)], capture_output=True, text=True, env=env, timeout=60, check=False
    )
    assert done.stdout.startswith("3 ")
    assert "cannot be used: disk I/O error" in done.stdout, done.stderr
    assert len(find(home, store, "make", most=5000)) == 3000

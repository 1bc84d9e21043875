"""`synaptic search`: past events by words."""

import json

from synaptic.cli.cells import measure_cells
from synaptic.cli.search import _show_first_hit
from synaptic.store import history_hits, history_search, journal
from synaptic.store.db import Store
from tests.cli.conftest import User
from tests.store.conftest import make_record


def keep(user: User, *commands: str) -> None:
    store = Store.open(user.home)
    records = [make_record(payload=json.dumps({"tool_input": {"command": one}}), root="/p/shop") for one in commands]
    journal.append_records(store, records)
    store.close()


def test_hits_are_shown_newest_first_with_the_words_marked(user: User):
    keep(user, "git push origin main", "git status")
    first, snippet, *others = user.types("search", "git", "--denied").out.splitlines()
    assert first.startswith("2 ")
    assert first.endswith("shop claude Bash -> deny by git.force-push")
    assert "[git]" in snippet
    assert others[0].startswith("1 ")
    assert user.types("search", "git push").out.count("\n") == 2
    assert "nothing found" in user.types("search", "absent").out
    assert "nothing found" in user.types("search", "git", "--rewritten").out


def test_programs_get_the_whole_event(user: User):
    keep(user, "git push origin main")
    found = user.types("search", "origin", "--json").json
    (event,) = found["events"]
    assert (event["id"], event["kind"], event["hits"], found["whole"]) == (1, "deny", ["origin"], True)
    assert event["payload"]["tool_input"]["command"] == event["subject"] == "git push origin main"


def test_control_characters_of_a_command_reach_no_terminal(user: User):
    keep(user, "echo \x1b[31mred\x1b]0;title\x07 \u202egit\x02 x\x03")
    shown = user.types("search", "echo").out
    assert not any(letter in shown for letter in "\x1b\x07\x02\x03\u202e")


def test_what_cannot_be_searched_for_says_what_can(user: User):
    keep(user, "ls")
    for words in ((), ("...",), ("a", "--since", "never")):
        shown = user.types("search", *words)
        assert shown.code == 2
        assert shown.err
    assert user.types("search", "x", "--json").json == {"ok": True, "events": [], "whole": True, "warnings": []}


def test_without_a_journal_it_says_what_to_type(user: User):
    shown = user.types("search", "git")
    assert shown.code == 1
    assert "synaptic up" in shown.err


def test_an_index_that_cannot_be_written_is_told_and_found_in_all_the_same(user: User):
    keep(user, "git status")
    (user.home.root / "index").write_text("in the way")
    shown = user.types("search", "git")
    assert shown.out.startswith("1 ")
    assert "searched without the index on disk" in shown.err


def test_pruning_empties_the_index_and_a_purge_deletes_it(user: User):
    keep(user, "git xylophone", "git status")
    user.types("search", "xylophone")
    assert b"xylophone" in user.home.history_index.read_bytes()
    user.types("prune", "--days", "0")
    assert b"xylophone" not in user.home.history_index.read_bytes()
    user.types("bootstrap")
    user.types("down", "--purge", "--yes")
    assert not user.home.history_index.parent.exists()


def test_the_hit_is_seen_where_a_line_is_too_narrow_for_what_is_before_it():
    before = "words that nobody has looked for and that fill more than half of a line, 全角文字も "
    shown = _show_first_hit([before, "push", " and what comes after it"], 60)
    assert shown[0].startswith("…")
    assert shown[0].endswith("全角文字も ")
    assert measure_cells("".join(shown[:2])) <= 60
    assert _show_first_hit(["git ", "push", " x"], 60) == ["git ", "push", " x"]
    assert measure_cells(_show_first_hit(["x" * 500, "push", ""], 60)[0]) <= 31


def test_how_far_was_looked_is_said(user: User, monkeypatch):
    monkeypatch.setattr(history_hits, "MOST_SIFTED", 2)
    monkeypatch.setattr(history_hits, "SIFT_SECONDS", -1.0)
    monkeypatch.setattr(history_hits, "CHUNKS", (2, 2, 2))
    keep(user, *("git status" for _ in range(9)))
    shown = user.types("search", "git", "--project", "elsewhere", "-n", "2")
    assert "only the newest 2 of them, back to number 8, were compared" in shown.err
    assert "--since" in shown.err
    (warning,) = user.types("search", "git", "--project", "elsewhere", "-n", "2", "--json").json["warnings"]
    assert "back to number 8" in warning
    everything = user.types("search", "git", "--project", "elsewhere", "--since", "2023-01-01", "-n", "2")
    assert "newest" not in everything.err
    assert "newest" not in user.types("search", "git", "--project", "shop", "-n", "2").err


def test_among_how_many_the_best_were_chosen_is_said(user: User, monkeypatch):
    monkeypatch.setattr(history_search, "RANKED", 3)
    keep(user, *("git status" for _ in range(5)))
    assert "the first 2 that fit best among the newest 3;" in user.types("search", "git", "--best", "-n", "2").err
    assert user.types("search", "git", "--best", "-n", "2", "--json").json["ranked"] == 3
    assert "best" not in user.types("search", "git", "-n", "2").err

import time
from pathlib import Path

from synaptic.model.decision import Decision, Kind, TraceStep
from synaptic.model.home import Home
from synaptic.store import entries, hook_counts, usage
from synaptic.store.db import Store
from synaptic.store.journal import append_records
from synaptic.store.record import EventRecord
from synaptic.store.shadow import add_shadow_steps, read_shadow_counts

STEP = TraceStep(hook="git.x", kind=Kind.DENY, phase="shadow", reason="token ghp_0123456789abcdefghijABCDEFGHIJ012345")


def open_with_event(tmp_path: Path, **fields: object) -> Store:
    store = Store.open(Home(tmp_path))
    record = EventRecord(call="c1", at=time.time(), agent="claude", event="PreToolUse", root="/p", **fields)  # type: ignore[arg-type]
    append_records(store, [record])
    return store


def test_steps_are_added_once_and_secrets_are_not(tmp_path: Path) -> None:
    store = open_with_event(tmp_path, decision=Decision(trace=(TraceStep(hook="a"),)))
    assert add_shadow_steps(store, "c1", [STEP], "full")
    assert not add_shadow_steps(store, "c1", [STEP], "full")
    entry = entries.find_entry(store, "c1")
    assert entry is not None
    assert [step.hook for step in entry.decision.trace] == ["a", "git.x"]
    assert "ghp_0123456789" not in entry.decision.trace[1].reason
    assert read_shadow_counts(store) == {"git.x": {"deny": 1}}


def test_an_event_that_is_not_there_counts_for_nothing(tmp_path: Path) -> None:
    store = open_with_event(tmp_path)
    assert not add_shadow_steps(store, "c2", [STEP], "full")
    assert not add_shadow_steps(store, "c1", [], "full")
    assert read_shadow_counts(store) == {}


def test_an_event_without_a_trace_gets_one(tmp_path: Path) -> None:
    store = open_with_event(tmp_path)
    assert add_shadow_steps(store, "c1", [STEP], "structure")
    entry = entries.find_entry(store, "c1")
    assert entry is not None and entry.decision.trace[0].reason.endswith("characters]")


def test_it_is_counted_once_whenever_the_journal_is_counted(tmp_path: Path) -> None:
    for before in (True, False):
        store = open_with_event(tmp_path / str(before))
        if before:
            hook_counts.count_journal(store)
        add_shadow_steps(store, "c1", [STEP, TraceStep(hook="git.y", phase="shadow", fault="crash")], "full")
        hook_counts.count_journal(store)
        assert read_shadow_counts(store, "/p") == {"git.x": {"deny": 1}, "git.y": {"fail": 1}}
        assert {one.name for one in usage.read_hook_usage(store)} == {"git.x (would deny)", "git.y (would fail)"}
        store.close()


def test_a_damaged_decision_is_left_as_it_is(tmp_path: Path) -> None:
    store = open_with_event(tmp_path)
    for text in ("{torn", "[]", '{"trace": 3}'):
        store.write(lambda connection, text=text: connection.execute("UPDATE events SET decision = ?", (text,)))
        assert not add_shadow_steps(store, "c1", [STEP], "full")


def test_old_counts_are_not_told(tmp_path: Path) -> None:
    store = open_with_event(tmp_path)
    add_shadow_steps(store, "c1", [STEP], "full")
    assert read_shadow_counts(store, days=-1) == {}

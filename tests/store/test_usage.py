"""What is used."""

import time

from synaptic.model.decision import Decision, Kind, TraceStep
from synaptic.model.effect import UseAbility
from synaptic.store import hook_counts, journal, retention, usage
from synaptic.store.db import Store


def test_calls_are_counted_with_their_event(home, record):
    """S2-084"""
    store = Store.open(home)
    for call, status in (("one", "success"), ("two", "failure")):
        effect = UseAbility(ability="a", status=status, millis=10.0)
        journal.append_records(
            store, [record(call=call, at=time.time(), root="/r", decision=Decision(effects=(effect,)))]
        )
    (used,) = usage.read_ability_usage(store, "/r")
    assert (used.calls, used.failures, used.millis, used.days[-1]) == (2, 1, 10.0, 2)
    assert usage.count_calls(store, "/r", "a") == 2
    shown: list[dict] = []
    usage.export_usage(store, "/r", shown.append)
    assert shown[0]["a"]["count"] == 2 and shown[0]["a"]["last_status"] == "failure"
    store.close()


def test_hooks_and_quiet_policies_are_counted_from_traces(home, record):
    store = Store.open(home)
    trace = (
        TraceStep(hook="guard", kind=Kind.DENY, micros=2000, fault=""),
        TraceStep(hook="broken", fault="crash"),
        TraceStep(hook="policies", phase="quiet", note="a.b c.d"),
        TraceStep(hook="late", phase="skipped"),
    )
    for call in ("one", "two"):
        journal.append_records(store, [record(call=call, at=time.time(), root="/r", decision=Decision(trace=trace))])
    found = {one.name: one for one in usage.read_hook_usage(store, "/r")}
    assert set(found) == {"guard", "broken", "a.b", "c.d"}
    assert (found["guard"].calls, found["guard"].spoke, found["guard"].millis) == (2, 2, 2.0)
    assert (found["broken"].failures, found["a.b"].calls, found["a.b"].spoke) == (2, 2, 0)
    store.close()


def test_every_run_anywhere_is_counted_and_a_skipped_one_is_not(store, record):
    steps = (
        TraceStep(hook="a", kind=Kind.DENY),
        TraceStep(hook="b"),
        TraceStep(hook="c", phase="skipped"),
        TraceStep(hook="a", kind=Kind.DENY, phase="recheck"),
        TraceStep(hook="policies", phase="quiet", note="d e"),
    )
    now = time.time()
    journal.append_records(store, [record(decision=Decision(trace=steps), at=now, root="/p")])
    journal.append_records(store, [record(decision=Decision(trace=steps[:1]), at=now, root="/q")])
    found = {used.name: (used.calls, used.spoke) for used in usage.read_hook_usage(store)}
    assert found == {"a": (2, 2), "b": (1, 0), "d": (1, 0), "e": (1, 0)}


def test_a_journal_without_contents_still_counts(store, record):
    assert usage.read_hook_usage(store) == ()
    journal.append_records(store, [record(at=time.time())], "structure")
    assert {used.name: used.spoke for used in usage.read_hook_usage(store)}["git.force-push"] == 1


def count_by_name(store, root="/r") -> dict[str, tuple[int, int, int]]:
    return {used.name: (used.calls, used.failures, used.spoke) for used in usage.read_hook_usage(store, root)}


def make_traced(record, **values):
    steps = (
        TraceStep(hook="policies", phase="quiet", note="a.one a.two"),
        TraceStep(hook="git.force-push", kind=Kind.DENY, micros=7),
        TraceStep(hook="mine", fault="crash"),
    )
    return record(**{"root": "/r", "at": time.time(), "decision": Decision(kind=Kind.DENY, trace=steps), **values})


def test_every_event_is_counted_once_whoever_counts(home, store, record, monkeypatch):
    monkeypatch.setattr(hook_counts, "EVENTS_PER_STEP", 3)
    journal.append_records(store, [make_traced(record) for _ in range(10)])
    other = Store.open(home)
    assert hook_counts.count_journal(store) == 10
    assert hook_counts.count_journal(other) == 0
    journal.append_records(store, [make_traced(record)])
    wanted = {"a.one": (11, 0, 0), "a.two": (11, 0, 0), "git.force-push": (11, 0, 11), "mine": (11, 11, 0)}
    assert count_by_name(store) == count_by_name(other) == wanted
    assert count_by_name(store, "/elsewhere") == {}
    other.close()


def test_counts_stay_when_events_are_pruned(store, record):
    journal.append_records(store, [make_traced(record, at=time.time() - 5 * 86_400) for _ in range(10)])
    retention.prune_events(store, days=1)
    assert journal.count_events(store) == 1
    assert count_by_name(store)["git.force-push"] == (10, 0, 10)


def test_durations_of_hooks_are_counted_and_those_of_silent_policies_are_not(store, record):
    now = time.time()
    for micros in (1000, 2000, 300_000):
        steps = (
            TraceStep(hook="slow", micros=micros),
            TraceStep(hook="policies", phase="quiet", note="a.b", micros=9),
            TraceStep(hook="late", phase="started", micros=5),
        )
        journal.append_records(store, [record(at=now, root="/r", decision=Decision(trace=steps))])
    found = {used.name: used for used in usage.read_hook_usage(store, "/r")}
    assert (found["slow"].p50, found["slow"].p95, found["slow"].total) == (2.05, 305.0, 303.0)
    assert found["a.b"].p50 is None
    assert found["late"].p50 is None


def test_a_decision_that_is_no_json_stops_no_count(store, record):
    journal.append_records(store, [make_traced(record) for _ in range(3)])
    store.write(lambda connection: connection.execute("UPDATE events SET decision = '{\"trace' WHERE id = 2"))
    assert count_by_name(store)["mine"] == (2, 2, 0)


def test_reading_usage_searches_counts_and_not_the_journal(store):
    sql = usage.SELECT_HOOKS.format(where="root = ?1")
    plan = store.read(lambda connection: connection.execute(f"EXPLAIN QUERY PLAN {sql}", ("/r", 0)).fetchall())
    text = " ".join(row[-1] for row in plan)
    assert "SEARCH hook_counts USING PRIMARY KEY (root=?" in text
    assert "events" not in text

"""What is used."""

import time

from synaptic.model.decision import Decision, Kind, TraceStep
from synaptic.model.effect import UseAbility
from synaptic.store import journal, usage
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

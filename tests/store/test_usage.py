"""What is used."""

import time

from synaptic.model.decision import Decision, Kind, Step
from synaptic.model.effect import UseAbility
from synaptic.store import journal, usage
from synaptic.store.db import Store


def test_calls_are_counted_with_their_event(home, record):
    """S2-084"""
    store = Store.open(home)
    for call, status in (("one", "success"), ("two", "failure")):
        effect = UseAbility(ability="a", status=status, millis=10.0)
        journal.append(store, [record(call=call, at=time.time(), root="/r", decision=Decision(effects=(effect,)))])
    (used,) = usage.abilities(store, "/r")
    assert (used.calls, used.failures, used.millis, used.days[-1]) == (2, 1, 10.0, 2)
    assert usage.calls(store, "/r", "a") == 2
    shown: list[dict] = []
    usage.show(store, "/r", shown.append)
    assert shown[0]["a"]["count"] == 2 and shown[0]["a"]["last_status"] == "failure"
    store.close()


def test_hooks_and_quiet_policies_are_counted_from_traces(home, record):
    store = Store.open(home)
    trace = (
        Step(hook="guard", kind=Kind.DENY, micros=2000, fault=""),
        Step(hook="broken", fault="crash"),
        Step(hook="policies", phase="quiet", note="a.b c.d"),
        Step(hook="late", phase="skipped"),
    )
    for call in ("one", "two"):
        journal.append(store, [record(call=call, at=time.time(), root="/r", decision=Decision(trace=trace))])
    found = {one.name: one for one in usage.hooks(store, "/r")}
    assert set(found) == {"guard", "broken", "a.b", "c.d"}
    assert (found["guard"].calls, found["guard"].spoke, found["guard"].millis) == (2, 2, 2.0)
    assert (found["broken"].failures, found["a.b"].calls, found["a.b"].spoke) == (2, 2, 0)
    store.close()


def test_every_run_anywhere_is_counted_and_a_skipped_one_is_not(store, record):
    steps = (
        Step(hook="a", kind=Kind.DENY),
        Step(hook="b"),
        Step(hook="c", phase="skipped"),
        Step(hook="a", kind=Kind.DENY, phase="recheck"),
        Step(hook="policies", phase="quiet", note="d e"),
    )
    now = time.time()
    journal.append(store, [record(decision=Decision(trace=steps), at=now, root="/p")])
    journal.append(store, [record(decision=Decision(trace=steps[:1]), at=now, root="/q")])
    found = {used.name: (used.calls, used.spoke) for used in usage.hooks(store)}
    assert found == {"a": (2, 2), "b": (1, 0), "d": (1, 0), "e": (1, 0)}


def test_a_journal_without_contents_still_counts(store, record):
    assert usage.hooks(store) == ()
    journal.append(store, [record(at=time.time())], "structure")
    assert {used.name: used.spoke for used in usage.hooks(store)}["git.force-push"] == 1

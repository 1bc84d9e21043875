"""The queue of actions."""

from synaptic.model.decision import Decision
from synaptic.model.result import HookResult
from synaptic.store import follow_ups, journal
from synaptic.store.db import Store

OPEN = {"kind": "open_file", "payload": {"path": "a.ts"}, "hook": "h"}
RUN = {"kind": "run_command", "payload": {"command": "echo x"}}


def test_actions_are_queued_with_their_event_and_the_same_one_waits_once(home, record):
    """S2-064, S2-065"""
    store = Store.open(home)
    decision = Decision(result=HookResult(follow_up_actions=(OPEN, RUN)))
    for call in ("one", "two"):
        journal.append_records(store, [record(call=call, root="/r", decision=decision)])
    waiting = follow_ups.list_follow_ups(store, "/r")
    assert [(one.kind, one.payload, one.hook) for one in waiting] == [
        ("open_file", {"path": "a.ts"}, "h"),
        ("run_command", {"command": "echo x"}, ""),
    ]
    assert follow_ups.list_follow_ups(store, "/other") == ()
    store.close()


def test_an_action_ends_once(home, record):
    store = Store.open(home)
    journal.append_records(store, [record(root="/r", decision=Decision(result=HookResult(follow_up_actions=(OPEN,))))])
    (one,) = follow_ups.list_follow_ups(store, "/r")
    assert follow_ups.end_follow_up(store, "/r", one.id, "done")
    assert not follow_ups.end_follow_up(store, "/r", one.id, "done")
    assert follow_ups.list_follow_ups(store, "/r") == ()
    assert follow_ups.list_follow_ups(store, "/r", every=True)[0].state == "done"
    store.close()


def test_a_queue_that_nobody_looks_at_stays_short(home, record, monkeypatch):
    monkeypatch.setattr(follow_ups, "MAX_WAITING", 2)
    store = Store.open(home)
    actions = tuple({"kind": "open_file", "payload": {"path": str(number)}} for number in range(4))
    journal.append_records(store, [record(root="/r", decision=Decision(result=HookResult(follow_up_actions=actions)))])
    assert [one.payload["path"] for one in follow_ups.list_follow_ups(store, "/r")] == ["2", "3"]
    store.close()

"""What is known of a session's calls and stops."""

import json

import pytest

from synaptic.model.decision import RAISED, Decision, TraceStep
from synaptic.store import changed_files, journal
from synaptic.store.changed_files import SessionHistory, read_history
from synaptic.store.db import Store
from synaptic.store.record import EventRecord, JournalDetail


def write(store: Store, *events: str, keep: JournalDetail = "full", **more: object) -> None:
    """Events by their names; `Name:tool` has a tool, `Name!` has raised the stop of the session."""
    for name in events:
        event, _, tool = name.rstrip("!").partition(":")
        trace = (TraceStep(hook="SessionStop", phase=RAISED),) if name.endswith("!") else ()
        fields = {"session": "s", "payload": json.dumps({"tool_name": tool}), **more}
        number = journal.count_events(store)
        record = EventRecord(
            call=f"c{number}", at=1.0, agent="claude", event=event, tool=tool, decision=Decision(trace=trace), **fields
        )
        journal.append_records(store, [record], keep)


def names(found: SessionHistory) -> list[str]:
    return [json.loads(call.payload)["tool_name"] for call in found.calls]


def test_finished_calls_of_the_session_come_newest_first(store: Store):
    """S2-054"""
    write(store, "PreToolUse:Write", "PostToolUse:Write", "PostToolUseFailure:Bash", "PostToolUse:mcp__a__b", "Stop")
    write(store, "PostToolUse:Edit", session="other")
    assert names(read_history(store, "s")) == ["mcp__a__b", "Bash", "Write"]


def test_tools_that_write_nothing_are_left_out(store: Store):
    write(store, "PostToolUse:Read", "PostToolUse:Grep", "PostToolUse:Agent", "PostToolUse:NotebookEdit")
    assert names(read_history(store, "s")) == ["NotebookEdit"]


@pytest.mark.parametrize("keep", ["structure", "off"])
def test_where_contents_are_not_kept_there_are_no_calls(store: Store, keep: JournalDetail):
    write(store, "PostToolUse:Write", keep=keep)
    assert read_history(store, "s").calls == ()


def test_number_and_size_are_limited(store: Store, monkeypatch: pytest.MonkeyPatch):
    write(store, *["PostToolUse:Write"] * 5, payload="x" * 100)
    monkeypatch.setattr(changed_files, "MOST_CALLS", 4)
    assert [call.id for call in read_history(store, "s").calls] == [5, 4, 3, 2]
    monkeypatch.setattr(changed_files, "MOST_BYTES", 250)
    assert [call.id for call in read_history(store, "s").calls] == [5, 4]


def test_the_last_stop_that_was_raised_is_found(store: Store):
    """Also in a journal without contents."""
    assert (read_history(store, "s").raised, read_history(store, "s").has_acted) == (0, False)
    write(store, "UserPromptSubmit", "Stop!", "UserPromptSubmit", "Stop!", "Stop", "Notification", keep="structure")
    found = read_history(store, "s")
    assert (found.raised, found.has_acted) == (4, False)
    write(store, "PreToolUse:Bash")
    assert read_history(store, "s").has_acted


def test_a_hook_cannot_pretend_that_it_was_raised(store: Store):
    message = '{"phase":"raised"}'
    record = EventRecord(call="c", at=1.0, agent="a", event="Stop", session="s", decision=Decision(messages=(message,)))
    journal.append_records(store, [record])
    assert read_history(store, "s").raised == 0

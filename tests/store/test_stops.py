"""Consecutive stop blocks, counted with the event."""

import msgspec

from synaptic.model.decision import Decision, Kind
from synaptic.store import journal, stops

BLOCK = Decision(feedback=("tests are red",))


def test_blocks_are_counted_per_session_and_agent(store, record):
    journal.append_records(store, [record(event="Stop", decision=BLOCK) for _ in range(3)])
    journal.append_records(store, [record(event="SubagentStop", agent_id="sub", decision=Decision(kind=Kind.DENY))])
    assert stops.count_stop_blocks(store, "s1") == 3
    assert stops.count_stop_blocks(store, "s1", "sub") == 1
    assert stops.count_stop_blocks(store, "s2") == 0


def test_a_stop_that_passes_resets_its_agent(store, record):
    journal.append_records(
        store, [record(event="Stop", decision=BLOCK), record(event="Stop", agent_id="sub", decision=BLOCK)]
    )
    journal.append_records(store, [record(event="Stop", decision=Decision())])
    assert stops.count_stop_blocks(store, "s1") == 0
    assert stops.count_stop_blocks(store, "s1", "sub") == 1


def test_a_prompt_of_the_user_resets_the_session(store, record):
    journal.append_records(store, [record(event="Stop", decision=BLOCK), record(event="UserPromptSubmit")])
    assert stops.count_stop_blocks(store, "s1") == 0


def test_other_events_change_nothing(store, record):
    journal.append_records(store, [record(event="Stop", decision=BLOCK), record(event="PostToolUse"), record()])
    assert stops.count_stop_blocks(store, "s1") == 1


def test_a_repeated_request_is_counted_once(store, record):
    blocked = record(event="Stop", decision=BLOCK)
    journal.append_records(store, [blocked])
    journal.append_records(store, [msgspec.structs.replace(blocked, micros=1)])
    assert stops.count_stop_blocks(store, "s1") == 1


def test_the_count_is_kept_whatever_the_journal_keeps(store, record):
    for keep in ("full", "structure", "off"):
        journal.append_records(store, [record(event="Stop", decision=BLOCK)], keep)
    assert stops.count_stop_blocks(store, "s1") == 3

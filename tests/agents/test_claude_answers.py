"""Answers of every event in every situation: frozen goldens, and laws that hold for any decision."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synaptic.agents.claude.dialect import ADAPTER, CAPABILITIES, EXTRA_CHECKS
from synaptic.model.call import Request
from synaptic.model.decision import Decision, Kind
from synaptic.model.event import CLAUDE_EVENTS
from tests.agents import answers
from tests.agents.known import assert_acceptable

NAMES = [kind.__name__ for kind in CLAUDE_EVENTS]
GOLDEN = json.loads(answers.golden("claude").read_text())

texts = st.text(st.characters(exclude_categories=()), max_size=30) | st.sampled_from(
    ['"', "'; rm", "\n", "\x00", "\ud800", "\udfff\ud800", "{", '{"async":true}', "\x1b]0;x\x07", " ", "é" * 9]
)
values = st.none() | st.booleans() | st.integers() | st.floats() | texts
json_values = st.recursive(
    values, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3)
)
tuples = st.lists(texts, max_size=3).map(tuple)
decisions = st.builds(
    Decision,
    kind=st.sampled_from(Kind),
    by=texts,
    reason=texts,
    input=st.none() | st.dictionaries(texts, json_values, max_size=3),
    allowed=st.booleans(),
    context=tuples,
    messages=tuples,
    feedback=tuples,
    warnings=tuples,
    extras=st.dictionaries(st.sampled_from(sorted(EXTRA_CHECKS)) | texts, json_values, max_size=5),
)


def test_the_table_names_every_event_of_claude_code():
    assert list(GOLDEN) == NAMES
    assert set(CAPABILITIES) == set(NAMES)


@pytest.mark.parametrize("event", NAMES)
def test_every_situation_is_answered_as_frozen(event):
    """S0-050, S4-001, S4-006 to S4-009, S4-011"""
    for situation, decision in answers.SITUATIONS.items():
        assert answers.answered(answers.call_of(event), decision) == GOLDEN[event][situation], situation


@settings(max_examples=300, deadline=None)
@given(event=st.sampled_from(NAMES), decision=decisions)
def test_any_decision_leaves_as_json_that_claude_code_accepts(event, decision):
    """S4-001, S4-012"""
    call = answers.call_of(event)
    answer = ADAPTER.encode(call, ADAPTER.degrade(call, decision))
    assert_acceptable(event, answer)


@settings(max_examples=200, deadline=None)
@given(event=st.sampled_from(NAMES), decision=decisions)
def test_a_deny_is_never_lost_where_it_is_possible(event, decision):
    if not CAPABILITIES[event].deny:
        return
    call = answers.call_of(event)
    denied = ADAPTER.degrade(call, Decision(kind=Kind.DENY, reason=decision.reason, extras=decision.extras))
    answer = ADAPTER.encode(call, denied)
    said = assert_acceptable(event, answer)
    request = said.get("decision")
    behaviour = request.get("behavior") if isinstance(request, dict) else request
    no = (said.get("permissionDecision") == "deny", behaviour in ("block", "deny"), said.get("action") == "decline")
    assert any(no) or (event == "WorktreeCreate" and answer.exit == 2)


@settings(max_examples=200, deadline=None)
@given(event=st.sampled_from(NAMES), decision=decisions)
def test_degrading_twice_changes_nothing(event, decision):
    call = answers.call_of(event)
    once = ADAPTER.degrade(call, decision)
    assert ADAPTER.degrade(call, once) == once


@settings(max_examples=200, deadline=None)
@given(event=st.sampled_from(NAMES), decision=decisions)
def test_no_event_is_permitted_without_an_explicit_allow(event, decision):
    """A rewrite alone never skips a prompt that somebody would have seen."""
    call = answers.call_of(event)
    said = assert_acceptable(event, ADAPTER.encode(call, ADAPTER.degrade(call, decision)))
    request = said.get("decision")
    allowed = said.get("permissionDecision") == "allow" or (
        isinstance(request, dict) and request.get("behavior") == "allow"
    )
    if allowed:
        assert decision.kind is Kind.ALLOW or (decision.kind is Kind.REWRITE and decision.allowed)


@settings(max_examples=100, deadline=None)
@given(event=st.sampled_from(NAMES) | texts, reason=texts)
def test_a_refusal_denies_where_it_can_and_speaks_up_where_it_cannot(event, reason):
    answer = ADAPTER.refuse(event, reason)
    assert_acceptable(event, answer)
    assert answer.stderr.startswith(b"synaptic: ")
    assert bool(answer.stdout or answer.exit) == ADAPTER.get_capability(event).deny


@settings(max_examples=100, deadline=None)
@given(name=texts, decision=decisions)
def test_an_event_nobody_knows_gets_a_message_at_most(name, decision):
    call = ADAPTER.decode(Request("claude", f"New{name}", b"{}", "1"))
    answer = ADAPTER.encode(call, ADAPTER.degrade(call, decision))
    assert set(json.loads(answer.stdout or b"{}")) <= {"systemMessage"}

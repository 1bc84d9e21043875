"""Answers to other agents: frozen goldens, and laws that hold for any decision and every client."""

import json

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synaptic.model.call import Request
from synaptic.model.decision import Decision, Kind
from synaptic.model.event import EVENTS, Timing, ToolEvent
from synaptic.wire.adapters import adapter
from synaptic.wire.payload import to_json
from synaptic.wire.translate import native_event, native_input
from tests.wire import foreign
from tests.wire.clients import READERS, Heard
from tests.wire.test_claude_answers import decisions, json_values, texts

CALLS = [foreign.recorded(agent, file.stem) for agent in foreign.AGENTS for file in foreign.payloads(agent)]
calls = st.sampled_from(CALLS)
change = msgspec.structs.replace


def heard(call, decision) -> Heard:
    """What the client takes from the answer; an answer that it throws away fails the test."""
    found = READERS[call.agent](native_event(call), foreign.answer(call, decision))
    assert found is not None, "the client takes this answer for a failed hook"
    return found


def rewriting(call, new) -> Decision:
    return Decision(kind=Kind.REWRITE, by="demo.hook", reason="because", input=new)


@pytest.mark.parametrize("agent", foreign.AGENTS)
def test_every_situation_is_answered_as_frozen(agent):
    assert foreign.table(agent) == json.loads(foreign.golden(agent).read_text())


@pytest.mark.parametrize("agent", foreign.AGENTS)
def test_every_recorded_payload_is_decoded_without_a_warning(agent):
    for file in foreign.payloads(agent):
        call = foreign.recorded(agent, file.stem)
        raw = json.loads(file.read_text())
        assert call.warnings == (), file.name
        assert call.event.session_id == raw["session_id"]
        assert call.event.hook_event_name in EVENTS or not adapter(agent).capability(call.event.hook_event_name).deny
        renamed = adapter(agent).dialect.fields
        assert all(renamed.get(key, key) in call.payload for key in raw)


@settings(max_examples=300, deadline=None)
@given(call=calls, decision=decisions)
def test_any_decision_leaves_in_a_form_that_the_client_reads(call, decision):
    heard(call, decision)


@settings(max_examples=300, deadline=None)
@given(call=calls, decision=decisions)
def test_a_deny_is_never_encoded_in_a_form_that_the_client_ignores(call, decision):
    if not adapter(call.agent).capability(call.event.hook_event_name).deny:
        return
    for kind in (Kind.DENY, Kind.ASK):
        said = heard(call, change(decision, kind=kind))
        silent = call.event.hook_event_name == "PermissionRequest" and kind is Kind.ASK
        assert said.blocked or (kind is Kind.ASK and (said.asked or silent))
        assert silent or said.reason.strip()
        assert not said.allowed


@settings(max_examples=200, deadline=None)
@given(call=calls, decision=decisions)
def test_an_act_that_is_not_refused_is_not_blocked(call, decision):
    if decision.kind in (Kind.DENY, Kind.ASK, Kind.REWRITE) or decision.input is not None or decision.extras:
        return
    stopping = call.event.TIMING is Timing.STOP and bool(decision.feedback)
    assert heard(call, decision).blocked == stopping


@settings(max_examples=200, deadline=None)
@given(call=calls, decision=decisions)
def test_nothing_is_permitted_without_an_explicit_allow(call, decision):
    if heard(call, decision).allowed:
        assert decision.kind is Kind.ALLOW or decision.allowed


@settings(max_examples=200, deadline=None)
@given(call=calls, decision=decisions)
def test_advice_is_given_now_or_kept(call, decision):
    wire = adapter(call.agent)
    done = wire.degrade(call, decision)
    said = heard(call, decision)
    for text in decision.context:
        plain = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        assert text in foreign.kept(done) or plain in said.context


@settings(max_examples=200, deadline=None)
@given(call=calls, decision=decisions)
def test_degrading_twice_changes_nothing(call, decision):
    wire = adapter(call.agent)
    once = wire.degrade(call, decision)
    assert wire.degrade(call, once) == once


@settings(max_examples=300, deadline=None)
@given(
    call=st.sampled_from([call for call in CALLS if call.event.hook_event_name == "PreToolUse"]),
    more=st.dictionaries(
        st.sampled_from(["command", "content", "file_path", "patch", "x"]), texts | json_values, max_size=3
    ),
    left_out=st.sets(st.sampled_from(["command", "file_path", "path", "summary"]), max_size=1),
)
def test_a_rewrite_is_exact_or_a_refusal_that_names_it(call, more, left_out):
    """What would run, read again, is the input that every hook has agreed to."""
    new = {key: value for key, value in {**call.event.tool_input, **more}.items() if key not in left_out}
    said = heard(call, rewriting(call, new))
    if said.blocked:
        assert said.reason.startswith("because\nUse instead:")
        return
    was = call.payload.get("native_tool_input", call.payload["tool_input"])
    ran = {**was, **said.input} if call.agent == "droid" else said.input
    name = call.payload.get("native_tool_name", call.event.tool_name)
    context = {key: call.payload[key] for key in ("mcp_context",) if key in call.payload}
    again = foreign.decode(call.agent, native_event(call), tool_name=name, tool_input=ran, **context).event
    agreed = new
    if call.agent == "codex" and name == "Bash":
        agreed = {key: value for key, value in new.items() if key != "description"}
    assert to_json(again.tool_input) == to_json(json.loads(to_json(agreed)))


@settings(max_examples=100, deadline=None)
@given(
    agent=st.sampled_from(foreign.AGENTS), event=st.sampled_from([*EVENTS, "BeforeTool", "AfterAgent"]), reason=texts
)
def test_a_refusal_denies_where_it_can_and_speaks_up_where_it_cannot(agent, event, reason):
    wire = adapter(agent)
    answer = wire.refuse(event, reason)
    assert answer.stderr
    assert bool(answer.stdout or answer.exit) == wire.capability(event).deny
    if wire.capability(event).deny:
        assert READERS[agent](event, answer).blocked


@settings(max_examples=100, deadline=None)
@given(agent=st.sampled_from(foreign.AGENTS), name=texts, decision=decisions)
def test_an_event_nobody_knows_gets_a_message_at_most(agent, name, decision):
    wire = adapter(agent)
    call = wire.decode(Request(agent, f"New{name}", b"{}", "1"))
    answer = wire.encode(call, wire.degrade(call, decision))
    assert set(json.loads(answer.stdout or b"{}")) <= {"systemMessage"}


@pytest.mark.parametrize("agent", foreign.AGENTS)
@pytest.mark.parametrize("other", foreign.AGENTS)
def test_a_payload_of_one_agent_sent_as_anothers_is_decoded_as_far_as_possible(agent, other):
    for file in foreign.payloads(other):
        call = adapter(agent).decode(Request(agent, "", file.read_bytes(), "1"))
        assert call.event.session_id
        foreign.answer(call, foreign.denied())
        if isinstance(call.event, ToolEvent):
            assert call.event.tool_name


@pytest.mark.parametrize("agent", foreign.AGENTS)
def test_the_table_speaks_of_events_that_are_known_and_the_numbers_are_the_modules(agent):
    wire = adapter(agent)
    module = __import__(f"synaptic.wire.{agent}", fromlist=["x"])
    for event in module.REGISTERED:
        name = wire.dialect.canonical(event)
        assert name in wire.table
        assert wire.capability(event).timeout == module.TIMEOUTS.get(name, module.TIMEOUT)
    assert module.HOLES


def test_a_prompt_that_is_refused_carries_nothing_and_loses_nothing():
    for call in CALLS:
        if call.event.hook_event_name == "UserPromptSubmit":
            done = adapter(call.agent).degrade(call, change(foreign.denied(), context=("note",)))
            assert foreign.kept(done) == ["note"]


def test_a_rewrite_says_why_now_or_later():
    for call in CALLS:
        if call.event.hook_event_name != "PreToolUse" or call.event.tool_name != "Bash":
            continue
        decision = rewriting(call, call.event.tool.changed(command="echo safe"))
        done = adapter(call.agent).degrade(call, decision)
        if done.kind is Kind.REWRITE:
            assert native_input(call, adapter(call.agent).dialect, done.input)
            assert "because" in (*done.context, *foreign.kept(done))

"""Answers to Copilot, Cline, OpenCode, Cursor and Amp: frozen goldens, and laws that hold for any decision."""

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
from tests.wire import foreign, others
from tests.wire.clients import Heard
from tests.wire.readers import READERS
from tests.wire.test_claude_answers import decisions, texts

CALLS = [call for agent in others.AGENTS for call in others.calls(agent).values()]
KNOWN = [call for call in CALLS if call.event.hook_event_name in adapter(call.agent).table]
calls = st.sampled_from(KNOWN)
before = st.sampled_from([call for call in KNOWN if call.event.hook_event_name == "PreToolUse"])
change = msgspec.structs.replace
GOLDEN = json.loads(others.GOLDEN.read_text())


def heard(call, decision) -> Heard:
    return READERS[call.agent](call, foreign.answer(call, decision))


@pytest.mark.parametrize("agent", others.AGENTS)
def test_every_situation_is_answered_as_frozen(agent):
    assert others.table(agent) == GOLDEN[agent]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call.agent}-{call.event.hook_event_name}")
def test_every_recorded_payload_is_decoded_without_a_warning(call):
    assert call.warnings == ()
    assert call.event.hook_event_name in EVENTS or not adapter(call.agent).capability(call.event.hook_event_name).deny


@settings(max_examples=300, deadline=None)
@given(call=calls, decision=decisions)
def test_any_decision_leaves_in_a_form_that_the_client_reads(call, decision):
    heard(call, decision)


@settings(max_examples=400, deadline=None)
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
    if decision.kind in (Kind.DENY, Kind.ASK, Kind.REWRITE) or decision.input is not None:
        return
    can = adapter(call.agent).capability(call.event.hook_event_name)
    stopping = call.event.TIMING is Timing.STOP and bool(decision.feedback) and can.feedback
    assert heard(call, decision).blocked == stopping


@settings(max_examples=200, deadline=None)
@given(call=calls, decision=decisions)
def test_nothing_is_permitted_without_an_explicit_allow(call, decision):
    if call.agent == "amp":
        return  # it knows no silence: see test_amp
    if heard(call, decision).allowed:
        assert decision.kind is Kind.ALLOW or decision.allowed


@settings(max_examples=300, deadline=None)
@given(call=calls, decision=decisions)
def test_advice_is_given_now_or_kept(call, decision):
    done = adapter(call.agent).degrade(call, decision)
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


@settings(max_examples=400, deadline=None)
@given(
    call=before,
    more=st.dictionaries(st.sampled_from(["command", "content", "file_path", "x"]), texts, max_size=3),
    left_out=st.sets(st.sampled_from(["command", "file_path", "description"]), max_size=1),
)
def test_a_rewrite_is_exact_or_a_refusal_that_names_it(call, more, left_out):
    """What would run, read again, is the input that every hook has agreed to."""
    new = {key: value for key, value in {**call.event.tool_input, **more}.items() if key not in left_out}
    said = heard(call, Decision(kind=Kind.REWRITE, by="demo.hook", reason="because", input=new))
    if said.blocked:
        assert "because Use instead:" in " ".join(said.reason.split())
        return
    again = _again(call, said.input or {})
    assert json.loads(to_json(again.tool_input)) == json.loads(to_json(new))


def _again(call, ran: dict) -> ToolEvent:
    """The call that the client makes of an answer, read as a new one."""
    name = call.payload.get("native_tool_name", call.event.tool_name)
    was = call.payload.get("native_tool_input", call.payload["tool_input"])
    if call.agent == "cline":
        return foreign.decode("cline", "PreToolUse", tool_call={"name": name, "input": ran}).event
    if call.agent == "opencode":
        return foreign.decode(
            "opencode", "tool.execute.before", input={"tool": name, "sessionID": "s"}, output={"args": ran}
        ).event
    given_ = {**was, **ran} if call.agent == "cursor" else ran
    return foreign.decode(call.agent, "PreToolUse", tool_name=name, tool_input=given_).event


@settings(max_examples=150, deadline=None)
@given(agent=st.sampled_from(others.AGENTS), event=st.sampled_from([*EVENTS, "preToolUse", "tool_call"]), reason=texts)
def test_a_refusal_denies_where_it_can_and_speaks_up_where_it_cannot(agent, event, reason):
    wire = adapter(agent)
    answer = wire.refuse(event, reason)
    assert answer.stderr
    if not wire.capability(event).deny:
        return
    name = wire.dialect.canonical(event)
    payload = {"native_event_name": event} if event != name else {}
    call = change(CALLS[0], agent=agent, event=ToolEvent(hook_event_name=name), payload=payload)
    assert READERS[agent](call, answer).blocked


@settings(max_examples=100, deadline=None)
@given(agent=st.sampled_from(others.AGENTS), name=texts, decision=decisions)
def test_an_event_nobody_knows_gets_a_message_at_most(agent, name, decision):
    wire = adapter(agent)
    call = wire.decode(Request(agent, f"New{name}", b"{}", "1"))
    answer = wire.encode(call, wire.degrade(call, decision))
    assert set(json.loads(answer.stdout or b"{}")) <= {"message"}


@pytest.mark.parametrize("agent", others.AGENTS)
@pytest.mark.parametrize("other", [*others.AGENTS, "claude", *foreign.AGENTS])
def test_a_payload_of_one_agent_sent_as_anothers_is_decoded_as_far_as_possible(agent, other):
    for file in sorted((others.HERE / other).glob("*.json")):
        call = adapter(agent).decode(Request(agent, "PreToolUse", file.read_bytes(), "1", {"AGENT_TOOL_NAME": "Bash"}))
        assert foreign.answer(call, foreign.denied())


@pytest.mark.parametrize("agent", others.AGENTS)
def test_the_table_speaks_of_events_that_are_known_and_the_numbers_are_the_modules(agent):
    wire = adapter(agent)
    module = __import__(f"synaptic.wire.{agent}", fromlist=["x"])
    assert set(wire.table) <= set(EVENTS)
    for event in module.REGISTERED:
        name = wire.dialect.canonical(event)
        assert name in wire.table
        assert wire.capability(event).timeout == module.TIMEOUTS.get(name, module.TIMEOUT)
    assert module.HOLES


@pytest.mark.parametrize("agent", others.AGENTS)
@pytest.mark.parametrize(
    "stdin",
    [b"{}", b'{"tool_input": 3, "toolArgs": [1], "tool_call": 7, "input": 4}', b'{"hook_event_name": {"a": 1}}'],
)
def test_bad_input_is_decoded_with_a_warning_at_most(agent, stdin):
    for event in ("PreToolUse", "Stop", "SessionStart", "PostToolUse", ""):
        call = adapter(agent).decode(Request(agent, event, stdin, "1"))
        assert foreign.answer(call, Decision()).exit in (0, 1)

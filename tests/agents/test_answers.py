"""Answers to every agent but Claude Code: frozen goldens, and laws that hold for any decision and every client."""

import json
from collections.abc import Iterator
from importlib import import_module

import msgspec
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from synaptic.agents.base import Capability
from synaptic.agents.shared.discover import find_adapter
from synaptic.agents.shared.payload import to_json
from synaptic.agents.shared.translate import find_native_event, to_native_input
from synaptic.model.call import Call, Request
from synaptic.model.decision import Decision, Kind
from synaptic.model.event import EVENTS, Timing, ToolEvent
from tests.agents.answers import golden, table
from tests.agents.readers import Heard, reader
from tests.agents.recorded import AGENTS, answer, calls, decode, denied, kept, payloads, recorded, request
from tests.agents.test_claude_answers import decisions, json_values, texts

CALLS = [call for agent in AGENTS for call in calls(agent).values()]
RESHAPED = ("cline", "opencode", "amp")
"""What they send is put into another shape: see their own tests."""
DEAF = ("cline", "opencode")
"""At their end nobody can be told to go on."""
MESSAGE = {**dict.fromkeys(("codex", "gemini", "qwen", "droid"), "systemMessage"), "opencode": "message"}
"""The key of a text for the user, where there is one."""
OWN = {"codex": {"Interrupt", "PreModelRequest"}}
"""Events that only this agent has."""
PREFIX = {"cline": "BLOCKED: "}
"""What stands before a reason."""
NAMES = [*EVENTS, "BeforeTool", "AfterAgent", "preToolUse", "tool_call"]
change = msgspec.structs.replace


def one_of_each(event: str = "") -> st.SearchStrategy[dict[str, str]]:
    """A recorded call of every agent, by name: each law sees all of them with every example."""
    named = {agent: [name for name, call in calls(agent).items() if event in ("", _name(call))] for agent in AGENTS}
    return st.fixed_dictionaries({agent: st.sampled_from(names) for agent, names in named.items()})


def called(named: dict[str, str]) -> Iterator[Call]:
    for agent, name in named.items():
        note(f"{agent} {name}")  # the last one printed is the one that fails
        yield recorded(agent, name)


def heard(call: Call, decision: Decision) -> Heard:
    """What the client takes from the answer; an answer that it throws away fails the test."""
    found = reader(call.agent)(find_native_event(call), answer(call, decision))
    assert found is not None, "the client takes this answer for a failed hook"
    return found


def rewriting(new: dict) -> Decision:
    return Decision(kind=Kind.REWRITE, by="demo.hook", reason="because", input=new)


def _name(call: Call) -> str:
    return call.event.hook_event_name


def _can(call: Call) -> Capability:
    return find_adapter(call.agent).get_capability(_name(call))


@pytest.mark.parametrize("agent", AGENTS)
def test_every_situation_is_answered_as_frozen(agent):
    assert table(agent) == json.loads(golden(agent).read_text())


@pytest.mark.parametrize("agent", AGENTS)
def test_every_recorded_payload_is_decoded_without_a_warning(agent):
    dialect = find_adapter(agent).dialect
    for file, call in zip(payloads(agent), calls(agent).values(), strict=True):
        raw = json.loads(request(agent, file).stdin)
        assert call.warnings == (), file.name
        assert _name(call) in EVENTS or not _can(call).deny
        if agent not in RESHAPED:
            sent = {dialect.fields.get(key, key): value for key, value in raw.items()}
            assert call.event.session_id == sent["session_id"]
            assert sent.keys() <= call.payload.keys()


@settings(max_examples=300, deadline=None)
@given(named=one_of_each(), decision=decisions)
def test_any_decision_leaves_in_a_form_that_the_client_reads(named, decision):
    for call in called(named):
        heard(call, decision)


@settings(max_examples=400, deadline=None)
@given(named=one_of_each(), decision=decisions)
def test_a_deny_is_never_encoded_in_a_form_that_the_client_ignores(named, decision):
    for call in called(named):
        if not _can(call).deny:
            continue
        for kind in (Kind.DENY, Kind.ASK):
            said = heard(call, change(decision, kind=kind))
            silent = _name(call) == "PermissionRequest" and kind is Kind.ASK
            assert said.blocked or (kind is Kind.ASK and (said.asked or silent))
            assert silent or said.reason.strip()
            assert not said.allowed


@settings(max_examples=200, deadline=None)
@given(named=one_of_each(), decision=decisions)
def test_an_act_that_is_not_refused_is_not_blocked(named, decision):
    if decision.kind in (Kind.DENY, Kind.ASK, Kind.REWRITE) or decision.input is not None:
        return
    for call in called(named):
        if decision.extras.keys() & _can(call).extras:
            continue
        stopping = call.event.TIMING is Timing.STOP and bool(decision.feedback)
        assert heard(call, decision).blocked == (stopping and call.agent not in DEAF)


@settings(max_examples=200, deadline=None)
@given(named=one_of_each(), decision=decisions)
def test_nothing_is_permitted_without_an_explicit_allow(named, decision):
    for call in called(named):
        if call.agent != "amp" and heard(call, decision).allowed:  # Amp knows no silence: see test_amp
            assert decision.kind is Kind.ALLOW or decision.allowed


@settings(max_examples=300, deadline=None)
@given(named=one_of_each(), decision=decisions)
def test_advice_is_given_now_or_kept(named, decision):
    for call in called(named):
        done = find_adapter(call.agent).degrade(call, decision)
        said = heard(call, decision)
        for text in decision.context:
            plain = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
            assert text in kept(done) or plain in said.context


@settings(max_examples=200, deadline=None)
@given(named=one_of_each(), decision=decisions)
def test_degrading_twice_changes_nothing(named, decision):
    for call in called(named):
        wire = find_adapter(call.agent)
        once = wire.degrade(call, decision)
        assert wire.degrade(call, once) == once


@settings(max_examples=400, deadline=None)
@given(
    named=one_of_each("PreToolUse"),
    more=st.dictionaries(
        st.sampled_from(["command", "content", "file_path", "patch", "x"]), texts | json_values, max_size=3
    ),
    left_out=st.sets(st.sampled_from(["command", "file_path", "path", "summary", "description"]), max_size=1),
)
def test_a_rewrite_is_exact_or_a_refusal_that_names_it(named, more, left_out):
    """What would run, read again, is the input that every hook has agreed to."""
    for call in called(named):
        wide = {**call.event.tool_input, **more}
        new = {key: value for key, value in wide.items() if key not in left_out}
        said = heard(call, rewriting(new))
        if said.blocked:
            assert said.reason.removeprefix(PREFIX.get(call.agent, "")).startswith("because\nUse instead:")
            continue
        agreed = json.loads(to_json(_run(call, new)))
        assert _bytes(call, _again(call, said.input).tool_input) == _bytes(call, agreed)


def _run(call: Call, new: dict) -> dict:
    """What the tool takes of an input: the shell of Codex knows no description."""
    if call.agent != "codex" or call.event.tool_name != "Bash":
        return new
    return {key: value for key, value in new.items() if key != "description"}


def _bytes(call: Call, given_: dict) -> bytes:
    """In the order of the keys, which Cline's list of commands does not keep."""
    return to_json(dict(sorted(given_.items())) if call.agent == "cline" else given_)


def _again(call: Call, ran: dict) -> ToolEvent:
    """The call that the client makes of an answer, read as a new one."""
    name = call.payload.get("native_tool_name", call.event.tool_name)
    if call.agent == "cline":
        return decode("cline", "PreToolUse", tool_call={"name": name, "input": ran}).event
    if call.agent == "opencode":
        given_ = {"input": {"tool": name, "sessionID": "s"}, "output": {"args": ran}}
        return decode("opencode", "tool.execute.before", **given_).event
    if call.agent in ("droid", "cursor"):  # they lay it over what was there
        ran = {**call.payload.get("native_tool_input", call.payload["tool_input"]), **ran}
    context = {key: call.payload[key] for key in ("mcp_context",) if key in call.payload}
    return decode(call.agent, find_native_event(call), tool_name=name, tool_input=ran, **context).event


@settings(max_examples=150, deadline=None)
@given(event=st.sampled_from(NAMES), reason=texts)
def test_a_refusal_denies_where_it_can_and_speaks_up_where_it_cannot(event, reason):
    for agent in AGENTS:
        wire = find_adapter(agent)
        said = wire.refuse(event, reason)
        assert said.stderr
        assert bool(said.stdout or said.exit) == (wire.get_capability(event).deny or agent == "amp")
        if wire.get_capability(event).deny:
            assert reader(agent)(event, said).blocked


@settings(max_examples=100, deadline=None)
@given(name=texts, decision=decisions)
def test_an_event_nobody_knows_gets_a_message_at_most(name, decision):
    for agent in AGENTS:
        call = find_adapter(agent).decode(Request(agent, f"New{name}", b"{}", "1"))
        said = json.loads(answer(call, decision).stdout or b"{}")
        assert said.keys() <= {MESSAGE.get(agent)}, agent


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("other", ["claude", *AGENTS])
def test_a_payload_of_one_agent_sent_as_anothers_is_decoded_as_far_as_possible(agent, other):
    for file in payloads(other):
        raw = json.loads(file.read_bytes())
        for event, env in (("", {}), ("PreToolUse", {"AGENT_TOOL_NAME": "Bash"})):
            call = find_adapter(agent).decode(Request(agent, event, file.read_bytes(), "1", env))
            answer(call, denied())
            assert call.event.session_id or "session_id" not in raw or agent == "amp"
            assert not isinstance(call.event, ToolEvent) or call.event.tool_name or "tool_name" not in raw


@pytest.mark.parametrize("agent", AGENTS)
def test_the_table_speaks_of_events_that_are_known_and_the_numbers_are_the_modules(agent):
    wire, module = find_adapter(agent), import_module(f"synaptic.agents.{agent}")
    assert wire.table.keys() - EVENTS.keys() == OWN.get(agent, set())
    for event in module.AGENT.events:
        name = wire.dialect.to_canonical(event)
        assert name in wire.table
        assert wire.get_capability(event).timeout == module.TIMEOUTS.get(name, module.TIMEOUT)
    assert module.AGENT.unseen


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize(
    "stdin",
    [b"{}", b'{"tool_input": 3, "toolArgs": [1], "tool_call": 7, "input": 4}', b'{"hook_event_name": {"a": 1}}'],
)
def test_bad_input_is_decoded_with_a_warning_at_most(agent, stdin):
    for event in ("PreToolUse", "Stop", "SessionStart", "PostToolUse", ""):
        call = find_adapter(agent).decode(Request(agent, event, stdin, "1"))
        assert answer(call, Decision()).exit in ((0, 1) if agent == "amp" else (0,))


def test_a_prompt_that_is_refused_carries_nothing_and_loses_nothing():
    for call in CALLS:
        if _name(call) == "UserPromptSubmit":
            done = find_adapter(call.agent).degrade(call, change(denied(), context=("note",)))
            assert kept(done) == ["note"], call.agent


def test_a_rewrite_says_why_now_or_later():
    for call in CALLS:
        if _name(call) != "PreToolUse" or call.event.tool_name != "Bash":
            continue
        done = find_adapter(call.agent).degrade(call, rewriting(call.event.tool.replace_values(command="echo safe")))
        if done.kind is Kind.REWRITE:
            assert to_native_input(call, find_adapter(call.agent).dialect, done.input)
            assert "because" in (*done.context, *kept(done)), call.agent

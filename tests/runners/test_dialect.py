"""Answers in every dialect, exit codes through every protocol."""

import json
from itertools import product

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synaptic.model.decision import Failure, Fault, Kind, Verdict
from synaptic.model.event import EVENTS
from synaptic.model.hook import PROTOCOLS
from synaptic.runners.dialect import interpret_output
from synaptic.runners.output import ProcessOutput
from tests.runners.making import make_event, make_hook
from tests.runners.saying import say, specific


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_silence_is_no_opinion(protocol):
    """S0-035, S4-001: nothing printed is an implicit approve."""
    for text in ("", "  \n", "{}", "null"):
        assert say(text, protocol) is None


@pytest.mark.parametrize("exit", [1, 2, 127, -9])
def test_decision_hook_that_fails_is_a_failure_even_with_block_json(exit):
    """S0-038, S0-039, C-01: approve with a warning that names skill and code."""
    failure = say({"action": "block", "reason": "x"}, exit=exit, stderr="boom", skill="audit")
    assert failure.fault is Fault.CRASH
    assert "audit" in failure.message and "boom" in failure.message
    assert "SIGKILL" in failure.message if exit < 0 else str(exit) in failure.message


@pytest.mark.parametrize("text", ["hello", "[1]", '{"verdict": "block"}', '{"action": "blok"}', '{"action": }'])
def test_decision_hook_that_prints_something_else_is_a_failure(text):
    """S0-047"""
    assert say(text).fault is Fault.OUTPUT


BLOCKS = (
    {"action": "block", "reason": "no"},
    {"decision": "block", "reason": "no"},
    specific(permissionDecision="deny", permissionDecisionReason="no"),
    {"block_execution": True, "error": "no"},
    {"action": "block", "reason": "no", "systemMessage": "hi"},
    {"action": "block", "reason": "no", **specific(permissionDecision="allow")},
    {"decision": "block", "reason": "no", "logs": ["a"], "messages_to_user": ["b"]},
    {"action": "block", "reason": "no", **specific(updatedInput="broken")},
)


@pytest.mark.parametrize(("protocol", "answer"), list(product(PROTOCOLS, BLOCKS)))
def test_a_block_of_any_dialect_is_understood_under_any_protocol(protocol, answer):
    """C-06"""
    verdict = say(answer, protocol)
    assert (verdict.says, verdict.reason.split(":")[0]) == (Kind.DENY, "no")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_block_always_has_a_reason(protocol):
    for answer in ({"action": "block"}, {"decision": "block", "reason": " "}, specific(permissionDecision="deny")):
        assert say(answer, protocol).reason == "blocked by skill.guard"
    assert say("", "native", exit=2).reason == "blocked by skill.guard"


def test_exitcode_protocol():
    """C-01, C-11: 0 nothing, 1 a warning, 2 a block, others a failure."""
    assert say("all fine", "exitcode") is None
    assert say("{not json}", "exitcode") is None
    assert say("out", "exitcode", exit=2, stderr="err").reason == "err"
    assert say("out", "exitcode", exit=2).reason == "out"
    warned = say("", "exitcode", exit=1, stderr="careful")
    assert warned.kind is Kind.NONE and "careful" in warned.warnings[0] and "skill.guard" in warned.warnings[0]
    assert say({"action": "block", "reason": "r"}, "exitcode", exit=1).says is Kind.DENY
    assert say("", "exitcode", exit=3).fault is Fault.CRASH


def test_raw_newlines_and_broken_characters_in_json_do_not_lose_a_block():
    assert say('{"action": "block", "reason": "one\ntwo"}').reason == "one\ntwo"
    assert say('{"action": "block", "reason": "half \\ud83d"}').reason == "half ?"
    raw = interpret_output(make_hook(), make_event(), ProcessOutput(b'\xef\xbb\xbf{"action":"block","reason":"\xff"}'))
    assert raw.reason == "\ufffd"


def test_deep_json_is_a_failure():
    for depth in (150, 5_000, 100_000):
        text = '{"systemMessage":' + "[" * depth + "]" * depth + "}"
        assert say(text, "native").fault is Fault.OUTPUT


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
words = st.sampled_from(
    ["action", "reason", "input", "decision", "continue", "stopReason", "systemMessage", "suppressOutput", "async",
     "hookSpecificOutput", "logs", "messages_to_user", "new_intent", "follow_up_actions", "error", "usage_recorded",
     "suggested_abilities", "suggested_documents", "block_execution"]
)  # fmt: skip
inner_words = st.sampled_from(
    ["permissionDecision", "updatedInput", "additionalContext", "decision", "hookEventName", "behavior", "kind", "id"]
)
inner_objects = st.dictionaries(inner_words, json_values | st.sampled_from(["deny", "allow", "PreToolUse"]), max_size=4)
verbs = st.sampled_from(["block", "approve", "modify", "deny", True])
answers = st.dictionaries(words, json_values | inner_objects | st.lists(inner_objects, max_size=2) | verbs, max_size=5)
outputs = st.one_of(
    st.binary(max_size=60), st.text(max_size=60).map(lambda text: text.encode("utf-8", "replace")),
    answers.map(lambda answer: json.dumps(answer).encode()),
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(
    stdout=outputs,
    stderr=st.binary(max_size=20),
    exit=st.sampled_from([0, 1, 2, 3, 127, 255, -9, -99]),
    protocol=st.sampled_from(PROTOCOLS),
    event=st.sampled_from([*EVENTS, "Brandnew"]),
    blocking=st.booleans(),
)
def test_understanding_never_raises_and_every_meaning_can_be_written(stdout, stderr, exit, protocol, event, blocking):
    hook = make_hook(protocol=protocol, blocking=blocking)
    meaning = interpret_output(hook, make_event(event), ProcessOutput(stdout, stderr, exit))
    assert meaning is None or isinstance(meaning, Verdict | Failure)
    if isinstance(meaning, Verdict):
        assert meaning.reason or meaning.says is not Kind.DENY
        msgspec.json.encode(meaning)
    if protocol in ("decision", "result") and exit:
        assert isinstance(meaning, Failure)
    if protocol in ("native", "exitcode") and exit == 2:
        assert isinstance(meaning, Verdict) and meaning.says is Kind.DENY


@settings(max_examples=100, deadline=None)
@given(answer=answers, protocol=st.sampled_from(PROTOCOLS))
def test_deny_wins_whatever_stands_beside_it(answer, protocol):
    answer["action"] = "block"
    assert say(answer, protocol).says is Kind.DENY

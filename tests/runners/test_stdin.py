"""What hooks read."""

import json

from synaptic.runners.stdin import build_context, encode_stdin, to_json
from tests.runners.making import make_call


def test_a_payload_goes_on_whole_with_its_unknown_fields():
    call = make_call("/p", payload={"hook_event_name": "PreToolUse", "brandnew": [1]})
    assert json.loads(encode_stdin(call, "native")) == {"hook_event_name": "PreToolUse", "brandnew": [1]}


def test_the_events_name_is_added_where_the_agent_left_it_out():
    assert build_context(make_call("/p", payload={"a": 1}), "decision") == {"a": 1, "hook_event_name": "PreToolUse"}


def test_a_result_hook_gets_a_context():
    """S2-050, S2-051"""
    call = make_call("/p", "UserPromptSubmit", prompt="hi", at=1_900_000_000.5)
    found = build_context(call, "result")
    assert found["event_type"] == "UserPromptSubmit"
    assert (found["session_id"], found["repository_root"], found["user_message"]) == ("s1", "/p", "hi")
    assert found["timestamp"] == "2030-03-17T17:46:40.500Z"
    assert found["prompt"] == "hi"


def test_a_context_is_not_touched():
    """S2-030"""
    payload = {"event_type": "SessionStop", "session_id": "x", "timestamp": "t"}
    assert build_context(make_call("/p", "SessionStop", agent="synaptic", payload=payload), "result") == payload


def test_text_that_is_no_unicode_is_replaced():
    assert json.loads(to_json({"a\ud800": ["\udcff", ("x",)]})) == {"a?": ["?", ["x"]]}

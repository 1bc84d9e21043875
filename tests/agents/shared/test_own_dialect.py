"""Our own dialect: an orchestrator's context in, the merged result out."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synaptic.agents.shared.own_dialect import ADAPTER
from synaptic.model.call import Request
from synaptic.model.decision import Decision, Kind
from synaptic.model.errors import PayloadError
from synaptic.model.event import EVENTS, PostAbilityCall, PreAbilityCall, SessionStop, UserPromptSubmit
from synaptic.model.result import HookResult

BASE = {"session_id": "sess-1", "timestamp": "2025-01-15T10:23:45Z"}


def decode(event="", **context):
    return ADAPTER.decode(Request("synaptic", event, json.dumps(context).encode(), "1"))


def pre(**more):
    return decode(event_type="PreAbilityCall", ability_id="deploy", **BASE, **more)


def answered(call, decision):
    return ADAPTER.encode(call, ADAPTER.degrade(call, decision))


@pytest.mark.parametrize(
    "name", ["UserPromptSubmit", "PreAbilityCall", "PostAbilityCall", "SessionStart", "SessionEnd", "SessionStop"]
)
def test_every_event_type_is_known_by_field_or_argument(name):
    """S2-004"""
    for call in (decode(event_type=name, **BASE), decode(name, **BASE)):
        assert type(call.event) is EVENTS[name]
        assert call.event.hook_event_name == name


def test_handlers_get_the_context_exactly_as_it_was_sent():
    """S2-030"""
    context = {"event_type": "UserPromptSubmit", "user_message": "hello", "repository_root": "/p", **BASE}
    call = decode(**context)
    assert call.payload == context
    assert (call.event.prompt, call.event.cwd) == ("hello", "/p")


def test_a_complete_context_becomes_its_event_without_a_warning():
    """S2-050, S2-053"""
    call = decode(
        event_type="PostAbilityCall", ability_id="billing_regression", operation_key="workflow.billing", stage="act",
        status="success", duration_ms=187000, input_summary="in", output_summary="out", tool_call_path="t.md",
        repository_root="/repo", **BASE,
    )  # fmt: skip
    assert call.warnings == ()
    assert call.event == PostAbilityCall(
        hook_event_name="PostAbilityCall", ability_id="billing_regression", operation_key="workflow.billing",
        stage="act", status="success", duration_ms=187000.0, input_summary="in", output_summary="out",
        tool_call_path="t.md", repository_root="/repo", cwd="/repo", **BASE,
    )  # fmt: skip


def test_the_users_message_is_the_prompt():
    """S2-051"""
    call = decode(event_type="UserPromptSubmit", user_message="run it", files_touched=["a"], **BASE)
    assert isinstance(call.event, UserPromptSubmit) and call.event.prompt == "run it"
    assert call.payload["user_message"] == "run it" and call.payload["files_touched"] == ["a"]
    assert call.warnings == ()


def test_the_optional_fields_of_a_planned_call_are_read():
    """S2-052"""
    event = pre(operation_key="k", planned_input_summary="s").event
    assert isinstance(event, PreAbilityCall)
    assert (event.operation_key, event.planned_input_summary, event.subject) == ("k", "s", "deploy")


def test_changed_files_are_read_at_the_stop():
    """S2-054"""
    event = decode(event_type="SessionStop", changed_files=["a.ts"], **BASE).event
    assert isinstance(event, SessionStop) and event.changed_files == ("a.ts",)


def test_a_field_nobody_knows_stays_for_the_handlers():
    """S2-055"""
    call = pre(caller={"source": "ci_pipeline"})
    assert call.payload["caller"] == {"source": "ci_pipeline"} and call.warnings == ()


def test_missing_and_odd_fields_are_warnings():
    """S2-050, S2-052, S2-053"""
    call = decode(event_type="PostAbilityCall", status="ok", stage="later", duration_ms="long")
    assert call.warnings == (
        "synaptic: PostAbilityCall.session_id is missing",
        "synaptic: PostAbilityCall.timestamp is missing",
        "synaptic: PostAbilityCall.ability_id is missing",
        "synaptic: PostAbilityCall.stage is 'later', expected understand, plan, act, review",
        "synaptic: PostAbilityCall.status is 'ok', expected success, failure, skipped",
        "synaptic: PostAbilityCall.duration_ms is a string, expected a number",
    )


def test_the_argument_wins_over_the_field():
    """S0-020"""
    call = decode("PreAbilityCall", event_type="SessionStop", ability_id="a", **BASE)
    assert isinstance(call.event, PreAbilityCall)
    assert "event_type is 'SessionStop'; PreAbilityCall was taken" in call.warnings[0]


def test_what_is_no_object_is_refused():
    with pytest.raises(PayloadError):
        ADAPTER.decode(Request("synaptic", "SessionStop", b"[]", "1"))


def test_the_merged_result_is_the_answer():
    """S2-060 to S2-064, S2-066, S2-067"""
    result = HookResult(
        logs=({"level": "info", "message": "m"},),
        messages_to_user=("one",),
        suggested_abilities=({"id": "a", "reason": "r", "confidence": 0.9},),
        suggested_documents=({"path": "d.md", "reason": "r"},),
        new_intent={"intent": "i", "scope": "s"},
        follow_up_actions=({"kind": "open_file", "payload": {"path": "p"}},),
        usage_recorded=True,
        extra={"hook": {"update_matcher_suggestions": [{"ability_id": "a"}]}},
    )
    answer = answered(pre(), Decision(kind=Kind.ADVISE, messages=("two",), context=("three", "one"), result=result))
    assert answer.exit == 0
    assert json.loads(answer.stdout) == {
        "logs": [{"level": "info", "message": "m"}],
        "messages_to_user": ["one", "two", "three"],
        "suggested_abilities": [{"id": "a", "reason": "r", "confidence": 0.9}],
        "suggested_documents": [{"path": "d.md", "reason": "r"}],
        "new_intent": {"intent": "i", "scope": "s"},
        "follow_up_actions": [{"kind": "open_file", "payload": {"path": "p"}}],
        "usage_recorded": True,
        "extra": {"hook": {"update_matcher_suggestions": [{"ability_id": "a"}]}},
    }


def test_nothing_to_say_prints_nothing():
    answer = answered(pre(), Decision())
    assert (answer.stdout, answer.stderr, answer.exit) == (b"", b"", 0)


def test_a_block_by_policy_is_an_error_with_its_message_and_exit_code_two():
    """S2-066, S2-069"""
    result = HookResult(messages_to_user=("Writes to production.",), error="blocked_by_policy")
    answer = answered(pre(), Decision(kind=Kind.DENY, reason="blocked_by_policy", result=result))
    assert answer.exit == 2
    assert json.loads(answer.stdout) == {
        "messages_to_user": ["Writes to production."],
        "error": "blocked_by_policy",
    }


def test_the_reason_of_a_deny_is_the_error():
    """S2-069"""
    answer = answered(pre(), Decision(kind=Kind.DENY, reason="Not in production."))
    assert (json.loads(answer.stdout), answer.exit) == ({"error": "Not in production."}, 2)
    asked = answered(pre(), Decision(kind=Kind.ASK, reason="Sure?"))
    assert (json.loads(asked.stdout), asked.exit) == ({"error": "Sure?"}, 2)


@pytest.mark.parametrize("event", ["PostAbilityCall", "SessionStop", "SessionStart", "SessionEnd"])
def test_only_events_before_the_act_can_be_blocked(event):
    """S2-070, S2-071"""
    call = decode(event_type=event, ability_id="a", status="success", **BASE)
    result = HookResult(messages_to_user=("Build failed.",), error="blocked_by_policy")
    degraded = ADAPTER.degrade(call, Decision(kind=Kind.DENY, reason="no", result=result))
    answer = ADAPTER.encode(call, degraded)
    assert answer.exit == 0
    assert json.loads(answer.stdout) == {"messages_to_user": ["Build failed.", "no"]}
    assert any("blocked_by_policy without a deny" in step.note for step in degraded.trace)


def test_a_handlers_own_error_is_kept_when_nothing_is_denied():
    """S2-066"""
    answer = answered(pre(), Decision(result=HookResult(error="log not writable")))
    assert (json.loads(answer.stdout), answer.exit) == ({"error": "log not writable"}, 0)


def test_warnings_go_to_stderr():
    answer = answered(decode(event_type="PreAbilityCall", **BASE), Decision(warnings=("hook a: timeout",)))
    assert answer.stderr == b"synaptic: PreAbilityCall.ability_id is missing\nsynaptic: hook a: timeout\n"
    assert answer.stdout == b""


def test_a_refusal_blocks_only_what_can_be_blocked():
    assert ADAPTER.refuse("PreAbilityCall", "broken").exit == 2
    assert json.loads(ADAPTER.refuse("PreAbilityCall", "broken").stdout) == {"error": "broken"}
    late = ADAPTER.refuse("SessionStop", "broken")
    assert (late.stdout, late.stderr, late.exit) == (b"", b"synaptic: broken\n", 0)


texts = st.text(st.characters(exclude_categories=()), max_size=20)
tuples = st.lists(texts, max_size=3).map(tuple)


@settings(max_examples=150, deadline=None)
@given(
    event=st.sampled_from([*EVENTS, "New"]),
    kind=st.sampled_from(Kind),
    reason=texts,
    texts=tuples,
    error=texts | st.just("blocked_by_policy"),
)
def test_any_decision_leaves_as_json_and_the_exit_code_says_deny(event, kind, reason, texts, error):
    result = HookResult(messages_to_user=texts, error=error, extra={"h": {"x": reason}})
    decision = Decision(kind=kind, reason=reason, context=texts, feedback=texts, warnings=texts, result=result)
    answer = answered(decode(event), decision)
    body = json.loads(answer.stdout or b"{}")
    assert set(body) <= set(HookResult.__struct_fields__)
    if answer.exit == 2:
        assert ADAPTER.get_capability(event).deny and body["error"].strip()
    else:
        assert answer.exit == 0 and body.get("error") != "blocked_by_policy"
    assert kind is not Kind.DENY or (answer.exit == 2) == ADAPTER.get_capability(event).deny

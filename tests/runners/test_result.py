"""The result model of YAML hooks."""

import json
from itertools import product

import pytest

from synaptic.model.decision import Fault, Kind, Verdict
from synaptic.runners.dialect import interpret_output
from synaptic.runners.output import ProcessOutput
from tests.runners.making import make_event, make_hook


def say(answer, event="PreAbilityCall", blocking=True, exit=0):
    text = answer if isinstance(answer, str) else json.dumps(answer)
    words = {"blocking": blocking is True, "can_block": blocking is not False}
    hook = make_hook(protocol="result", source="hooks/a.yaml", **words)
    return interpret_output(hook, make_event(event), ProcessOutput(text.encode(), b"trouble", exit))


def test_a_full_result_is_read():
    """S2-060, S2-061, S2-062, S2-066"""
    answer = {
        "logs": [{"level": "warn", "message": "slow"}, "plain"],
        "messages_to_user": ["hello"],
        "suggested_abilities": [{"id": "lint", "reason": "style", "confidence": 0.5}, "format"],
        "suggested_documents": [{"path": "docs/a.md", "reason": "why", "stage": "plan"}],
        "usage_recorded": True,
    }
    verdict = say(answer)
    assert verdict.result.logs == ({"level": "warn", "message": "slow"}, {"level": "info", "message": "plain"})
    assert verdict.messages == verdict.result.messages_to_user == ("hello",)
    assert verdict.result.suggested_abilities == (answer["suggested_abilities"][0], {"id": "format"})
    assert verdict.result.suggested_documents == tuple(answer["suggested_documents"])
    assert verdict.result.usage_recorded
    assert verdict.kind is Kind.ADVISE and verdict.warnings == ()


def test_an_intent_goes_on_unchanged_and_one_without_intent_is_rejected():
    """S2-063"""
    intent = {"intent": "debug", "scope": "billing", "signals": ["a"], "more": {"x": 1}}
    assert say({"new_intent": intent}).result.new_intent == intent
    rejected = say({"new_intent": {"scope": "billing"}})
    assert rejected.result is None
    assert "new_intent" in rejected.warnings[0]


def test_both_forms_of_a_follow_up_action_are_the_same():
    """S2-064"""
    beside = {"kind": "open_file", "path": "a.md"}
    inside = {"kind": "open_file", "payload": {"path": "a.md"}}
    assert say({"follow_up_actions": [beside, inside]}).result.follow_up_actions == (inside, inside)
    assert say({"follow_up_actions": [{"path": "x"}, 3]}).warnings


def test_fields_nobody_knows_are_kept():
    """S2-067"""
    unknown = {
        "update_matcher_suggestions": [{"ability_id": "a", "signal": "s", "weight": 1}],
        "hook_signals": {"a": 1},
    }
    verdict = say(unknown)
    assert verdict.result.extra == unknown
    assert verdict.warnings == ()


def test_an_error_may_be_text_or_object():
    """S2-066, S2-068"""
    assert say({"error": "blocked_by_policy"}).result.error == "blocked_by_policy"
    assert say({"error": {"code": "E1", "message": "not now"}}).result.error == "E1: not now"
    for nothing in (None, False, "", {}, []):
        assert say({"error": nothing}) is None


def test_a_guardrail_blocks_and_its_message_is_shown():
    """S2-069"""
    verdict = say({"messages_to_user": ["ask a human"], "error": "blocked_by_policy"})
    assert verdict.says is Kind.DENY
    assert verdict.reason == "blocked_by_policy: ask a human"
    assert verdict.messages == ("ask a human",)
    assert say({"block_execution": True}).reason == "blocked by skill.guard"


BLOCKS = [
    {"error": "blocked_by_policy"},
    {"error": {"code": "blocked_by_policy", "message": "m"}},
    {"block_execution": True},
]


@pytest.mark.parametrize(
    ("blocking", "event"), list(product([True, None, False], ["PreAbilityCall", "PostAbilityCall"]))
)
@pytest.mark.parametrize("answer", BLOCKS)
def test_a_block_counts_before_the_act_unless_its_hook_says_that_it_never_blocks(answer, blocking, event):
    """S2-069, S2-070: seed 002's guardrail has no `blocking`, which says what a failure means and nothing else."""
    verdict = say(answer, event, blocking)
    honoured = blocking is not False and event == "PreAbilityCall"
    assert (verdict.says is Kind.DENY) == honoured
    assert bool(verdict.warnings) != honoured


@pytest.mark.parametrize("blocking", [True, None, False])
@pytest.mark.parametrize("error", ["database_is_gone", "was blocked_by_policy once", {"code": "x", "message": "y"}])
def test_an_error_of_another_name_is_a_failure_and_counts_from_blocking_hooks_only(error, blocking):
    """S2-032, S2-070"""
    verdict = say({"error": error}, blocking=blocking)
    assert (verdict.says is Kind.DENY) == (blocking is True)
    assert bool(verdict.warnings) != (blocking is True)


@pytest.mark.parametrize("event", ["PostAbilityCall", "SessionStop", "Stop", "PostToolUse"])
def test_a_block_after_the_act_is_reported_and_messages_are_kept(event):
    """S2-071"""
    verdict = say({"error": "x", "messages_to_user": ["m"]}, event)
    assert verdict.says is Kind.NONE
    assert "misconfigured" in verdict.warnings[0]
    assert verdict.messages == ("m",)


def test_failures_of_a_handler():
    """S2-031, S2-033"""
    assert say({"messages_to_user": ["m"]}, exit=1).fault is Fault.CRASH
    assert say("not json").fault is Fault.OUTPUT
    assert say("{broken}").fault is Fault.OUTPUT


def test_wrong_parts_are_left_out_and_the_rest_counts():
    verdict = say({"logs": "x", "messages_to_user": ["a", 3], "suggested_abilities": [{"no": "id"}], "error": 7})
    assert verdict.messages == ("a",)
    assert len(verdict.warnings) == 4


def test_error_alone_is_no_result_under_another_protocol():
    native = interpret_output(
        make_hook(protocol="native"), make_event(), ProcessOutput(b'{"error": "no config found"}')
    )
    assert native is None
    block = interpret_output(
        make_hook(protocol="native"), make_event(), ProcessOutput(b'{"error": "e", "messages_to_user": []}')
    )
    assert isinstance(block, Verdict) and block.says is Kind.DENY

"""Results of YAML hooks: they are waited for, merged, answered and written down, whichever door the event took."""

import json

import pytest

from synaptic.model.call import Answer, Request
from synaptic.store import follow_ups
from synaptic.store.db import Store
from tests.daemon.setting import Setting, output, specific
from tests.hooks.example_project import (
    CONTEXTS,
    EXAMPLES,
    HANDLERS,
    RESULTS,
    bring_examples,
    read_contexts,
    write_file,
    write_handler,
)

EVENTS = list(RESULTS)


@pytest.fixture
def examples(setting: Setting) -> Setting:
    bring_examples(setting.project)
    return setting


def emit(setting: Setting, event: str, **more: object) -> Request:
    base = {"event_type": event, "session_id": "sess-123", "timestamp": "2025-01-15T10:45:12Z"}
    context = {**base, "repository_root": str(setting.project), **CONTEXTS.get(event, {}), **more}
    return setting.raw(event, json.dumps(context).encode(), "synaptic")


def declare(setting: Setting, name: str, event: str, answer: object, **keys: object) -> None:
    body = str(keys.pop("body", ""))
    handler = {"kind": "script", "command": f"./scripts/hooks/{name}.sh"}
    table = {"id": name, "event_type": event, "handler": handler, **keys}
    write_file(setting.project / f".system/hooks/{name}.yaml", json.dumps(table))
    write_handler(setting.project, name, answer, body)


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("door", ["answer", "fallback"])
def test_the_examples_of_a_repository_are_answered_with_their_results(examples: Setting, door: str, event: str):
    """S2-035, S2-060, S2-061, S2-062, S2-063, S2-064, S2-067: no example says `blocking`, each one's result counts."""
    answer: Answer = getattr(examples, door)(emit(examples, event))
    assert (output(answer), answer.stderr, answer.exit) == (RESULTS[event], b"", 0)
    (seen,) = read_contexts(examples.project, HANDLERS[event])
    assert seen == json.loads(emit(examples, event).stdin)


def test_the_tracker_without_conditions_is_answered_alike(examples: Setting):
    """S2-006, S2-060, S2-067"""
    text = (EXAMPLES / "post_tool_use_tracker_short.yaml").read_text()
    write_file(examples.project / ".system/hooks/post_tool_use_tracker.yaml", text)
    assert output(examples.answer(emit(examples, "PostAbilityCall"))) == RESULTS["PostAbilityCall"]


def test_the_daemon_answers_with_the_same_results(examples: Setting):
    """S2-035, S2-060 to S2-064, S2-067"""
    examples.install()
    examples.start()
    assert {event: output(examples.daemon(emit(examples, event))) for event in EVENTS} == RESULTS


@pytest.mark.parametrize("event", EVENTS)
def test_outcome_and_duration_of_each_are_in_the_journal(examples: Setting, event: str):
    """S2-039, S2-060"""
    examples.answer(emit(examples, event))
    entry = examples.last()
    (step,) = [step for step in entry.decision.trace if step.hook == HANDLERS[event]]
    assert (step.phase, step.fault) == ("run", "") and step.micros > 0
    assert entry.decision.result is not None
    assert entry.decision.result.messages_to_user == tuple(RESULTS[event].get("messages_to_user", ()))


def test_from_prompt_to_suggestion_to_call_to_record(examples: Setting):
    """S2-094: the model is told, the call is recorded, the stop reports and queues the failing file."""
    examples.config('trust = "all"\npresets = ["routing"]\n')
    told = examples.answer(examples.request("UserPromptSubmit", prompt=CONTEXTS["UserPromptSubmit"]["user_message"]))
    assert "billing_regression (0.9)" in specific(told)["additionalContext"]
    assert "billing regression workflow" in output(told)["systemMessage"]
    assert output(examples.answer(emit(examples, "PostAbilityCall")))["usage_recorded"] is True
    logged = (examples.project / ".system/logs/hooks.log").read_text()
    assert "Logged code_review_agent usage to tool_call.md" in logged and '"level":"info"' in logged
    examples.answer(emit(examples, "SessionStop"))
    store = Store.open(examples.home)
    waiting = follow_ups.list_follow_ups(store, str(examples.project))
    store.close()
    assert [one.payload for one in waiting] == [{"path": "services/billing/src/invoice.ts"}]


def test_results_of_all_hooks_are_merged(examples: Setting):
    """S2-035"""
    declare(examples, "second", "UserPromptSubmit", {"suggested_abilities": ["other"], "logs": ["seen"]})
    result = output(examples.answer(emit(examples, "UserPromptSubmit")))
    assert [one["id"] for one in result["suggested_abilities"]] == ["other", "billing_regression"]
    assert result["logs"] == [{"level": "info", "message": "seen", "hook": "second"}]


@pytest.mark.parametrize("event", ["UserPromptSubmit", "PreAbilityCall", "PostAbilityCall", "SessionStop"])
def test_what_a_hook_logs_is_kept_whatever_the_event(setting: Setting, event: str):
    """S2-060"""
    setting.config('trust = "all"\npresets = ["routing"]\n')
    declare(setting, "logs", event, {"logs": [{"level": "warn", "message": "look here"}]})
    setting.answer(emit(setting, event, ability_id="a", status="success"))
    lines = [json.loads(line) for line in (setting.project / ".system/logs/hooks.log").read_text().splitlines()]
    assert [(one["hook"], one["level"]) for one in lines if one.get("message") == "look here"] == [("logs", "warn")]


@pytest.mark.parametrize("body", ["exit 1", "echo no json; exit 0", "kill -9 $$"])
def test_a_failure_of_one_that_does_not_block_is_told_and_the_others_count(examples: Setting, body: str):
    """S2-031, S2-035"""
    declare(examples, "broken", "UserPromptSubmit", {}, body=body, priority=10)
    answer = examples.answer(emit(examples, "UserPromptSubmit"))
    assert answer.exit == 0 and output(answer) == RESULTS["UserPromptSubmit"]
    assert b"hook broken" in answer.stderr and b"went on without it" in answer.stderr


def test_a_failure_of_one_that_blocks_stops_the_act(setting: Setting):
    """S2-032"""
    declare(setting, "broken", "PreAbilityCall", {}, body="exit 1", blocking=True)
    answer = setting.answer(emit(setting, "PreAbilityCall", ability_id="a"))
    assert answer.exit == 2 and "broken failed" in output(answer)["error"]


def test_a_slow_hook_costs_its_timeout_and_no_more(setting: Setting):
    """S2-031"""
    declare(setting, "slow", "PostAbilityCall", {}, body="sleep 600", timeout=1)
    answer = setting.answer(emit(setting, "PostAbilityCall", ability_id="a", status="success"))
    assert answer.exit == 0 and b"gave no answer within 1 s" in answer.stderr


def test_one_that_observes_is_told_of_a_call_that_was_refused(setting: Setting):
    """S2-035: it sees the refused call, and can neither lift nor rewrite it."""
    setting.register("guard", """echo '{"action": "block", "reason": "not here"}'""", priority=10)
    setting.register("later", priority=60)
    said = {"messages_to_user": ["seen"], "action": "modify", "input": {"command": "true"}}
    declare(setting, "observer", "PreToolUse", said)
    answer = setting.answer(setting.request())
    assert specific(answer)["permissionDecision"] == "deny" and "updatedInput" not in specific(answer)
    assert "seen" in output(answer)["systemMessage"]
    assert setting.order == ["guard"] and len(read_contexts(setting.project, "observer")) == 1


@pytest.mark.parametrize("body", ["exit 3", "echo '{'", "kill -9 $$"])
def test_a_refusal_outlives_an_observer_that_fails(setting: Setting, body: str):
    setting.register("guard", """echo '{"action": "block", "reason": "not here"}'""", priority=10)
    declare(setting, "observer", "PreToolUse", {}, body=body)
    assert specific(setting.answer(setting.request()))["permissionDecisionReason"] == "not here"


def test_a_refusal_outlives_an_observer_that_hangs(setting: Setting):
    setting.register("guard", """echo '{"action": "block", "reason": "not here"}'""", priority=10)
    declare(setting, "observer", "PreToolUse", {}, body="sleep 600", timeout=1)
    assert specific(setting.answer(setting.request()))["permissionDecision"] == "deny"


def test_a_result_counts_once_when_a_call_is_looked_at_again(setting: Setting):
    """S2-035: a rewrite by a later hook makes the first one look twice."""
    declare(setting, "first", "PreToolUse", {"logs": ["seen"], "messages_to_user": ["m"]}, priority=10)
    setting.register("rewrite", """echo '{"action": "modify", "input": {"command": "ls"}}'""", priority=20)
    setting.answer(setting.request())
    result = setting.last().decision.result
    assert result is not None and [one["message"] for one in result.logs] == ["seen"]
    assert result.messages_to_user == ("m",)


def test_one_that_nobody_awaits_is_started_and_answers_nothing(setting: Setting):
    declare(setting, "later", "PostAbilityCall", {"messages_to_user": ["m"]}, awaited=False)
    answer = setting.answer(emit(setting, "PostAbilityCall", ability_id="a", status="success"))
    assert output(answer) == {}
    (step,) = setting.last().decision.trace
    assert (step.phase, step.note) == ("started", "not awaited")
    assert setting.wait_for(lambda: read_contexts(setting.project, "later"), 60)


def test_suggestions_of_any_event_reach_the_model_once(setting: Setting):
    """S2-062"""
    declare(setting, "after", "PostToolUse", {"suggested_abilities": [{"id": "mine", "reason": "it fits"}]})
    first, second = (setting.answer(setting.request("PostToolUse", tool_response={})) for _ in range(2))
    assert "- mine: it fits" in specific(first)["additionalContext"]
    assert b"mine" not in second.stdout

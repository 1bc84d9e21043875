"""What becomes of the results and the failures of YAML hooks, for a person and for a model."""

import json

import pytest

from tests.daemon.setting import Setting, output, specific
from tests.engine.test_declared_hooks import SKILL, called, declare, emit
from tests.hooks.example_project import write_file
from tests.hooks.test_knowledge import ROUTE, ROUTING

FAILURES = {
    "exit 1": "exit 1",
    "crash": "kill -9 $$",
    "no JSON": "echo no json; exit 0",
    "no answer": "sleep 600",
    "no script": "",
    "not executable": "",
}
QUALITY = {"intent": "x", "scope": "execution.quality_gates", "topic": "pre_commit_checks", "stage": "plan"}


def break_hook(setting: Setting, failure: str, **keys: object) -> None:
    declare(setting, "broken", "PreAbilityCall", body=FAILURES[failure], timeout=1, **keys)
    script = setting.project / "scripts/hooks/broken.sh"
    if failure == "no script":
        script.unlink()
    if failure == "not executable":
        script.chmod(0o644)


@pytest.mark.parametrize("failure", FAILURES)
def test_every_failure_of_a_blocking_hook_stops_the_ability_and_says_why(setting: Setting, failure: str):
    """S2-032: for an orchestrator, and for an agent that calls a skill."""
    setting.config('trust = "all"\npresets = ["routing"]\n')
    break_hook(setting, failure, blocking=True)
    answer = emit(setting, "PreAbilityCall", ability_id="a")
    assert answer.exit == 2 and "broken" in output(answer)["error"]
    told = specific(setting.answer(setting.request("PreToolUse", **SKILL)))
    assert told["permissionDecision"] == "deny" and "broken" in told["permissionDecisionReason"]


def test_a_prompt_is_stopped_by_a_blocking_hook_that_fails(setting: Setting):
    """S2-032: whatever comes before an act is stopped; what comes after it is told."""
    declare(setting, "broken", ["UserPromptSubmit", "SessionStart"], body="exit 1", blocking=True)
    stopped = output(setting.answer(setting.request("UserPromptSubmit", prompt="hello")))
    assert stopped["decision"] == "block" and "broken" in stopped["reason"]
    told = output(setting.answer(setting.request("SessionStart", source="startup")))
    assert "decision" not in told and "broken" in told["systemMessage"]


@pytest.mark.parametrize("failure", FAILURES)
def test_no_failure_of_another_hook_stops_it_and_each_is_written_down(setting: Setting, failure: str):
    """S2-031: told to whoever calls, and in the journal."""
    setting.config('trust = "all"\npresets = ["routing"]\n')
    break_hook(setting, failure)
    answer = emit(setting, "PreAbilityCall", ability_id="a")
    assert answer.exit == 0 and "error" not in output(answer)
    assert b"broken" in answer.stderr
    entry = setting.last()
    assert any("broken" in warning for warning in entry.decision.warnings)
    assert [step.hook for step in entry.decision.trace if step.fault] == ["broken"]
    assert "permissionDecision" not in specific(setting.answer(setting.request("PreToolUse", **SKILL)))


@pytest.mark.parametrize("keys", [{}, {"blocking": True}])
def test_a_guardrail_of_the_repository_stops_a_skill_and_its_message_is_shown(setting: Setting, keys: dict[str, bool]):
    """S2-066, S2-069: as the seed writes it, without `blocking`, and with it."""
    setting.config('trust = "all"\npresets = ["routing"]\n')
    message = "This ability would write to production. In this environment, it is blocked."
    answer = {"messages_to_user": [message], "error": "blocked_by_policy"}
    declare(setting, "soft", "PreAbilityCall", answer=answer, **keys)
    told = setting.answer(setting.request("PreToolUse", **SKILL))
    assert specific(told)["permissionDecision"] == "deny"
    assert message in specific(told)["permissionDecisionReason"] and message in output(told)["systemMessage"]
    emitted = emit(setting, "PreAbilityCall", ability_id="a")
    assert (emitted.exit, output(emitted)["error"]) == (2, "blocked_by_policy")
    assert output(emitted)["messages_to_user"] == [message]


def test_every_level_of_a_log_is_kept(setting: Setting):
    """S2-060"""
    setting.config('trust = "all"\npresets = ["routing"]\n')
    logs = [{"level": level, "message": f"at {level}"} for level in ("debug", "info", "warn", "error")]
    declare(setting, "logs", "PostAbilityCall", answer={"logs": logs})
    assert [one for one in output(called(setting))["logs"] if one["hook"] == "logs"] == [
        {**log, "hook": "logs"} for log in logs
    ]
    lines = [json.loads(line) for line in (setting.project / ".system/logs/hooks.log").read_text().splitlines()]
    kept = [(line["level"], line["message"]) for line in lines if line.get("hook") == "logs"]
    assert kept == [(log["level"], log["message"]) for log in logs]


def test_the_log_has_the_whole_context_as_one_line(setting: Setting):
    """S2-090, S2-100"""
    setting.config('trust = "all"\npresets = ["routing"]\n')
    fields = {"duration_ms": 187000, "input_summary": 'a "quote"\nand a line', "mine": {"deep": [1, None]}}
    result = output(called(setting, **fields))
    assert result["usage_recorded"] is True
    first = json.loads((setting.project / ".system/logs/hooks.log").read_text().splitlines()[0])
    base = {"event_type": "PostAbilityCall", "session_id": "s1", "timestamp": "2025-01-15T10:23:45Z"}
    call = {"ability_id": "billing_regression", "status": "success", "repository_root": str(setting.project)}
    assert first == {**base, **call, **fields}


def test_an_intent_without_its_intent_is_rejected_and_the_rest_counts(setting: Setting):
    """S2-063"""
    answer = {"new_intent": {"scope": "execution.quality_gates"}, "messages_to_user": ["m"]}
    declare(setting, "vague", "UserPromptSubmit", answer=answer)
    told = emit(setting, "UserPromptSubmit", user_message="hello")
    assert output(told) == {"messages_to_user": ["m"]} and b"new_intent" in told.stderr


def test_an_intent_at_a_stop_brings_its_documents_to_the_next_turn(setting: Setting):
    """S2-062, S2-063, S2-091: a handler may emit it at a prompt or at a stop."""
    setting.config('trust = "all"\npresets = ["routing"]\n')
    for path, text in {"ROUTING.md": ROUTING, "docs/routes/quality.md": ROUTE, "docs/commands.md": "x"}.items():
        write_file(setting.project / path, text)
    declare(setting, "asks", "SessionStop", answer={"new_intent": QUALITY})
    assert output(emit(setting, "SessionStop"))["new_intent"] == QUALITY
    setting.answer(setting.request("Stop"))
    told = setting.answer(setting.request("UserPromptSubmit", prompt="what now?"))
    assert "- docs/commands.md" in specific(told)["additionalContext"]


def test_what_is_suggested_is_told_and_never_carried_out(setting: Setting):
    """S2-062, S2-064: neither an ability, nor a document, nor an action that a hook names."""
    ran = setting.project / "ran"
    answer = {
        "suggested_abilities": [{"id": "wipe", "reason": f"touch {ran}"}],
        "suggested_documents": [{"path": "docs/a.md", "reason": "read it", "stage": "plan"}],
        "follow_up_actions": [{"kind": "run_command", "payload": {"command": f"touch {ran}"}}],
    }
    declare(setting, "suggests", "UserPromptSubmit", answer=answer)
    write_file(setting.project / ".system/registry/a.yaml", f"abilities:\n  - {{id: wipe, command: touch {ran}}}\n")
    told = specific(setting.answer(setting.request("UserPromptSubmit", prompt="hello")))["additionalContext"]
    assert "- wipe: " in told and "- docs/a.md: read it" in told
    assert {step.hook for step in setting.last().decision.trace if step.phase == "run"} == {"suggests"}
    assert not ran.exists()

"""Skill calls of an agent, seen by the hooks of ability calls."""

import json
from pathlib import Path

import pytest

from tests.daemon.setting import Setting, output, specific
from tests.pipeline.test_hints import hook


@pytest.fixture
def setting(tmp_path: Path) -> Setting:
    made = Setting(tmp_path)
    made.config('trust = "all"\npresets = ["routing"]\n')
    (made.project / ".system").mkdir()
    return made


def skill(setting: Setting, event: str = "PreToolUse", **fields: object):
    call = {"tool_name": "Skill", "tool_input": {"skill": "billing_regression"}, **fields}
    return setting.answer(setting.request(event, **call))


def test_a_hook_for_ability_calls_may_deny_a_skill(setting: Setting):
    """S2-073"""
    hook(setting, "guard", "PreAbilityCall", {"error": "blocked_by_policy", "messages_to_user": ["no"]}, blocking=True)
    said = specific(skill(setting))
    assert said["permissionDecision"] == "deny" and "blocked_by_policy" in said["permissionDecisionReason"]
    assert any(step.hook == "guard" for step in setting.last().decision.trace)


def test_the_end_of_a_skill_is_recorded_as_an_ability_call(setting: Setting):
    """S2-084, S2-094"""
    skill(setting, "PostToolUse", tool_response={"stdout": "x" * 100_000}, duration_ms=5)
    (line,) = (setting.project / ".system/logs/tool_call.md").read_text().splitlines()
    assert "`billing_regression` (tool.Skill) success, 5 ms" in line and len(line) < 1500
    context = json.loads((setting.project / ".system/logs/hooks.log").read_text().splitlines()[0])
    assert context["event_type"] == "PostAbilityCall" and context["caller"]["source"] == "ai_session"


def test_other_tools_are_left_alone(setting: Setting):
    hook(setting, "guard", "PreAbilityCall", {"error": "no"}, blocking=True)
    assert output(setting.answer(setting.request("PreToolUse"))) == {}


def test_blocking_only_asks_those_that_block(setting: Setting):
    """S2-038"""
    hook(setting, "waits", "PreAbilityCall", {"messages_to_user": ["blocking"]}, blocking=True)
    hook(setting, "starts", "PreAbilityCall", {"messages_to_user": ["other"]})
    base = {"event_type": "PreAbilityCall", "session_id": "s", "timestamp": "t", "ability_id": "a"}
    request = setting.raw("PreAbilityCall", json.dumps({**base, "cwd": str(setting.project)}).encode(), "synaptic")
    request.env["SYNAPTIC_BLOCKING_ONLY"] = "1"
    assert output(setting.answer(request))["messages_to_user"] == ["blocking"]
    assert [step.hook for step in setting.last().decision.trace if step.hook in ("waits", "starts")] == ["waits"]

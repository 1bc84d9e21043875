"""A guard that fails is a question, whatever `fail` says; where nobody can be asked, it is a refusal."""

import json

import pytest

from synaptic.engine import walk
from synaptic.facts import gather
from synaptic.policies.files.recursive_deletion import RecursiveDeletion
from synaptic.policies.fleet.pre_tool_use import Heartbeat
from tests.daemon.setting import Setting


def _fail(*_: object) -> None:
    raise RecursionError("on purpose")


async def _fail_gathering(*_: object) -> None:
    raise ValueError("on purpose")


def _decision(setting: Setting, **fields: object) -> tuple[str, str]:
    answer = setting.answer(setting.elsewhere(**fields))
    said = json.loads(answer.stdout).get("hookSpecificOutput", {}) if answer.stdout else {}
    return said.get("permissionDecision", "none"), said.get("permissionDecisionReason", "")


@pytest.mark.parametrize("fail", ["open", "closed"])
def test_a_guard_that_crashes_is_asked_about(setting: Setting, monkeypatch: pytest.MonkeyPatch, fail: str) -> None:
    setting.config(f'trust = "all"\nfail = "{fail}"\n')
    monkeypatch.setattr(RecursiveDeletion, "speaks_of", None)
    monkeypatch.setattr(RecursiveDeletion, "check", _fail)
    decision, reason = _decision(setting)
    assert decision == "ask"
    assert "files.recursive-deletion" in reason
    assert "RecursionError" in reason


def test_a_deny_of_another_guard_still_wins(setting: Setting, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RecursiveDeletion, "speaks_of", None)
    monkeypatch.setattr(RecursiveDeletion, "check", _fail)
    assert _decision(setting, tool_input={"command": "git reset --hard"})[0] == "deny"


def test_facts_that_cannot_be_gathered_are_asked_about(setting: Setting, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = {**gather.find_gatherers(), "real_paths": _fail_gathering}
    monkeypatch.setattr(gather, "find_gatherers", lambda: broken)
    gather._split_needs.cache_clear()
    try:
        decision, reason = _decision(setting)
    finally:
        gather._split_needs.cache_clear()
    assert decision == "ask"
    assert "real_paths" in reason


@pytest.mark.parametrize(
    ("command", "decision"), [("ls -la", "none"), ("pytest -q", "none"), ("rm -rf ~/a", "deny"), ("git reset", "ask")]
)
def test_facts_that_only_others_need_are_not_asked_about(
    setting: Setting, monkeypatch: pytest.MonkeyPatch, command: str, decision: str
) -> None:
    broken = {**gather.find_gatherers(), "losses": _fail_gathering}
    monkeypatch.setattr(gather, "find_gatherers", lambda: broken)
    gather._split_needs.cache_clear()
    try:
        assert _decision(setting, tool_input={"command": command})[0] == decision
    finally:
        gather._split_needs.cache_clear()


@pytest.mark.parametrize("part", ["amend_decision", "decide_call"])
def test_a_defect_of_the_walk_itself_is_asked_about(
    setting: Setting, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    monkeypatch.setattr(walk, part, _fail)
    decision, reason = _decision(setting)
    assert decision == "ask"
    assert "RecursionError" in reason


@pytest.mark.parametrize(
    "where",
    [
        "synaptic.engine.walk.correct_sender",
        "synaptic.agents.claude.dialect.ClaudeAdapter.decode",
        "synaptic.agents.claude.dialect.ClaudeAdapter.encode",
        "synaptic.agents.claude.dialect.ClaudeAdapter.degrade",
        "synaptic.hooks.catalog.HookCatalogs.open_for_call",
        "synaptic.hooks.select.HookIndex.select",
        "synaptic.engine.commit.EventCommit.write",
        "synaptic.store.journal.claim_records",
    ],
)
def test_wherever_our_own_code_raises_nothing_becomes_an_allow(
    setting: Setting, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    monkeypatch.setattr(where, _fail)
    assert _decision(setting, tool_input={"command": "git reset --hard"})[0] in ("ask", "deny")


@pytest.mark.parametrize(
    "where",
    [
        "synaptic.engine.walk.amend_decision",
        "synaptic.agents.claude.dialect.ClaudeAdapter.degrade",
        "synaptic.agents.claude.dialect.ClaudeAdapter.encode",
        "synaptic.engine.commit._make_record",
        "synaptic.engine.commit.EventCommit.write",
        "synaptic.engine.side_effects.SideEffects.begin",
        "synaptic.store.journal.claim_records",
    ],
)
def test_no_defect_after_a_deny_makes_it_anything_else(
    setting: Setting, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    monkeypatch.setattr(where, _fail)
    assert _decision(setting, tool_input={"command": "git reset --hard"})[0] == "deny"


def test_an_agent_that_cannot_ask_is_refused(setting: Setting, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "amend_decision", _fail)
    payload = setting.payload(tool_name="Bash", tool_input={"command": "ls"})
    answer = setting.answer(setting.raw("PreToolUse", json.dumps(payload).encode(), "codex"))
    assert json.loads(answer.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_after_the_act_a_defect_of_the_walk_is_still_one(setting: Setting, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "amend_decision", _fail)
    with pytest.raises(RecursionError):
        setting.answer(setting.elsewhere("PostToolUse", tool_response={}))


def test_what_is_no_guard_keeps_nobody_from_working(setting: Setting, monkeypatch: pytest.MonkeyPatch) -> None:
    setting.config('trust = "all"\npresets = ["essentials", "fleet"]\n')
    monkeypatch.setattr(Heartbeat, "check", _fail)
    assert _decision(setting)[0] == "none"


def test_after_the_act_a_failing_policy_is_a_warning(setting: Setting, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RecursiveDeletion, "speaks_of", None)
    monkeypatch.setattr(RecursiveDeletion, "check", _fail)
    assert setting.answer(setting.elsewhere("PostToolUse", tool_response={})).exit == 0

"""A session that tries the same refused call again and again, through the engine."""

from pathlib import Path

import pytest

from synaptic.model.call import Answer
from tests.daemon.setting import BLOCK, Setting, output, specific


@pytest.fixture
def setting(tmp_path: Path) -> Setting:
    setting = Setting(tmp_path)
    setting.register("guard", f"grep -q forbidden && {BLOCK}; exit 0")
    return setting


def ask(setting: Setting, command: str = "forbidden", **fields: object) -> Answer:
    fields = {"tool_input": {"command": command}, "permission_mode": "default", **fields}
    return setting.answer(setting.request("PreToolUse", **fields))


def words(answers: list[Answer]) -> list[str]:
    return [specific(answer).get("permissionDecision", "") for answer in answers]


def test_stronger_then_a_question_then_a_word_to_the_user(setting: Setting) -> None:
    answers = [ask(setting) for _ in range(5)]
    assert words(answers) == ["deny", "deny", "ask", "deny", "deny"]
    reasons = [specific(answer)["permissionDecisionReason"] for answer in answers]
    assert all("Banned command pattern" in reason for reason in reasons)
    assert "refused again" in reasons[1] and "3 times" in reasons[2]
    assert ["systemMessage" in output(answer) for answer in answers] == [True, False, False, True, True]
    assert "escalated" in [step.phase for step in setting.last().decision.trace]


def test_another_call_is_counted_for_itself(setting: Setting) -> None:
    for _ in range(4):
        ask(setting)
    assert "refused again" not in specific(ask(setting, "forbidden 2"))["permissionDecisionReason"]
    assert words([ask(setting, "fine")]) == [""]
    assert "refused again" not in specific(ask(setting, session_id="s2"))["permissionDecisionReason"]


def test_the_user_s_next_prompt_starts_anew(setting: Setting) -> None:
    for _ in range(2):
        ask(setting)
    setting.answer(setting.request("UserPromptSubmit", prompt="<task-notification>x</task-notification>"))
    assert words([ask(setting)]) == ["ask"]
    setting.answer(setting.request("UserPromptSubmit", prompt="please go on"))
    assert words([ask(setting), ask(setting), ask(setting)]) == ["deny", "deny", "ask"]


def test_where_nobody_is_asked_it_stays_refused(setting: Setting) -> None:
    answers = [ask(setting, permission_mode="bypassPermissions") for _ in range(4)]
    assert words(answers) == ["deny"] * 4


def test_a_dry_run_counts_nothing(setting: Setting) -> None:
    for _ in range(4):
        setting.rehearse(setting.request("PreToolUse", tool_input={"command": "forbidden"}))
    assert "refused again" not in specific(ask(setting))["permissionDecisionReason"]


def test_without_a_session_nothing_is_counted(setting: Setting) -> None:
    assert words([ask(setting, session_id="") for _ in range(4)]) == ["deny"] * 4

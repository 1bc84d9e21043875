"""A session that tries the same refused call again and again, through the engine."""

import time
from pathlib import Path

import pytest

from synaptic.model.call import Answer
from tests.daemon.setting import BLOCK, Setting, output, specific
from tests.lib.exceptions import make_exceptions
from tests.lib.shell import git, repository


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


def reasons(answers: list[Answer]) -> list[str]:
    return [specific(answer).get("permissionDecisionReason", "") for answer in answers]


def test_who_does_as_told_and_meets_another_policy_is_not_scolded(setting: Setting) -> None:
    """The count is kept by call and policy: the second one refuses this call for the first time."""
    setting.config('trust = "all"\npresets = ["practice"]\n')
    repository(setting.project, "main")
    (setting.project / ".claude").mkdir()
    status = setting.project / ".claude" / ".test-status"
    status.write_text(f"fail|1|{int(time.time())}\n")
    (setting.project / "a.py").write_text('"""Adds."""\n')
    git(setting.project, "add", "a.py")
    asked = ask(setting, "git commit -m x"), ask(setting, "git commit -m x")
    assert "refused again" not in reasons(asked)[0] and "refused again" in reasons(asked)[1]
    by = setting.last().decision.by
    git(setting.project, "checkout", "-q", "-b", "topic")
    (again,) = reasons([ask(setting, "git commit -m x")])
    assert setting.last().decision.by != by and "test(s) failed" in again
    assert "refused again" not in again
    git(setting.project, "checkout", "-q", "main")
    assert words([ask(setting, "git commit -m x")]) == ["ask"]  # the first one has refused it three times by now


def test_a_yes_of_the_user_is_no_refusal(setting: Setting) -> None:
    assert words([ask(setting, tool_use_id=f"t{n}") for n in (1, 2, 3)]) == ["deny", "deny", "ask"]
    setting.answer(setting.request("PostToolUse", tool_input={"command": "forbidden"}, tool_use_id="t3"))
    again = [ask(setting, tool_use_id=f"t{n}") for n in (4, 5, 6)]
    assert words(again) == ["deny", "deny", "ask"]
    assert "refused again" not in reasons(again)[0] and "refused again" in reasons(again)[1]
    assert "3 times" in reasons(again)[2]


def test_a_call_that_failed_once_it_ran_was_allowed_too(setting: Setting) -> None:
    assert words([ask(setting, tool_use_id=f"t{n}") for n in (1, 2, 3)])[2] == "ask"
    setting.answer(setting.request("PostToolUseFailure", tool_use_id="t3", error="Exit code 1"))
    assert "refused again" not in reasons([ask(setting, tool_use_id="t4")])[0]


@pytest.mark.parametrize(
    "report",
    [
        {"tool_use_id": "t9"},
        {"tool_use_id": "t3", "session_id": "s2"},
        {"tool_use_id": "t3", "tool_name": "Read", "tool_input": {"file_path": "a"}},
        {"tool_use_id": "t9", "tool_input": {"command": 'echo "t3"'}},
    ],
)
def test_another_result_is_no_yes(setting: Setting, report: dict[str, object]) -> None:
    """Not of another call, of another session, of another tool, nor one that only names the number."""
    assert words([ask(setting, tool_use_id=f"t{n}") for n in (1, 2, 3)])[2] == "ask"
    setting.answer(setting.request("PostToolUse", **report))
    assert "4 identical calls were refused" in reasons([ask(setting, tool_use_id="t4")])[0]


def test_a_result_from_before_the_question_is_no_yes(setting: Setting) -> None:
    """Agents that give each call the same number."""
    setting.answer(setting.request("PostToolUse", tool_use_id="t"))
    assert words([ask(setting, tool_use_id="t") for _ in range(4)]) == ["deny", "deny", "ask", "deny"]
    assert "4 identical calls were refused" in setting.last().decision.reason


def test_a_no_of_the_user_counts(setting: Setting) -> None:
    assert words([ask(setting, tool_use_id=f"t{n}") for n in range(4)]) == ["deny", "deny", "ask", "deny"]
    assert "4 identical calls were refused" in setting.last().decision.reason


def test_an_exception_starts_the_count_anew(setting: Setting) -> None:
    ask(setting), ask(setting)
    make_exceptions(setting.home, setting.last().decision.code)
    assert words([ask(setting)]) == [""]
    again = [ask(setting) for _ in range(3)]
    assert words(again) == ["deny", "deny", "ask"]
    assert "refused again" not in reasons(again)[0]


def test_an_exception_to_one_call_leaves_the_count_of_another(setting: Setting) -> None:
    ask(setting, "forbidden 2")
    ask(setting)
    make_exceptions(setting.home, setting.last().decision.code)
    ask(setting)
    assert "refused again" in reasons([ask(setting, "forbidden 2")])[0]


def test_neither_spaces_nor_another_description_start_it_anew(setting: Setting) -> None:
    ask(setting, "forbidden now")
    for command, more in (("forbidden \t now ", {}), ("forbidden now", {"description": "once more", "timeout": 9})):
        given = {"command": command, **more}
        assert "refused" in reasons([ask(setting, tool_input=given)])[0]
        assert "escalated" in [step.phase for step in setting.last().decision.trace]

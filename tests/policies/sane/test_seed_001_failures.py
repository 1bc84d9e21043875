"""What counts as a failure, what it leads to, and that nothing but the event before a tool ever blocks."""

import itertools
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from synaptic.policies.base import Policy, load_policies
from tests.daemon.setting import output, specific
from tests.policies.sane.test_session import Project

PRINTED = (
    "TypeError: failed\nfatal: command not found",
    {"stdout": "BUILD FAILED", "stderr": ""},
    {"file": {"content": "TypeError: failed"}},
    {"exit_code": 0, "stdout": "error", "stderr": "0 errors, failed"},
    {"error": "", "stdout": "permission denied"},
    [{"type": "text", "text": "fatal"}],
)
FAILED = [
    ({"error": "sh: x: command not found", "exit_code": 1, "stderr": "syntax error"}, "COMMAND_NOT_FOUND"),
    ({"exit_code": 2, "stderr": "syntax error", "stdout": "permission denied"}, "SYNTAX_ERROR"),
    ({"exit_code": 1, "stdout": "", "stderr": ""}, "COMMAND_FAILED"),
    ({"is_error": True, "stdout": "out of memory"}, "GENERIC_ERROR"),
]
OTHER_EVENTS = ("UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop")
ODD = (None, -1.5, True, "", "\0", "x" * 3000, [[None]], {"error": {"x": []}})
FIELDS = ("prompt", "tool_name", "tool_input", "tool_response", "error", "stop_hook_active", "cwd", "session_id")


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    made = Project(tmp_path)
    yield made
    made.close()


def never_blocks(project: Project, event: str, **fields: object) -> None:
    answer = project.send(event, **fields)
    said = {**output(answer), **specific(answer)}
    assert answer.exit == 0, (event, fields)
    assert not {"decision", "permissionDecision", "continue", "stopReason"} & said.keys(), (event, fields, said)


def break_everything(project: Project) -> None:
    """Safemode on, breaker tripped, a big task, edits in many files, refusals enough for a halt."""
    project.prompt("rewrite the entire parser, update the docs and run the tests")
    for number in range(6):
        file = f"{project.setting.project}/{number}.py"
        project.did("Edit", {"filePath": file}, file_path=file)
        project.edit()
        project.fails(f"error {number}")
    project.prompt("s+")
    assert project.section("circuit_breaker")["tripped"] and project.section("enforcement")["halted"]


def test_text_that_looks_like_an_error_is_none(project: Project) -> None:
    """S1-011, S1-106: however often, and from whichever tool."""
    for response, tool in itertools.product(PRINTED, ("Bash", "Read", "Edit", "Grep")):
        project.did(tool, response, command="make", file_path=f"{project.setting.project}/a.py")
    breaker = project.section("circuit_breaker")
    assert not breaker.get("failures") and not breaker.get("error_signatures") and not breaker.get("tripped")


@pytest.mark.parametrize(("response", "kind"), FAILED)
def test_one_failure_counts_once_in_a_row_and_once_by_its_kind(project: Project, response: dict, kind: str) -> None:
    """S1-106, S1-120, S1-128: the error field before the exit code; stderr only names what failed."""
    project.did("Bash", response, command="make")
    breaker = project.section("circuit_breaker")
    assert (breaker["failures"], breaker["error_signatures"]) == (1, {kind: 1})
    assert breaker["last_error"] and not breaker.get("tripped") and not breaker.get("tripped_at")


@pytest.mark.parametrize("reset", ["rb-", "rb+", "reset breaker"])
@pytest.mark.parametrize("status", ["rb?", "breaker status"])
def test_the_breaker_is_told_shown_and_reset(project: Project, reset: str, status: str) -> None:
    """S1-024, S1-025, S1-054, S1-073, S1-121: three failures in a row that print nothing."""
    project.prompt("what does the parser do")
    for number in range(3):
        assert "reset breaker" not in project.prompt("fix the parser bug, please")
        project.did("Bash", {"exit_code": 1, "stdout": "", "stderr": ""}, command=f"make {number}")
    tripped = project.section("circuit_breaker")
    assert tripped["tripped"] is True and tripped["tripped_at"]
    told = project.prompt(status)
    assert "tripped" in told and "3 failures in a row" in told and "COMMAND_FAILED 3" in told
    assert project.section("circuit_breaker") == tripped
    assert "reset breaker" in project.prompt("fix the parser bug, please")
    project.prompt("waive")
    assert "reset breaker" in project.edit()
    project.prompt(reset)
    assert project.section("circuit_breaker") == {
        "failures": 0, "tripped": False, "tripped_at": None, "last_error": None, "error_signatures": {},
    }  # fmt: skip
    assert not project.edit()


@pytest.mark.parametrize("event", OTHER_EVENTS)
def test_no_input_in_any_state_makes_another_event_block(project: Project, event: str) -> None:
    """S1-003, S1-170: every field with every odd value, when every gate is shut."""
    never_blocks(project, event)
    break_everything(project)
    for field, value in itertools.product(FIELDS, ODD):
        never_blocks(project, event, **{field: value})


@pytest.mark.parametrize("trouble", ["a file", "a link to nowhere", "forged state"])
def test_a_state_folder_that_cannot_be_used_blocks_nobody(project: Project, trouble: str) -> None:
    """S1-004, S1-170: no hook fails, and before a tool the verdict is what it would be otherwise."""
    folder = project.setting.project / ".claude"
    if trouble == "a file":
        folder.write_text("a file")
    elif trouble == "a link to nowhere":
        folder.symlink_to("/nowhere/at/all")
    else:
        folder.mkdir()
        (folder / "state.json").write_text(json.dumps({"circuit_breaker": []}))
    for event in OTHER_EVENTS:
        never_blocks(project, event, prompt="what does the parser do", tool_response="x")
    assert not project.edit() and not project.bash("ls") and not project.wants("Read", file_path="a.py")


def test_a_rule_of_the_process_that_crashes_blocks_no_event_but_the_one_before_a_tool(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S1-004: there it is a question, because nobody knows what the rule would have said."""

    def crash(self: Policy, *given: object) -> None:
        raise RuntimeError("on purpose")

    for name, policy in load_policies().items():
        if name.startswith("sane."):
            monkeypatch.setattr(policy, "check", crash)
    for event in OTHER_EVENTS:
        never_blocks(project, event, prompt="fix the bug", tool_response="x")
    asked = project.send("PreToolUse", permission_mode="default")
    assert asked.exit == 0 and specific(asked)["permissionDecision"] == "ask"
    assert "sane." in specific(asked)["permissionDecisionReason"]

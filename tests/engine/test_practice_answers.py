"""The practice as an agent hears it: shapes of answers, gates that agree, and what sessions are told."""

import json
from pathlib import Path

import pytest

from synaptic.model.call import Answer
from synaptic.policies.source_files import SOURCE_EXTENSIONS
from tests.daemon.setting import output, specific
from tests.daemon.test_practice import HEADER, Practice, now
from tests.lib.shell import git

BOTH = 'presets = ["essentials", "practice"]\n'
LONG = "x = 1\n" * 60
NO_SOURCE = ["a.mjs", "a.lua", "a.PY", "Makefile", "a.py.bak", "README.md", "a.json"]
SKIPPED = ["app.config.js", "node_modules/x/a.js", "a/vendor/b.go", "x.generated.ts", "a.min.js", "dist/a.js"]
KEPT = ["src/distance.py", "mybuilder.py", ".github/a.py", "src/main.py"]


@pytest.fixture
def practice(tmp_path: Path) -> Practice:
    return Practice(tmp_path)


def bash(practice: Practice, command: str, **more: object) -> Answer:
    given = {"command": command, "description": "as it was", "timeout": 5}
    return practice.answer(practice.request(tool_input=given, **more))


@pytest.mark.parametrize(
    ("command", "rewritten"),
    [
        ("echo x > /tmp/a", "mkdir -p {0}/tmp && echo x > {0}/tmp/a"),
        ("git push --force origin feature", "git push --force-with-lease origin feature"),
        ("git worktree remove ../side", 'cd "{0}" && git worktree remove ../side'),
    ],
)
def test_the_three_rewrites_have_exactly_the_shape_of_a_rewrite(practice: Practice, command: str, rewritten: str):
    """S4-007, S4-010, S4-040, S4-050, S4-055, S4-058: the guard before Bash; other fields of the input survive."""
    practice.config(BOTH)
    said = output(bash(practice, command))
    assert said.keys() == {"hookSpecificOutput"}
    told = said["hookSpecificOutput"]
    assert told.pop("permissionDecisionReason")
    changed = {"command": rewritten.format(practice.project), "description": "as it was", "timeout": 5}
    assert told == {"hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": changed}


def test_a_deny_has_exactly_the_shape_of_a_deny(practice: Practice):
    """S4-006, S4-010: what has no safe form is denied, not rewritten."""
    practice.config(BOTH)
    practice.file("a.py", "x = 1\n")
    git(practice.project, "add", "a.py")
    said = output(bash(practice, "git reset --hard"))
    assert said.keys() == {"hookSpecificOutput", "systemMessage"}  # the latter is for the person, the first time
    told = said["hookSpecificOutput"]
    assert told.keys() == {"hookEventName", "permissionDecision", "permissionDecisionReason"}
    assert (told["hookEventName"], told["permissionDecision"]) == ("PreToolUse", "deny")


@pytest.mark.parametrize("event", ["PreToolUse", "PostToolUse"])
@pytest.mark.parametrize("tool", ["Write", "Edit", "Bash"])
@pytest.mark.parametrize("given", [{}, {"tool_input": {}}, {"tool_input": {"file_path": "", "command": ""}}])
def test_a_call_without_its_path_or_command_is_silent(practice: Practice, event: str, tool: str, given: dict):
    """S4-001, S4-004: nothing to say prints nothing, on the branch where writes are denied."""
    practice.config(BOTH)
    git(practice.project, "checkout", "-q", "main")
    payload = {"tool_name": tool, "cwd": str(practice.project), **given}
    answer = practice.answer(practice.raw(event, json.dumps(payload).encode()))
    assert (answer.stdout, answer.stderr, answer.exit) == (b"", b"", 0)


def test_a_review_is_context_and_no_decision(practice: Practice):
    """S4-008, S4-009"""
    source = practice.file("src/a.py", HEADER + "x = 1\n" * 30)
    said = output(practice.tool(source, event="PostToolUse"))
    assert said["hookSpecificOutput"].keys() == {"hookEventName", "additionalContext"}
    assert "src/a.py now has 31 lines" in said["hookSpecificOutput"]["additionalContext"]
    assert "decision" not in said


@pytest.mark.parametrize("name", ['a "quote".py', "it's.py", "back\\slash.py", "line\nbreak.py", "ümlaut.py"])
def test_an_answer_is_json_whatever_a_path_or_a_branch_is_called(practice: Practice, name: str):
    """S4-012"""
    git(practice.project, "checkout", "-q", "-b", 'odd"branch')
    denied = specific(practice.tool(practice.project / name, LONG))
    assert denied["permissionDecision"] == "deny" and name in denied["permissionDecisionReason"]
    told = specific(practice.event("SessionStart", source="startup"))["additionalContext"]
    assert 'Git: branch=odd"branch' in told


@pytest.mark.parametrize("gate", ["test-gate", "branch-guard", "doc-gate", "plan-check"])
def test_every_gate_means_the_same_files(practice: Practice, gate: str):
    """S4-033, S4-034: each extension of the list, nothing beside it, and path segments instead of pieces of names."""
    practice.config(f'presets = []\n[policies."practice.{gate}"]\nenabled = true\n')
    git(practice.project, "checkout", "-q", "main")
    practice.status(f"fail|3|{now()}")
    practice.tool(practice.project / "first_strike.py", LONG)  # the test gate advises once

    def is_denied(name: str) -> bool:
        return "permissionDecision" in specific(practice.tool(practice.project / name, LONG))

    source = [f"src/a.{extension}" for extension in SOURCE_EXTENSIONS]
    assert [name for name in (*source, *KEPT) if not is_denied(name)] == []
    assert [name for name in (*NO_SOURCE, *SKIPPED) if is_denied(name)] == []


def test_a_compaction_keeps_five_names_and_counts_the_rest(practice: Practice):
    """S4-165: seven files that were really written in this session, with the plan, the tests and the audit."""
    practice.file("MASTER_PLAN.md", "# Plan\n## Phase 1: one\n**Status:** completed\n## Phase 2: two\n")
    practice.status(f"fail|3|{now()}")
    (practice.claude / ".audit-log").write_text("2025-01-01T00:00:00|test_fail|x\n")
    for letter in "abcdefg":
        practice.tool(practice.file(f"src/{letter}.py", HEADER), event="PostToolUse")
    told = practice.event("PreCompact", trigger="manual").stdout.decode()
    for line in ("Git: branch=feature", "Phase 2: two", "a.py, b.py, c.py, d.py, e.py (+2 more)", "|test_fail|x"):
        assert line in told
    assert "3 failure(s)" in told


def test_a_session_begins_with_git_plan_and_worktrees(practice: Practice, tmp_path: Path):
    """S4-030, S4-031, S4-168: of a real repository."""
    git(practice.project, "checkout", "-q", "main")
    git(practice.project, "worktree", "add", "-q", str(tmp_path / "side"), "-b", "side")
    before = specific(practice.event("SessionStart", source="startup"))["additionalContext"]
    assert "MASTER_PLAN.md not found" in before
    practice.file("MASTER_PLAN.md", "# Plan\n## Phase 1: one\n**Status:** completed\n## Phase 2: two\n")
    told = specific(practice.event("SessionStart", source="startup", session_id="s2"))["additionalContext"]
    assert "Git: branch=main | " in told and "1 worktrees" in told and f"worktree: {tmp_path}/side" in told
    assert "WARNING: on main" in told
    assert "1/2 phases completed, current: Phase 2: two, 0 day(s) old" in told


def test_prompts_bring_what_their_words_ask_for(practice: Practice):
    """S4-169"""
    practice.file("MASTER_PLAN.md", "# Plan\n## Phase 1: one\n")

    def told(prompt: str) -> str:
        return str(specific(practice.event("UserPromptSubmit", prompt=prompt)).get("additionalContext", ""))

    first = told("hello")
    assert "Git: branch=feature" in first and "Plan: " in first
    assert told("hello") == ""
    assert told("please commit").startswith("Git: branch=feature") and "Plan: " not in told("please commit")
    assert told("how is the progress?").startswith("Plan: ")
    assert "scope is wide" in told("rework everything")
    assert told("   ") == ""


@pytest.mark.parametrize(
    ("kind", "words"),
    [("planner", "write MASTER_PLAN.md first"), ("implementer", "test-first"), ("guardian", "explicit approval")],
)
def test_each_sub_agent_is_briefed_for_what_it_is(practice: Practice, kind: str, words: str):
    """S4-005: with nothing but the field that names it."""
    payload = {"subagent_type": kind, "cwd": str(practice.project)}
    said = specific(practice.answer(practice.raw("SubagentStart", json.dumps(payload).encode())))
    assert f"Role {kind}: " in said["additionalContext"] and words in said["additionalContext"]
    practice.answer(practice.raw("SubagentStop", json.dumps({**payload, "response": "Shall I?"}).encode()))
    assert practice.hooks_that_ran() == [f"practice.check-{kind}"]

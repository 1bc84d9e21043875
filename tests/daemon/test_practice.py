"""The practice through the whole engine: order, chain, state, files, background runs."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from synaptic.engine.walk import open_engine
from synaptic.hooks.catalog import HookCatalogs
from synaptic.hooks.select import compile_matcher
from synaptic.model.call import Answer
from synaptic.store import journal
from synaptic.store.db import Store
from tests.daemon.setting import Setting, output, specific
from tests.lib.shell import git, repository

HEADER = '"""Adds."""\n'
CONFIG = """
presets = ["practice"]
[policies."practice.test-runner"]
debounce = 0.05
cooldown = 0.0
"""


class Practice(Setting):
    """A repository on a branch, with the practice on."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.config(CONFIG)
        repository(self.project, "main")
        git(self.project, "checkout", "-q", "-b", "feature")
        self.claude = self.project / ".claude"
        self.claude.mkdir()

    def file(self, name: str, text: str) -> Path:
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def tool(self, path: Path | str, content: str = HEADER, event: str = "PreToolUse", name: str = "Write") -> Answer:
        fields = {"tool_name": name, "tool_input": {"file_path": str(path), "content": content}}
        return self.answer(self.request(event, **fields))

    def event(self, event: str, **fields: object) -> Answer:
        return self.answer(self.request(event, **fields))

    def status(self, text: str) -> None:
        (self.claude / ".test-status").write_text(text)

    def program(self, name: str) -> None:
        """One of the tools that the tests themselves are run with, installed in the project."""
        folder = self.project / ".venv" / "bin"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).symlink_to(Path(sys.executable).with_name(name))

    def hooks_that_ran(self) -> list[str]:
        return [step.hook for step in self.last().decision.trace if step.phase == "run"]


@pytest.fixture
def practice(tmp_path: Path) -> Practice:
    return Practice(tmp_path)


def now(ago: int = 0) -> int:
    return int(time.time()) - ago


def test_every_event_has_its_policies_in_the_order_of_the_reference(practice: Practice):
    """S4-040, S4-041, S4-045"""
    hooks = [hook for hook in HookCatalogs(practice.home).get(str(practice.project)).hooks if "practice." in hook.id]

    def order(event: str, tool: str = "") -> list[str]:
        found = [hook for hook in hooks if event in hook.events and (not tool or compile_matcher(hook.matcher)(tool))]
        return [hook.id.removeprefix("practice.") for hook in found]

    assert order("SessionStart") == ["session-init"]
    assert order("UserPromptSubmit") == ["prompt-submit"]
    for tool in ("Write", "Edit"):
        assert order("PreToolUse", tool) == ["test-gate", "branch-guard", "doc-gate", "plan-check"]
        assert order("PostToolUse", tool) == ["lint", "track", "code-review", "plan-validate", "test-runner"]
    assert order("PreToolUse", "MultiEdit") == []
    assert order("SubagentStart") == ["subagent-start"]
    assert order("SubagentStop") == ["check-planner", "check-implementer", "check-guardian"]
    assert order("Stop") == ["surface", "session-summary", "forward-motion"]
    assert order("PreCompact") == ["compact-preserve"]
    assert order("Notification") == ["notify"]
    assert order("SessionEnd") == ["session-end"]


def test_a_deny_ends_the_chain_and_an_advice_does_not(practice: Practice):
    """S4-006, S4-008, S4-041, S4-042, S4-082"""
    git(practice.project, "checkout", "-q", "main")
    practice.status(f"fail|3|{now()}")
    first = specific(practice.tool(practice.project / "a.py"))
    assert practice.last().decision.by == "practice.branch-guard"
    assert first["permissionDecision"] == "deny"
    second = specific(practice.tool(practice.project / "a.py"))
    assert "Tests are failing" in second["permissionDecisionReason"]
    assert practice.hooks_that_ran() == ["practice.test-gate"]
    assert (practice.claude / ".test-gate-strikes").read_text().startswith("2|")


def test_strikes_go_from_advice_to_deny_to_release(practice: Practice):
    """S4-080 to S4-085"""
    source, test = practice.project / "a.py", practice.project / "tests" / "test_a.py"
    practice.status("garbage")
    assert "Tests" not in json.dumps(output(practice.tool(source)))
    practice.status(f"fail|3|{now()}")
    assert "Tests are failing" in specific(practice.tool(source))["additionalContext"]
    assert "permissionDecision" not in specific(practice.tool(test))
    assert specific(practice.tool(source))["permissionDecision"] == "deny"
    practice.status(f"pass|0|{now()}")
    assert "permissionDecision" not in specific(practice.tool(source))
    assert not (practice.claude / ".test-gate-strikes").exists()
    practice.status(f"fail|3|{now()}")
    assert "permissionDecision" not in specific(practice.tool(source))
    practice.status(f"fail|3|{now(700)}")
    assert "permissionDecision" not in specific(practice.tool(source))


def test_a_write_on_main_is_denied_and_in_a_worktree_it_is_not(practice: Practice, tmp_path: Path):
    """S4-090, S4-091"""
    git(practice.project, "checkout", "-q", "main")
    git(practice.project, "worktree", "add", "-q", str(tmp_path / "side"), "-b", "side")
    denied = specific(practice.tool(practice.project / "new" / "deep" / "a.py"))
    assert denied["permissionDecision"] == "deny"
    assert "main checked out" in denied["permissionDecisionReason"]
    assert "permissionDecision" not in specific(practice.tool(tmp_path / "side" / "a.py"))


def test_plans_are_asked_for_in_worktrees_too(practice: Practice, tmp_path: Path):
    """S4-100, S4-102"""
    git(practice.project, "worktree", "add", "-q", str(tmp_path / "side"), "-b", "side")
    long = HEADER + "x = 1\n" * 25
    assert specific(practice.tool(tmp_path / "side" / "a.py", long))["permissionDecision"] == "deny"
    practice.file("MASTER_PLAN.md", "# Intent\n")
    assert "permissionDecision" not in specific(practice.tool(practice.project / "a.py", long))


def test_a_plan_that_is_left_behind(practice: Practice):
    """S4-100"""
    plan = practice.file("MASTER_PLAN.md", "# Intent\n")
    old = time.time() - 3600
    os.utime(plan, (old, old))
    long = HEADER + "x = 1\n" * 25
    commits = "for n in $(seq 18); do git -c user.name=D -c user.email=d@e commit -q --allow-empty -m x; done"
    seen = []
    for extra in (commits, commits.replace("18", "1"), commits.replace("18", "19"), commits.replace("18", "1")):
        subprocess.run(["sh", "-c", extra], cwd=practice.project, check=True)
        said = specific(practice.tool(practice.project / "a.py", long))
        seen.append(said.get("permissionDecision") or ("advice" if "commits old" in str(said) else "quiet"))
    assert seen == ["quiet", "advice", "advice", "deny"]


def test_lint_feedback_comes_with_the_same_event(practice: Practice):
    """S4-003, S4-110, S4-111, S4-113"""
    practice.program("ruff")
    practice.file("pyproject.toml", "[tool.ruff]\n")
    source = practice.file("a.py", '"""Adds."""\n\nprint(undefined)\n')
    said = output(practice.tool(source, event="PostToolUse"))
    assert said["decision"] == "block"
    assert said["reason"].startswith(f"Lint errors (ruff) in {source}:")
    assert "F821" in said["reason"]
    for _ in range(2):
        assert output(practice.tool(source, event="PostToolUse"))["decision"] == "block"
    open_now = output(practice.tool(source, event="PostToolUse"))
    assert "decision" not in open_now
    assert "OPEN" in open_now["hookSpecificOutput"]["additionalContext"]
    assert (practice.claude / ".lint-breaker").read_text().startswith("open|3|")
    assert (practice.claude / ".lint-cache").read_text() == "python|ruff\n"


def test_lint_mends_what_it_can(practice: Practice):
    """S4-111"""
    practice.program("ruff")
    practice.file("pyproject.toml", "[tool.ruff]\n")
    source = practice.file("a.py", '"""Adds."""\n\nimport os\n')
    assert output(practice.tool(source, event="PostToolUse")) == {}
    assert "import os" not in source.read_text()


def test_a_rehearsal_runs_no_linter(practice: Practice):
    practice.program("ruff")
    practice.file("pyproject.toml", "[tool.ruff]\n")
    source = practice.file("a.py", '"""Adds."""\n\nimport os\n')
    fields = {"tool_name": "Write", "tool_input": {"file_path": str(source), "content": ""}}
    walked = practice.rehearse(practice.request("PostToolUse", **fields))
    assert "not run in a rehearsal" in walked.decision.warnings[0]
    assert "import os" in source.read_text()


async def _collected(practice: Practice) -> int:
    engine = open_engine(practice.home)
    try:
        return await engine.collect()
    finally:
        await engine.close()


def test_a_test_run_in_the_background_reaches_the_model_later(practice: Practice):
    """S4-125 to S4-128, S4-180, S4-D03"""
    practice.program("pytest")
    practice.file("pyproject.toml", "[tool.pytest.ini_options]\n")
    source = practice.file("a.py", HEADER)
    practice.file("tests/test_a.py", "def test_a():\n    assert 1 == 2\n")
    practice.tool(source, event="PostToolUse")
    assert practice.wait_for((practice.claude / ".test-status").exists)
    assert (
        subprocess.run(
            ["cut", "-d|", "-f1", str(practice.claude / ".test-status")], capture_output=True, text=True
        ).stdout
        == "fail\n"
    )
    assert practice.wait_for(lambda: asyncio.run(_collected(practice)) == 1)
    told = specific(practice.event("UserPromptSubmit", prompt="go on"))["additionalContext"]
    assert "Tests FAILED (pytest, exit 1): 1 failure(s)." in told
    assert "Tests FAILED" not in str(output(practice.event("UserPromptSubmit", prompt="go on")))
    (practice.claude / ".test-status").unlink()
    practice.tool(source)
    assert specific(practice.tool(source))["permissionDecision"] == "deny"


@pytest.mark.parametrize("name", ["src/a.test.ts", "src/__tests__/a.tsx", "a.spec.mjs"])
def test_a_javascript_test_is_the_way_out_of_the_gate(practice: Practice, name: str):
    """S4-080, S4-125: tests fail, source is denied, the test is mended, and its own write runs the tests again."""
    practice.file("package.json", '{"scripts": {"test": "vitest run"}}')
    npm = practice.file("node_modules/.bin/npm", f"#!/bin/sh\ngrep -q good {name} && exit 0; echo '1 failed'; exit 1\n")
    npm.chmod(0o755)
    source, test = practice.file("src/a.ts", "// Adds.\n"), practice.file(name, "bad\n")
    status = practice.claude / ".test-status"
    practice.tool(source, event="PostToolUse")
    assert practice.wait_for(lambda: status.exists() and status.read_text().startswith("fail|1|"), 60)
    practice.tool(source, "// Adds.\n")
    denied = specific(practice.tool(source, "// Adds.\n"))
    assert "the tests run again after each write of one" in denied["permissionDecisionReason"]
    assert "permissionDecision" not in specific(practice.tool(test, "good\n"))
    test.write_text("good\n")
    practice.tool(test, "good\n", event="PostToolUse")
    assert practice.wait_for(lambda: status.read_text().startswith("pass|0|"), 60)
    assert "permissionDecision" not in specific(practice.tool(source, "// Adds.\n"))


def test_a_session_is_tracked_summed_up_and_cleaned_up(practice: Practice):
    """S4-115, S4-160, S4-161, S4-167, S4-D02"""
    source = practice.file("src/a.py", "x = 1\n" * 60)
    practice.tool(source, event="PostToolUse")
    practice.tool(source, event="PostToolUse")
    other = practice.claude / ".session-changes-other"
    other.write_text("/x\n")
    tracked = practice.claude / ".session-changes-s1"
    assert tracked.read_text().splitlines() == [str(source)] * 2
    ended = output(practice.event("Stop", last_assistant_message="What next?"))
    assert "Decisions: without a decision: src/a.py (60 lines)" in ended["systemMessage"]
    assert "Session: 1 file(s) changed (1 source, 0 config/other)" in ended["systemMessage"]
    assert "|decision_gap|" in (practice.claude / ".audit-log").read_text()
    assert output(practice.event("Stop", last_assistant_message="What next?")) == {}
    practice.status(f"pass|0|{now()}")
    (practice.claude / ".audit-log").write_text("".join(f"{n}|a|b\n" for n in range(150)))
    practice.event("SessionEnd", reason="exit")
    assert not tracked.exists()
    assert other.exists()
    assert (practice.claude / ".test-status").exists()
    lines = (practice.claude / ".audit-log").read_text().splitlines()
    assert (len(lines), lines[0]) == (100, "50|a|b")


def test_findings_of_sub_agents_are_told_once(practice: Practice):
    """S4-005, S4-144, S4-D06"""
    practice.event("UserPromptSubmit", prompt="hello")
    said = output(practice.event("SubagentStop", subagent_type="planner", response="Do you approve?"))
    assert "MASTER_PLAN.md was not written" in said["systemMessage"]
    assert "it ended with a question" in said["systemMessage"]
    line = (practice.claude / ".agent-findings").read_text()
    assert line.startswith("planner|MASTER_PLAN.md was not written;it ended")
    assert (practice.claude / ".audit-log").read_text().count("|agent_planner|") == 2
    shown = specific(practice.event("SessionStart", source="resume"))["additionalContext"]
    assert "MASTER_PLAN.md was not written" in shown
    told = specific(practice.event("UserPromptSubmit", prompt="hello"))["additionalContext"]
    assert "planner|MASTER_PLAN.md was not written" in told
    assert not (practice.claude / ".agent-findings").exists()
    assert output(practice.event("UserPromptSubmit", prompt="hello")) == {}


def test_a_bare_done_is_sent_back_once(practice: Practice):
    """S4-162, S4-163, S4-D06"""
    assert output(practice.event("Stop", response="All done."))["decision"] == "block"
    assert output(practice.event("Stop", response="All done.", stop_hook_active=True)) == {}


def test_a_compaction_hands_over(practice: Practice):
    """S4-165"""
    told = practice.event("PreCompact", trigger="manual").stdout.decode()
    assert "Git: branch=feature" in told
    assert (practice.claude / ".preserved-context").exists()
    started = specific(practice.event("SessionStart", source="compact"))["additionalContext"]
    assert started.startswith("Preserved before the compaction:\nGit: branch=feature")
    assert not (practice.claude / ".preserved-context").exists()
    assert "Preserved" not in specific(practice.event("SessionStart", source="resume"))["additionalContext"]


def test_sub_agents_are_briefed(practice: Practice):
    """S4-005, S4-140"""
    told = specific(practice.event("SubagentStart", subagent_type="implementer"))["additionalContext"]
    assert "CRITICAL" in told


def test_the_samples_of_the_reference_answer_without_an_error(practice: Practice):
    """S4-004, S4-046"""
    for payload in (
        {"tool_name": "Write", "tool_input": {"file_path": "/test.ts"}},
        {"tool_name": "Bash", "tool_input": {"command": "git status"}},
        {"tool_name": "Write", "tool_input": {}},
    ):
        answer = practice.answer(practice.raw("PreToolUse", json.dumps(payload).encode()))
        assert answer.exit == 0
        assert not answer.stdout or json.loads(answer.stdout)


def test_no_repository_no_folder_and_no_project_break_nothing(practice: Practice, tmp_path: Path):
    """S4-002, S4-085"""
    shutil.rmtree(practice.project / ".git")
    shutil.rmtree(practice.claude)
    (practice.project / ".claude").write_text("a file in place of the folder")
    for event in ("SessionStart", "UserPromptSubmit", "Stop", "SubagentStop", "PreCompact", "SessionEnd"):
        practice.event(event, prompt="hello", agent_type="guardian")
        assert not [step.fault for step in practice.last().decision.trace if step.fault], event
    practice.tool(practice.project / "a.py", event="PostToolUse")
    assert not [step.fault for step in practice.last().decision.trace if step.fault]


def test_a_malformed_payload_is_logged(practice: Practice):
    """S4-D10"""
    answer = practice.answer(practice.raw("PreToolUse", b"{not json"))
    assert b"could not be read" in answer.stderr
    store = Store.open(practice.home)
    assert "could not be read" in journal.read_last_entries(store, 1)[0].decision.warnings[0]
    store.close()

"""A whole life of a session with every event registered: nothing breaks, and everything is in the journal."""

import json

import pytest

from tests.clients.claude import Session
from tests.clients.script import Rule, Text, Use, bash, conversation, write

pytestmark = pytest.mark.client

SUMMARY = Rule(((Text("<summary>all well</summary>"),),), last="(?i)summar")
TASK = {"description": "d", "prompt": "SUBTASK", "subagent_type": "general-purpose", "run_in_background": False}
EXPECTED = {
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "Stop",
    "SessionEnd",
}


def test_every_event_of_a_session_passes_and_is_written_down(armed: Session) -> None:
    (armed.project / "a.txt").write_text("alpha\n")
    edit = {"file_path": str(armed.project / "b.txt"), "old_string": "beta", "new_string": "gamma"}

    outcome = armed.run(
        Rule((bash("echo below"), (Text("sub done"),)), first="SUBTASK"),
        SUMMARY,
        conversation(
            (Text("writing"), *write(armed.project / "b.txt", "beta\n")),
            (Use("Read", {"file_path": str(armed.project / "b.txt")}),),
            (Use("Edit", edit),),
            bash("exit 3"),
            (Use("Agent", TASK),),
        ),
        prompts=("go", "/compact short"),
    )

    assert outcome.exit == 0
    assert (armed.project / "b.txt").read_text() == "gamma\n"
    assert "below" in outcome.heard
    assert [hook for hook in outcome.hooks() if hook["exit_code"] or hook["outcome"] != "success"] == []
    told = [entry.event for entry in armed.journal()]
    assert EXPECTED - set(told) == set()
    assert told[-1] == "SessionEnd"


def test_worktrees_are_still_created(armed: Session) -> None:
    outcome = armed.run(
        conversation(
            (Use("ToolSearch", {"query": "select:EnterWorktree"}),),
            (Use("EnterWorktree", {"name": "side"}),),
            bash("git rev-parse --show-toplevel"),
        )
    )

    assert [result.is_error for result in outcome.results] == [False, False, False]
    assert outcome.results[-1].text.endswith("side")


def test_a_stop_block_keeps_the_agent_working_once_more(armed: Session) -> None:
    block = json.dumps({"decision": "block", "reason": "STILL-OPEN"})
    body = f"grep -q '\"stop_hook_active\":true' || printf '%s' '{block}'"
    armed.skill("closer", body, event="Stop", matcher=".*", protocol="native")
    armed.trust()

    outcome = armed.run(conversation())

    assert "STILL-OPEN" in outcome.heard
    assert outcome.answer == "done"
    assert len(armed.journal("Stop")) == 2

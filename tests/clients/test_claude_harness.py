"""The harness itself, proved with a plain recorder: no engine of ours is involved."""

import json
from typing import Any

import pytest

from tests.clients.claude import ALLOWED, Session
from tests.clients.script import Rule, Text, Use, bash, conversation, write

pytestmark = pytest.mark.client


def entry(command: str) -> list[dict[str, Any]]:
    return [{"hooks": [{"type": "command", "command": command, "timeout": 20}]}]


def record(session: Session, *events: str) -> None:
    hooks = {event: entry(f"cat >> {session.folder}/seen.jsonl") for event in events}
    session.settings({**ALLOWED, "hooks": hooks})


def recorded(session: Session) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (session.folder / "seen.jsonl").read_text().splitlines()]


def test_a_recorder_sees_the_calls_that_the_script_makes(session: Session) -> None:
    record(session, "SessionStart", "PreToolUse", "PostToolUse", "Stop", "SessionEnd")

    outcome = session.run(conversation(bash("echo hello"), write(session.project / "a.txt", "alpha")))

    assert outcome.exit == 0
    assert outcome.answer == "done"
    assert outcome.results[0].text == "hello"
    assert (session.project / "a.txt").read_text() == "alpha"
    events = [seen["hook_event_name"] for seen in recorded(session)]
    assert events == ["SessionStart", *["PreToolUse", "PostToolUse"] * 2, "Stop", "SessionEnd"]


def test_a_sub_agent_follows_its_own_rule(session: Session) -> None:
    record(session, "SubagentStart", "SubagentStop")
    task = {"description": "d", "prompt": "SUBTASK", "subagent_type": "general-purpose", "run_in_background": False}

    outcome = session.run(
        Rule((bash("echo below"), (Text("sub done"),)), first="SUBTASK"), conversation((Use("Agent", task),))
    )

    assert "below" in [result.text for result in outcome.results]
    assert [seen["hook_event_name"] for seen in recorded(session)] == ["SubagentStart", "SubagentStop"]


def test_hook_answers_are_visible_in_the_outcome(session: Session) -> None:
    session.settings({**ALLOWED, "hooks": {"PreToolUse": entry("echo refused >&2; exit 2")}})

    outcome = session.run(conversation(bash("echo hello")))

    assert outcome.result.is_error
    assert "refused" in outcome.result.text
    assert [hook["exit_code"] for hook in outcome.hooks("PreToolUse")] == [2]

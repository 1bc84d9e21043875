"""Hooks that fail in front of the real client: work goes on, the rest still runs, and the journal names the culprit."""

import json

import pytest

from synaptic.model.decision import Kind
from tests.clients.claude import Session
from tests.clients.script import bash, conversation, write

pytestmark = pytest.mark.client

BLOCK = json.dumps({"action": "block", "reason": "not this file"})
FAILURES = {
    "crash": "echo broken >&2; exit 3",
    "timeout": "sleep 30",
    "bad output": "echo hello",
}


def fault(session: Session, skill: str) -> str:
    """How the journal says that a skill's hook failed on the one tool call."""
    (entry,) = session.journal("PreToolUse")
    return next(step.fault for step in entry.decision.trace if skill in step.hook)


@pytest.mark.parametrize("expected", FAILURES)
def test_a_failing_hook_does_not_stop_work_and_is_named(armed: Session, expected: str) -> None:
    """S0-038, S0-047, S0-048, S0-049"""
    armed.skill("culprit", FAILURES[expected], priority=10, timeout=1)
    armed.skill("witness", f"touch {armed.folder}/witness", priority=20)
    armed.trust()

    outcome = armed.run(conversation(bash("echo hello")))

    assert outcome.result.text == "hello"
    assert (armed.folder / "witness").exists()
    assert fault(armed, "culprit") == expected


def test_a_script_that_was_never_there_is_skipped_and_named(armed: Session) -> None:
    """S0-043"""
    armed.register("culprit", script=str(armed.project / "nowhere.sh"), priority=10)
    armed.skill("witness", f"touch {armed.folder}/witness", priority=20)
    armed.trust()

    outcome = armed.run(conversation(bash("echo hello")))

    assert outcome.result.text == "hello"
    assert (armed.folder / "witness").exists()
    assert fault(armed, "culprit") == "missing"


def test_a_script_that_has_vanished_is_skipped_and_named(armed: Session) -> None:
    """S0-043"""
    gone = armed.skill("culprit", "exit 0", priority=10)
    armed.skill("witness", f"touch {armed.folder}/witness", priority=20)
    armed.trust()
    gone.unlink()

    outcome = armed.run(conversation(bash("echo hello")))

    assert outcome.result.text == "hello"
    assert (armed.folder / "witness").exists()
    (entry,) = armed.journal("PreToolUse")
    (step,) = (step for step in entry.decision.trace if "culprit" in step.hook)
    assert step.fault or step.phase == "skipped"


def test_a_crash_does_not_undo_a_later_block(armed: Session) -> None:
    """S0-049"""
    armed.skill("culprit", "exit 3", priority=10)
    armed.skill("guard", f"echo '{BLOCK}'", priority=20)
    armed.trust()

    outcome = armed.run(conversation(bash(f"touch {armed.folder}/sentinel")))

    assert "not this file" in outcome.result.text
    assert not (armed.folder / "sentinel").exists()


def test_a_large_write_is_still_guarded(armed: Session) -> None:
    """S0-032"""
    armed.skill("guard", f"grep -q forbidden.txt && echo '{BLOCK}'; exit 0", matcher="Write")
    armed.trust()
    content = "0123456789abcde\n" * 65536

    outcome = armed.run(
        conversation(write(armed.project / "forbidden.txt", content), write(armed.project / "fine.txt", content))
    )

    refused, written = outcome.results
    assert refused.is_error
    assert "not this file" in refused.text
    assert not (armed.project / "forbidden.txt").exists()
    assert not written.is_error
    assert (armed.project / "fine.txt").read_text() == content


@pytest.mark.parametrize("keys", [{"timeout": 0.001}, {"timeout": 0.001, "async": True}])
def test_a_repository_that_repeats_our_command_does_not_disarm_it(armed: Session, keys: dict[str, object]) -> None:
    armed.skill("guard", f"sleep 0.1; echo '{BLOCK}'")
    armed.trust()
    dispatch = str(armed.synaptic_home.dispatch)
    copies = [
        {"type": "command", "command": dispatch, "args": ["PreToolUse"], **keys},
        {"type": "command", "command": f"{dispatch} PreToolUse", **keys},
    ]
    armed.project_settings({"hooks": {"PreToolUse": [{"matcher": ".*", "hooks": copies}]}})

    outcome = armed.run(conversation(bash(f"touch {armed.folder}/sentinel")))

    assert outcome.result.is_error
    assert not (armed.folder / "sentinel").exists()
    assert any(entry.decision.kind is Kind.DENY for entry in armed.journal("PreToolUse"))

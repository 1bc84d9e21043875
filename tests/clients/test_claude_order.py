"""Several skills on one event of the real client: order, block, rewrite, advice."""

import json

import pytest

from tests.clients.claude import Session
from tests.clients.script import bash, conversation

pytestmark = pytest.mark.client

BLOCK = json.dumps({"action": "block", "reason": "Banned command pattern detected."})


def note(session: Session, word: str) -> str:
    return f"echo {word} >> {session.folder}/order"


def order(session: Session) -> list[str]:
    path = session.folder / "order"
    return path.read_text().split() if path.exists() else []


def modify(old: str, new: str) -> str:
    """A script that changes one word of the input it is given."""
    wrap = r's/^/{"action":"modify","input":/; s/$/}/'
    return f"printf '%s\\n' \"$HOOK_INPUT\" | sed 's/{old}/{new}/; {wrap}'"


def advise(event: str, text: str) -> str:
    said = json.dumps({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}})
    return f"printf '%s' '{said}'"


def test_three_skills_run_in_priority_order(armed: Session) -> None:
    """S0-026, S0-033, S0-036"""
    for name, priority in (("second", 20), ("first", 10), ("third", 50)):
        armed.skill(name, note(armed, name), priority=priority)
    armed.trust()

    outcome = armed.run(conversation(bash("echo hello")))

    assert order(armed) == ["first", "second", "third"]
    assert outcome.result.text == "hello"


def test_a_block_stops_the_tool_and_later_scripts_do_not_run(armed: Session) -> None:
    """S0-034, S0-050"""
    armed.skill("early", note(armed, "early"), priority=10)
    armed.skill("guard", f"echo '{BLOCK}'", priority=20)
    armed.skill("late", note(armed, "late"), priority=30)
    armed.trust()

    outcome = armed.run(conversation(bash(f"touch {armed.folder}/sentinel")))

    assert outcome.result.is_error
    assert "Banned command pattern detected." in outcome.result.text
    assert not (armed.folder / "sentinel").exists()
    assert order(armed) == ["early"]


def test_a_modify_changes_the_command_that_runs(armed: Session) -> None:
    """S0-033, S0-050"""
    armed.skill("editor", modify("original", "rewritten"), priority=10)
    armed.trust()

    assert armed.run(conversation(bash("echo original"))).result.text == "rewritten"


def test_two_modifies_compose(armed: Session) -> None:
    """S0-037"""
    armed.skill("one", modify("original", "original-one"), priority=10)
    armed.skill("two", modify("-one", "-one-two"), priority=20)
    armed.trust()

    assert armed.run(conversation(bash("echo original"))).result.text == "original-one-two"


def test_advice_reaches_the_model(armed: Session) -> None:
    for event in ("PreToolUse", "PostToolUse"):
        armed.skill(f"adviser-{event}", advise(event, f"ADVICE-{event}"), event=event)
    armed.trust()

    outcome = armed.run(conversation(bash("echo hello")))

    assert outcome.result.text == "hello"
    assert outcome.context.count("ADVICE-PreToolUse") == 1
    assert outcome.context.count("ADVICE-PostToolUse") == 1


def test_advice_of_a_hook_nobody_waits_for_arrives_on_a_later_event(armed: Session) -> None:
    """S0-040, S0-042"""
    armed.skill("slow", f"sleep 0.3; {advise('PreToolUse', 'LATE-ADVICE')}", blocking=False, matcher="Bash")
    armed.trust()

    outcome = armed.run(conversation(bash("echo one; sleep 1"), bash("echo two; sleep 1"), bash("echo three")))

    assert [result.text for result in outcome.results] == ["one", "two", "three"]
    assert "LATE-ADVICE" in outcome.context
    assert "LATE-ADVICE" not in json.dumps(outcome.requests[0])


def test_hooks_of_a_repository_run_only_after_trust(armed: Session) -> None:
    armed.skill("stranger", note(armed, "stranger"))

    outcome = armed.run(conversation(bash("echo hello")))

    assert outcome.result.text == "hello"
    assert order(armed) == []
    armed.trust()
    armed.run(conversation(bash("echo hello")))
    assert order(armed) == ["stranger"]

"""Tests that a daemon runs in the background: their end reaches the model with a later event, by itself."""

from pathlib import Path

import pytest

from synaptic.model.call import Answer
from tests.daemon.setting import specific
from tests.daemon.test_practice import Practice

NPM = "#!/bin/sh\ngrep -q good src/a.ts && exit 0\necho 'src/a.ts: 1 failed'\nexit 1\n"


@pytest.fixture
def practice(tmp_path: Path):
    made = Practice(tmp_path)
    made.file("package.json", '{"scripts": {"test": "vitest run"}}')
    made.file("node_modules/.bin/npm", NPM).chmod(0o755)
    made.install()
    made.start()
    yield made
    made.close()


def write(practice: Practice, text: str) -> Answer:
    source = practice.file("src/a.ts", text)
    fields = {"tool_name": "Write", "tool_input": {"file_path": str(source), "content": text}, "tool_response": {}}
    return practice.daemon(practice.request("PostToolUse", **fields))


def hear(practice: Practice, event: str, words: str) -> bool:
    """Whether the model hears it with one of the next events, and not a second time."""

    def is_told() -> bool:
        answer = practice.daemon(practice.request(event, prompt="go on", tool_response={}))
        return words in str(specific(answer).get("additionalContext", ""))

    return practice.wait_for(is_told, 60) and not is_told()


@pytest.mark.parametrize("event", ["UserPromptSubmit", "PostToolUse"])
def test_a_failing_run_is_told_with_a_later_event_and_is_on_disk(practice: Practice, event: str):
    """S4-035, S4-080, S4-125, S4-128, S4-180: nobody waits for it, and nobody has to ask for it."""
    assert b"FAILED" not in write(practice, "// bad\n").stdout
    assert hear(practice, event, "Tests FAILED (npm test, exit 1): 1 failure(s).")
    result, failures, at = (practice.claude / ".test-status").read_text().strip().split("|")
    assert (result, failures, at.isdigit()) == ("fail", "1", True)
    when, kind, detail = (practice.claude / ".audit-log").read_text().splitlines()[-1].split("|", 2)
    assert (len(when), kind, detail) == (len("2025-01-15T10:23:45"), "test_fail", "npm test: 1 failure(s)")
    write(practice, "// good\n")
    status = practice.claude / ".test-status"
    assert practice.wait_for(lambda: status.read_text().startswith("pass|0|"), 60)

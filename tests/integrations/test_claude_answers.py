"""Answers as a callback returns them."""

import json
import subprocess
import sys
from pathlib import Path

from tests.integrations.frameworks import ROOT, require_framework

ANSWERS = Path(__file__).with_name("answers_program.py")


def to_outputs(*cases: tuple[str, object, str, int]) -> list[dict]:
    texts = [(event, out if isinstance(out, str) else json.dumps(out), err, code) for event, out, err, code in cases]
    env = {"PYTHONPATH": f"{require_framework('claude-agent-sdk')}:{ROOT}"}
    done = subprocess.run(
        [sys.executable, str(ANSWERS)], input=json.dumps(texts), env=env, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_only_keys_that_the_sdk_knows_are_returned_under_its_names():
    specific = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "no"}
    deny, stop, silent, advice = to_outputs(
        ("PreToolUse", {"hookSpecificOutput": {**specific, "classifierContext": "x"}}, "", 0),
        ("Stop", {"continue": False, "stopReason": "enough", "terminalSequence": "\a"}, "", 0),
        ("PostToolUse", "", "", 0),
        ("UserPromptSubmit", {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "newer": 1}}, "", 0),
    )
    assert deny == {"hookSpecificOutput": specific}
    assert stop == {"continue_": False, "stopReason": "enough"}
    assert silent == advice == {}


def test_a_refusal_by_exit_code_and_text_that_is_no_json_are_put_into_words():
    tool, prompt, after, summary = to_outputs(
        ("PreToolUse", "", "blocked: no\n", 2),
        ("UserPromptSubmit", "", "blocked: no\n", 2),
        ("PostToolUse", "", "too late\n", 2),
        ("PreCompact", "Keep the plan.", "", 0),
    )
    assert tool["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert tool["hookSpecificOutput"]["permissionDecisionReason"] == "blocked: no"
    assert prompt == {"decision": "block", "reason": "blocked: no"}
    assert after == {}
    assert summary == {"systemMessage": "Keep the plan."}

"""The daemon is killed between a call and its result: nobody is accused for that, and nobody gets away by it."""

import json
import os
import signal

import pytest

from synaptic.daemon import lifecycle
from tests.daemon.setting import Setting


def send(setting: Setting, event: str, command: str, number: str) -> dict:
    call = {"tool_input": {"command": command}, "tool_use_id": number}
    result = {"tool_response": {"stdout": ""}} if event == "PostToolUse" else {}
    done = setting.dispatch(event, setting.payload(event, **call, **result))
    return json.loads(done.stdout) if done.stdout else {}


@pytest.mark.parametrize(("command", "is_told"), [("ls -la", False), ("git reset --hard", True)])
def test_what_was_decided_before_counts_after_it(running: Setting, command: str, is_told: bool) -> None:
    """What was let through may be lost and proves nothing then; what was refused is written with its event."""
    running.config('presets = ["essentials"]\n')
    (running.project / ".git").mkdir()
    refused = send(running, "PreToolUse", command, "t1").get("hookSpecificOutput", {}).get("permissionDecision")
    assert (refused == "deny") is is_told
    os.kill(lifecycle.read_status(running.home).pid, signal.SIGKILL)
    told = send(running, "PostToolUse", command, "t1").get("systemMessage", "")
    assert ("has run it all the same" in told) is is_told

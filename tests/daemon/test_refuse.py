"""The fail policy says what happened, and blocks only where a block cannot loop."""

from pathlib import Path

import pytest

from synaptic.daemon.refuse import refuse_unchecked
from synaptic.model.home import Home


@pytest.mark.parametrize(
    ("fail", "event", "code"),
    [
        ("open", "PreToolUse", 0),
        ("closed", "PreToolUse", 2),
        ("closed", "", 2),
        ("closed", "Stop", 0),
        ("closed", "SubagentStop", 0),
        ("closed", "TeammateIdle", 0),
        ("closed", "AfterAgent", 0),
        ("garbage", "PreToolUse", 2),
    ],
)
def test_exit_code_follows_policy_and_event(tmp_path: Path, fail: str, event: str, code: int) -> None:
    home = Home(tmp_path)
    home.engine.write_text(f"fail={fail}\n")
    answer = refuse_unchecked(home, event, "two\nlines \ud800")
    assert (answer.exit, answer.stdout) == (code, b"")
    assert answer.stderr.count(b"\n") == 1
    assert answer.stderr.endswith(b"; type: synaptic doctor\n")
    assert (b"blocked" in answer.stderr) == (code == 2)

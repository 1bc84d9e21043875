"""The policies of the guide pass their cases, and the tests of the guide pass with the shipped fixtures."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from synaptic.runners.policy_wire import CaseResult
from tests.docs.test_guide import DOCS, blocks

PAGE = DOCS / "guide" / "policies-of-your-own.md"
FRIDAY, PUSHES, FREEZE, TESTS = blocks(PAGE, "python")
FRIDAY_CASES, PUSHES_CASES, _ = blocks(PAGE, "toml")
PUSH = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "git push"}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The files of the guide, as somebody has written them."""
    made = tmp_path / "mine"
    (made / "payloads").mkdir(parents=True)
    texts = {"acme_friday.py": FRIDAY, "acme_pushes.py": PUSHES, "_freeze.py": FREEZE, "test_mine.py": TESTS}
    for name, text in texts.items():
        (made / name).write_text(text)
    (made / "payloads" / "push.json").write_text(json.dumps(PUSH))
    return made


@pytest.mark.parametrize(("name", "cases", "count"), [("friday", FRIDAY_CASES, 2), ("pushes", PUSHES_CASES, 4)])
def test_the_policies_pass_their_cases(folder: Path, name: str, cases: str, count: int) -> None:
    import msgspec

    request = {"number": 1, "kind": "cases", "text": cases}
    command = [sys.executable, "-I", "-m", "synaptic.sdk.worker", str(folder / f"acme_{name}.py")]
    done = subprocess.run(
        command, input=b"{}\n" + msgspec.json.encode(request) + b"\n", capture_output=True, timeout=60
    )
    reply = json.loads(done.stdout)
    assert reply["error"] == ""
    (result,) = msgspec.convert(reply["answer"], tuple[CaseResult, ...])
    assert (result.passed, result.failed) == (count, ())


def test_the_tests_pass(folder: Path, tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path / "home"), "PATH": os.environ["PATH"]}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder)]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 passed" in done.stdout

"""The practice with the real client: gates, tests in the background, a linter."""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.clients.claude import Session
from tests.clients.script import Do, bash, conversation, write

pytestmark = pytest.mark.client

SOURCE = '"""Adds."""\n\n\ndef add(a, b):\n    return a + b\n'
QUICK = '\n[policies."practice.test-runner"]\ndebounce = 0.05\ncooldown = 0.0\n'


@pytest.fixture
def practising(armed: Session) -> Session:
    """A user with the practice on."""
    armed.synaptic("policy", "enable", "@practice")
    config = armed.synaptic_home.config
    config.write_text(config.read_text() + QUICK)
    return armed


def git(session: Session, *words: str) -> None:
    subprocess.run(["git", *words], cwd=session.project, check=True, capture_output=True)


def installed(session: Session, *names: str) -> None:
    folder = session.project / ".venv" / "bin"
    folder.mkdir(parents=True)
    for name in names:
        (folder / name).symlink_to(Path(sys.executable).with_name(name))


def until(condition: Callable[[], bool]) -> Do:
    def wait() -> None:
        end = time.monotonic() + 20
        while not condition() and time.monotonic() < end:
            time.sleep(0.05)

    return Do(wait)


def test_a_write_on_main_is_denied_and_in_a_worktree_allowed(practising: Session) -> None:
    """S4-006, S4-090"""
    side = practising.project / ".worktrees" / "side"
    git(practising, "worktree", "add", "-q", str(side), "-b", "side")

    outcome = practising.run(
        conversation(write(practising.project / "a.py", SOURCE), write(side / "a.py", SOURCE)),
    )

    denied, allowed = outcome.results
    assert denied.is_error
    assert "main checked out" in denied.text
    assert not (practising.project / "a.py").exists()
    assert not allowed.is_error
    assert (side / "a.py").read_text() == SOURCE


def test_failing_tests_lead_from_advice_to_deny_to_release(practising: Session) -> None:
    """S4-080, S4-082, S4-125 to S4-128"""
    git(practising, "checkout", "-q", "-b", "feature")
    installed(practising, "pytest")
    status = practising.project / ".claude" / ".test-status"

    def says(word: str) -> Do:
        return until(lambda: status.exists() and status.read_text().startswith(word))

    test = practising.project / "tests" / "test_a.py"
    outcome = practising.run(
        conversation(
            write(test, '"""A test."""\n\n\ndef test_a():\n    assert 1 == 2\n'),
            (says("fail"), *bash("sleep 1")),
            write(practising.project / "one.py", SOURCE),
            write(practising.project / "two.py", SOURCE),
            write(test, '"""A test."""\n\n\ndef test_a():\n    assert 1 == 1\n'),
            (says("pass"), *bash("sleep 1")),
            write(practising.project / "three.py", SOURCE),
        ),
    )

    assert [result.is_error for result in outcome.results] == [False, False, False, True, False, False, False]
    assert "the next source write is denied" in outcome.heard
    assert "Tests are failing: 1 test(s) failed" in outcome.results[3].text
    assert not (practising.project / "two.py").exists()
    assert (practising.project / "three.py").exists()
    assert "Tests FAILED (pytest, exit 1): 1 failure(s)." in outcome.heard
    assert "Tests passed (pytest)." in outcome.heard
    assert status.read_text().startswith("pass|0|")


def test_lint_feedback_reaches_the_model(practising: Session) -> None:
    """S4-003, S4-110, S4-111"""
    git(practising, "checkout", "-q", "-b", "feature")
    installed(practising, "ruff")
    (practising.project / "pyproject.toml").write_text("[tool.ruff]\n")

    outcome = practising.run(conversation(write(practising.project / "a.py", f"{SOURCE}\n\nadd(one, 2)\n")))

    assert "Lint errors (ruff) in" in outcome.heard
    assert "F821" in outcome.heard


def test_a_bare_done_is_sent_back_once_and_the_session_is_summed_up(practising: Session) -> None:
    """S4-161, S4-162, S4-163, S4-168"""
    git(practising, "checkout", "-q", "-b", "feature")

    outcome = practising.run(conversation(write(practising.project / "a.py", SOURCE)))

    assert "Git: branch=feature" in outcome.heard
    assert "Do not end with a bare completion" in outcome.heard
    assert len(practising.journal("Stop")) == 2
    told = [entry.decision.messages for entry in practising.journal("Stop")]
    assert "Session: 1 file(s) changed (1 source, 0 config/other)" in told[0][0]
    assert not list((practising.project / ".claude").glob(".session-changes*"))

"""The guard in front of the real client, in repositories where nothing can be lost."""

import subprocess
from pathlib import Path

import pytest

from tests.clients.claude import Session
from tests.clients.script import bash, conversation
from tests.lib.shell import git

pytestmark = pytest.mark.client


def said(folder: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def remote(armed: Session) -> Path:
    """A bare repository that has the branch `feature`, which was amended here since."""
    bare = armed.folder / "remote.git"
    bare.mkdir()
    git(bare, "init", "-q", "--bare", "-b", "main")
    git(armed.project, "remote", "add", "origin", str(bare))
    git(armed.project, "switch", "-q", "-c", "feature")
    git(armed.project, "push", "-q", "-u", "origin", "feature")
    git(armed.project, "commit", "-q", "--amend", "--allow-empty", "-m", "start again")
    return bare


def test_a_forced_push_runs_with_a_lease(armed: Session, remote: Path) -> None:
    """S4-007, S4-055"""
    outcome = armed.run(conversation(bash("git push --force origin feature")))

    assert not outcome.result.is_error
    assert "forced update" in outcome.result.text
    assert said(remote, "rev-parse", "feature") == said(armed.project, "rev-parse", "HEAD")
    (entry,) = armed.journal("PreToolUse")
    assert entry.decision.input is not None
    assert entry.decision.input["command"] == "git push --force-with-lease origin feature"


def test_the_lease_saves_what_somebody_else_has_pushed(armed: Session, remote: Path) -> None:
    """S4-055"""
    other = armed.folder / "other"
    git(armed.folder, "clone", "-q", "-b", "feature", str(remote), str(other))
    git(other, "commit", "-q", "--allow-empty", "-m", "theirs")
    git(other, "push", "-q")

    outcome = armed.run(conversation(bash("git push --force origin feature")))

    assert "stale info" in outcome.result.text
    assert said(remote, "log", "-1", "--format=%s", "feature") == "theirs"


def test_a_forced_push_to_main_is_denied(armed: Session, remote: Path) -> None:
    """S4-055, S4-056"""
    outcome = armed.run(conversation(bash("git push --force origin HEAD:main")))

    assert outcome.result.is_error
    assert "pull request" in outcome.result.text
    assert said(remote, "branch", "--list", "main") == ""


def test_a_write_to_tmp_does_not_hide_a_hard_reset(armed: Session) -> None:
    """S4-D01"""
    armed.synaptic("config", "set", "presets", '["essentials", "practice"]')
    work = armed.project / "work.txt"
    work.write_text("committed\n")
    git(armed.project, "add", "work.txt")
    git(armed.project, "commit", "-q", "-m", "work")
    work.write_text("not committed\n")
    scratch = Path("/tmp") / f"{armed.folder.name}-a"

    outcome = armed.run(conversation(bash(f"echo x > {scratch}; git reset --hard")))

    assert outcome.result.is_error
    assert "git stash" in outcome.result.text
    assert work.read_text() == "not committed\n"
    assert not scratch.exists()


def test_a_write_to_tmp_goes_to_the_project(armed: Session) -> None:
    """S4-050"""
    armed.synaptic("config", "set", "presets", '["essentials", "practice"]')
    scratch = Path("/tmp") / f"{armed.folder.name}-b"

    outcome = armed.run(conversation(bash(f"echo x > {scratch}; cat {scratch}")))

    assert outcome.result.text == "x"
    assert not scratch.exists()
    assert (armed.project / "tmp" / scratch.name).read_text() == "x\n"

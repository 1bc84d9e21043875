"""What people really lose, and what they do all day, in front of the real client, below a throw-away folder."""

import subprocess
from pathlib import Path

import pytest

from tests.clients.claude import Session
from tests.clients.script import bash, conversation
from tests.lib.shell import git

pytestmark = pytest.mark.client


def said(folder: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


def commit_file(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    git(folder, "add", name)
    git(folder, "commit", "-q", "-m", f"add {name}")
    return path


@pytest.fixture
def at_home(armed: Session) -> Session:
    """The client is started in the home folder, which is no project."""
    documents = armed.home / "Documents"
    documents.mkdir()
    (documents / "letter.txt").write_text("dear")
    armed.project = armed.home
    return armed


@pytest.mark.parametrize("command", ["rm -rf ~/Documents", "rm -rf Documents", "rm -f ~/Documents/*"])
def test_at_home_documents_are_kept(at_home: Session, command: str) -> None:
    """No project, no licence: what the session did not make is not its to delete."""
    outcome = at_home.run(conversation(bash(command)))

    assert outcome.result.is_error
    assert (at_home.home / "Documents" / "letter.txt").read_text() == "dear"


def test_at_home_what_the_session_made_may_go(at_home: Session) -> None:
    outcome = at_home.run(conversation(bash("mkdir ~/trial && touch ~/trial/a && rm -rf ~/trial")))

    assert not outcome.result.is_error
    assert not (at_home.home / "trial").exists()


def test_a_commit_behind_the_removal_of_a_worktree_lands_where_it_was_typed(armed: Session) -> None:
    """S4-058: a rewrite keeps the working directory of everything else in the line."""
    one, two = armed.folder / "one", armed.folder / "two"
    commit_file(armed.project, "a.txt", "a\n")
    git(armed.project, "worktree", "add", "-q", "-b", "one", str(one))
    git(armed.project, "worktree", "add", "-q", "-b", "two", str(two))
    (one / "a.txt").write_text("changed in one\n")
    before = said(armed.project, "rev-parse", "main")
    git(armed.project, "config", "user.name", "Dev")
    git(armed.project, "config", "user.email", "dev@example.com")
    armed.project = one

    outcome = armed.run(conversation(bash("git worktree remove ../two && git commit -qam 'work in one'")))

    assert not outcome.result.is_error, outcome.result.text
    assert not two.exists()
    assert said(one, "log", "-1", "--format=%s", "one") == "work in one"
    assert said(one, "rev-parse", "main") == before


def test_a_clean_file_may_be_checked_out_again(armed: Session) -> None:
    commit_file(armed.project, "clean.txt", "clean\n")

    outcome = armed.run(conversation(bash("git checkout -- clean.txt && echo went on")))

    assert not outcome.result.is_error, outcome.result.text
    assert "went on" in outcome.result.text


def test_a_changed_file_is_kept_and_named(armed: Session) -> None:
    path = commit_file(armed.project, "work.txt", "one\n")
    path.write_text("one\ntwo\nthree\n")

    outcome = armed.run(conversation(bash("git checkout -- work.txt")))

    assert outcome.result.is_error
    assert "work.txt" in outcome.result.text
    assert "+2" in outcome.result.text
    assert path.read_text() == "one\ntwo\nthree\n"

"""Rules of a repository in front of real clients: whoever clones it is guarded, and asked nothing."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clients.claude import Session
from tests.clients.client import NoClient
from tests.clients.kit.agents import driver
from tests.clients.kit.driver import User
from tests.clients.script import bash, conversation, write
from tests.lib.shell import git

pytestmark = pytest.mark.client
RULES = Path(__file__).parents[1] / "cli" / "everyday" / "rules.toml"
BY_HAND = "Releases go through CI"
REMINDER = "does CHANGELOG.md need a line?"


def publish_project(folder: Path) -> Path:
    """A repository with rules, as somebody else has pushed it."""
    origin = folder / "origin"
    (origin / ".synaptic").mkdir(parents=True)
    (origin / "src").mkdir()
    (origin / ".synaptic" / "rules.toml").write_text(RULES.read_text())
    (origin / "package-lock.json").write_text("{}\n")
    (origin / "CHANGELOG.md").write_text("# Changes\n")
    (origin / "src" / "api.js").write_text("one\n")
    git(origin, "init", "-q", "-b", "main")
    git(origin, "add", "-A")
    git(origin, "commit", "-q", "-m", "Rules for everybody")
    return origin


def clone_project(session: Session) -> None:
    """The second user's clone; nothing is typed in it but git's own words."""
    clone = session.folder / "clone"
    subprocess.run(["git", "clone", "-q", str(publish_project(session.folder)), str(clone)], check=True)
    session.project = clone


@pytest.fixture
def cloned(armed: Session) -> Session:
    clone_project(armed)
    return armed


def test_a_clone_by_a_second_user_is_guarded_without_a_question(cloned: Session) -> None:
    outcome = cloned.run(conversation(bash("npm test; cd src && npm publish")))

    assert outcome.result.is_error
    assert BY_HAND in outcome.result.text
    assert cloned.synaptic("trust", "--list").count(str(cloned.project)) == 0
    (entry,) = cloned.journal("PreToolUse")
    assert entry.decision.kind == "deny"


def test_text_about_it_goes_through(cloned: Session) -> None:
    git(cloned.project, "config", "user.name", "Dev")
    git(cloned.project, "config", "user.email", "dev@example.com")
    commit = bash(
        "echo 'npm publish' > NOTES.md && git add NOTES.md && git commit -qm 'docs: npm publish' && echo kept"
    )

    outcome = cloned.run(conversation(commit))

    assert not outcome.result.is_error, outcome.result.text
    assert "kept" in outcome.result.text


def test_a_lockfile_is_not_written_by_hand(cloned: Session) -> None:
    lockfile = cloned.project / "package-lock.json"

    outcome = cloned.run(conversation(bash("sed -i 's/{/[/' package-lock.json"), write(lockfile, "mine")))

    assert all("by its package manager" in result.text for result in outcome.results)
    assert lockfile.read_text() == "{}\n"


def test_a_migration_of_production_is_refused(cloned: Session) -> None:
    outcome = cloned.run(conversation(bash("npx knex migrate:latest --env production")))

    assert "run by the deployment" in outcome.result.text


def test_an_agent_that_stops_without_a_changelog_is_reminded_once(cloned: Session) -> None:
    outcome = cloned.run(conversation(write(cloned.project / "src" / "new.js", "two\n")))

    assert (cloned.project / "src" / "new.js").read_text() == "two\n"
    assert outcome.heard.count(REMINDER) >= 1
    kinds = [entry.decision.kind for entry in cloned.journal("Stop")]
    assert kinds == ["advise", "none"]


def test_an_agent_that_has_written_it_may_stop(cloned: Session) -> None:
    turns = (write(cloned.project / "src" / "new.js", "two\n"), bash("echo '- new' >> CHANGELOG.md"))

    outcome = cloned.run(conversation(*turns))

    assert REMINDER not in outcome.heard
    assert [entry.decision.kind for entry in cloned.journal("Stop")] == ["none"]


@pytest.fixture
def codex() -> Iterator[User]:
    try:
        user = User(driver("codex"))
    except NoClient as error:
        if os.environ.get("SYNAPTIC_TEST_ALL") == "1":
            pytest.fail(f"no Codex: {error}")
        pytest.skip(f"no Codex: {error}")
    yield user
    user.close()


def test_the_same_rules_hold_in_codex(codex: User) -> None:
    (codex.project / ".synaptic").mkdir()
    (codex.project / ".synaptic" / "rules.toml").write_text(RULES.read_text())
    codex.session.synaptic("bootstrap", *codex.driver.bootstrap)
    shell = codex.driver.shell

    run = codex.run(
        (shell("cd . && npm publish"),), (shell("echo 'npm publish'"),), (shell("echo x > package-lock.json"),)
    )

    refused, printed, lockfile = run.results
    assert BY_HAND in refused
    assert "npm publish" in printed
    assert BY_HAND not in printed
    assert "by its package manager" in lockfile
    assert not (codex.project / "package-lock.json").exists()

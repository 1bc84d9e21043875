"""The home folder, folders that are no project, and what a session has made itself: through the whole engine."""

from pathlib import Path

import pytest

from synaptic.model.decision import Kind
from synaptic.testing import EngineSession


@pytest.fixture
def synaptic_policies() -> tuple[Path, ...]:
    """None but the built-in ones."""
    return ()


@pytest.fixture
def user(synaptic_session: EngineSession) -> Path:
    """The home of somebody who lives in it."""
    (synaptic_session.user / ".bashrc").write_text("export A=1\n")
    (synaptic_session.user / "Documents").mkdir()
    (synaptic_session.user / "notes.md").write_text("x\n")
    (synaptic_session.user / "papers").mkdir()
    (synaptic_session.user / "papers" / "thesis.tex").write_text("x\n")
    return synaptic_session.user


def say(session: EngineSession, command: str, folder: Path | None = None, name: str = "s1") -> str:
    """What is decided about a command; nothing runs."""
    outcome = session.check(command, cwd=str(folder or session.project), session_id=name)
    return str(outcome.decision.kind) if outcome.decision.kind is not Kind.NONE else "pass"


def test_started_in_the_home_folder_nothing_of_it_may_be_deleted(synaptic_session: EngineSession, user: Path) -> None:
    assert say(synaptic_session, "rm -rf ~/Documents", user) == "deny"
    assert say(synaptic_session, "rm -rf Documents", user) == "deny"
    assert say(synaptic_session, "rm notes.md", user) == "ask"
    assert say(synaptic_session, "ls > notes.md", user) == "ask"
    assert say(synaptic_session, "rm gone.md; ls > new.md; rm -rf /tmp/some-scratch", user) == "pass"


def test_what_the_session_made_outside_the_project_it_may_delete_and_another_may_not(
    synaptic_session: EngineSession, user: Path
) -> None:
    assert say(synaptic_session, "rm -rf ~/probe") == "deny"
    assert say(synaptic_session, "mkdir -p ~/probe/deep && echo x > ~/probe/a") == "pass"
    (user / "probe" / "deep").mkdir(parents=True)
    (user / "probe" / "a").write_text("x\n")
    assert say(synaptic_session, "rm ~/probe/a && rm -rf ~/probe") == "pass"
    assert say(synaptic_session, "rm ~/probe/a", name="s2") == "ask"
    assert say(synaptic_session, "rm -rf ~/probe", name="s2") == "deny"


def test_making_what_is_there_already_is_no_licence(synaptic_session: EngineSession, user: Path) -> None:
    assert say(synaptic_session, "mkdir -p ~/Documents; touch ~/notes.md") == "pass"
    assert say(synaptic_session, "rm -rf ~/Documents") == "deny"
    assert say(synaptic_session, "rm ~/notes.md") == "ask"


def test_in_a_folder_that_is_no_project_deleting_is_a_question(synaptic_session: EngineSession, user: Path) -> None:
    papers = user / "papers"
    assert say(synaptic_session, "rm thesis.tex", papers) == "ask"
    assert say(synaptic_session, "rm -rf build gone.tex; sed -i s/a/b/ thesis.tex", papers) == "pass"
    assert say(synaptic_session, "mkdir drafts", papers) == "pass"
    (papers / "drafts").mkdir()
    assert say(synaptic_session, "rm -rf drafts", papers) == "pass"
    assert say(synaptic_session, "rm -rf drafts", papers, name="s2") == "ask"
    (papers / "Makefile").write_text("all:\n")
    assert say(synaptic_session, "rm thesis.tex", papers) == "pass"


def test_a_file_that_a_tool_wrote_is_the_sessions_own(synaptic_session: EngineSession, user: Path) -> None:
    wanted = user / "plan.md"
    written = {"file_path": str(wanted), "content": "x"}
    synaptic_session.send("PreToolUse", tool_name="Write", tool_input=written, session_id="s1")
    wanted.write_text("x")
    assert say(synaptic_session, "rm ~/plan.md") == "pass"
    assert say(synaptic_session, "rm ~/plan.md", name="s2") == "ask"


def test_behind_a_link_nothing_is_the_sessions_own(synaptic_session: EngineSession, user: Path) -> None:
    assert say(synaptic_session, "mkdir ~/probe && ln -s ~/papers ~/probe/way && rm -rf ~/probe/way/*") == "deny"
    assert say(synaptic_session, "mkdir ~/probe") == "pass"
    (user / "probe").mkdir()
    assert say(synaptic_session, "rm -rf ~/probe/way/*") == "pass"
    (user / "probe" / "way").symlink_to(user / "papers")
    assert say(synaptic_session, "rm -rf ~/probe/way/*") == "deny"
    assert say(synaptic_session, "rm ~/probe/way/thesis.tex") == "ask"

"""The home folder, folders that are no project, and what a session has made itself: through the whole engine."""

from pathlib import Path

import pytest

from tests.daemon.setting import Setting, specific


@pytest.fixture
def user(setting: Setting) -> Path:
    """The home of somebody who lives in it."""
    (setting.user / ".bashrc").write_text("export A=1\n")
    (setting.user / "Documents").mkdir()
    (setting.user / "notes.md").write_text("x\n")
    (setting.user / "papers").mkdir()
    (setting.user / "papers" / "thesis.tex").write_text("x\n")
    return setting.user


def say(setting: Setting, command: str, folder: Path | None = None, session: str = "s1") -> str:
    """What is decided about a command; nothing runs."""
    fields = {"tool_input": {"command": command}, "session_id": session}
    answer = setting.answer(setting.request(cwd=str(folder or setting.project), **fields))
    return specific(answer).get("permissionDecision", "pass") if answer.stdout else "pass"


def test_started_in_the_home_folder_nothing_of_it_may_be_deleted(setting: Setting, user: Path) -> None:
    assert say(setting, "rm -rf ~/Documents", user) == "deny"
    assert say(setting, "rm -rf Documents", user) == "deny"
    assert say(setting, "rm notes.md", user) == "ask"
    assert say(setting, "ls > notes.md", user) == "ask"
    assert say(setting, "rm gone.md; ls > new.md; rm -rf /tmp/some-scratch", user) == "pass"


def test_what_the_session_made_outside_the_project_it_may_delete_and_another_may_not(
    setting: Setting, user: Path
) -> None:
    assert say(setting, "rm -rf ~/probe") == "deny"
    assert say(setting, "mkdir -p ~/probe/deep && echo x > ~/probe/a") == "pass"
    (user / "probe" / "deep").mkdir(parents=True)
    (user / "probe" / "a").write_text("x\n")
    assert say(setting, "rm ~/probe/a && rm -rf ~/probe") == "pass"
    assert say(setting, "rm ~/probe/a", session="s2") == "ask"
    assert say(setting, "rm -rf ~/probe", session="s2") == "deny"


def test_making_what_is_there_already_is_no_licence(setting: Setting, user: Path) -> None:
    assert say(setting, "mkdir -p ~/Documents; touch ~/notes.md") == "pass"
    assert say(setting, "rm -rf ~/Documents") == "deny"
    assert say(setting, "rm ~/notes.md") == "ask"


def test_in_a_folder_that_is_no_project_deleting_is_a_question(setting: Setting, user: Path) -> None:
    papers = user / "papers"
    assert say(setting, "rm thesis.tex", papers) == "ask"
    assert say(setting, "rm -rf build gone.tex; sed -i s/a/b/ thesis.tex", papers) == "pass"
    assert say(setting, "mkdir drafts", papers) == "pass"
    (papers / "drafts").mkdir()
    assert say(setting, "rm -rf drafts", papers) == "pass"
    assert say(setting, "rm -rf drafts", papers, session="s2") == "ask"
    (papers / "Makefile").write_text("all:\n")
    assert say(setting, "rm thesis.tex", papers) == "pass"


def test_a_file_that_a_tool_wrote_is_the_sessions_own(setting: Setting, user: Path) -> None:
    wanted = user / "plan.md"
    request = setting.request(tool_name="Write", tool_input={"file_path": str(wanted), "content": "x"})
    setting.answer(request)
    wanted.write_text("x")
    assert say(setting, "rm ~/plan.md") == "pass"
    assert say(setting, "rm ~/plan.md", session="s2") == "ask"


def test_behind_a_link_nothing_is_the_sessions_own(setting: Setting, user: Path) -> None:
    assert say(setting, "mkdir ~/probe && ln -s ~/papers ~/probe/way && rm -rf ~/probe/way/*") == "deny"
    assert say(setting, "mkdir ~/probe") == "pass"
    (user / "probe").mkdir()
    assert say(setting, "rm -rf ~/probe/way/*") == "pass"
    (user / "probe" / "way").symlink_to(user / "papers")
    assert say(setting, "rm -rf ~/probe/way/*") == "deny"
    assert say(setting, "rm ~/probe/way/thesis.tex") == "ask"

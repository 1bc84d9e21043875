"""`synaptic report`: what became of refusals and questions, for people, for scripts and for a job on GitHub."""

import asyncio
import json
import re
import subprocess
from pathlib import Path

import pytest

from synaptic.daemon.client import new_call_id
from synaptic.engine.walk import open_engine
from synaptic.model.call import Request
from tests.cli.conftest import User
from tests.lib.exceptions import make_exceptions

PUSH = "git push --force origin main"
OTHER_PUSH = "git push --force origin HEAD:main"
ASKED = "terraform destroy -auto-approve"


class Agent:
    """An agent that sends its events through the engine itself."""

    def __init__(self, user: User) -> None:
        self.user = user
        self.calls = 0

    def sends(self, event: str, command: str, number: str, **more: object) -> None:
        given = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": number}
        base = {"session_id": "s1", "cwd": str(self.user.project), "hook_event_name": event}
        stdin = json.dumps({**base, **given, **more}).encode()
        env = {"HOME": str(self.user.folder), "PATH": "/usr/bin:/bin"}
        request = Request(agent="claude", event=event, stdin=stdin, id=new_call_id(), env=env)

        async def work() -> None:
            engine = open_engine(self.user.home)
            await engine.answer(request)
            await engine.close()

        asyncio.run(work())

    def asks(self, command: str, *, runs: bool = False, **more: object) -> None:
        """A call before it runs; with `runs` also after it."""
        self.calls += 1
        for event in ("PreToolUse", "PostToolUse")[: 1 + runs]:
            self.sends(event, command, f"toolu_{self.calls}", **more)


@pytest.fixture
def agent(user: User) -> Agent:
    subprocess.run(["git", "init", "-q", str(user.project)], check=True)
    return Agent(user)


def outcomes(user: User) -> list[str]:
    return [call["outcome"] for call in user.types("report", "--json").json["calls"]]


def test_a_refusal_that_was_obeyed_is_told_and_fails_nothing(user: User, agent: Agent):
    agent.asks("ls", runs=True)
    agent.asks(PUSH)
    assert outcomes(user) == ["obeyed"]
    shown = user.types("report", "--check")
    assert shown.code == 0
    assert "git.force-push, obeyed: Bash git push --force origin main" in shown.out
    assert "1 refused, 0 not obeyed, 0 questions not answered." in shown.out


def test_a_refused_call_that_ran_all_the_same_fails(user: User, agent: Agent):
    agent.asks(PUSH, runs=True)
    assert outcomes(user) == ["ran all the same"]
    assert user.types("report", "--check").code == 2
    assert user.types("report").code == 0


def test_what_was_tried_another_way_fails_and_the_same_once_more_does_not(user: User, agent: Agent):
    agent.asks(PUSH)
    agent.asks(PUSH)
    assert outcomes(user) == ["obeyed", "obeyed"]
    agent.asks(OTHER_PUSH)
    assert outcomes(user) == ["tried another way", "tried another way", "obeyed"]
    assert user.types("report", "--check").code == 2


def test_another_session_is_another_agent(user: User, agent: Agent):
    agent.asks(PUSH)
    agent.asks(OTHER_PUSH, session_id="s2")
    assert outcomes(user) == ["obeyed", "obeyed"]


def test_a_question_that_nobody_answered_fails_and_one_that_ran_does_not(user: User, agent: Agent):
    agent.asks(ASKED, runs=True)
    assert outcomes(user) == ["answered"]
    agent.asks(ASKED)
    assert outcomes(user) == ["answered", "unanswered"]
    assert user.types("report", "--check").code == 4


def test_without_a_journal_nothing_was_guarded_and_that_is_no_success(user: User):
    shown = user.types("report", "--github")
    assert shown.code == 1
    assert "synaptic up" in shown.err


def test_old_events_are_nothing(user: User, agent: Agent):
    agent.asks(PUSH)
    assert user.types("report", "--hours", "0", "--check").out == "Nothing was refused or asked about.\n"


def test_github_gets_annotations_a_summary_and_an_exit_code(user: User, agent: Agent, tmp_path: Path, monkeypatch):
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    agent.asks(PUSH, runs=True)
    agent.asks(ASKED)
    shown = user.types("report", "--github")
    assert shown.code == 2
    first, second = shown.out.splitlines()
    assert first.startswith("::error title=Synaptic%3A git.force-push%2C ran all the same::Bash git push --force")
    assert second.startswith("::warning title=Synaptic%3A ")
    text = summary.read_text()
    assert text.startswith("before\n## Synaptic\n")
    assert "1 refused, 1 of them not obeyed; 1 asked about, 1 of them not answered." in text


HOSTILE = "rm -rf ~ # \n::stop-commands::x\r\n::add-mask::a%0Ab | <img src=x> `code` \x1b[31m ![a](http://b)"


def test_no_text_of_an_agent_becomes_a_command_or_markup(user: User, agent: Agent, tmp_path: Path, monkeypatch):
    summary = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    agent.asks(HOSTILE)
    shown = user.types("report", "--github")
    (line,) = re.split(r"[\r\n]+", shown.out.strip())
    assert line.startswith("::warning title=")
    assert "%0A::stop-commands::x%0D%0A" in line
    assert "a%250Ab" in line
    assert "\x1b" not in shown.out
    (row,) = [one for one in summary.read_text().splitlines() if "stop-commands" in one]
    assert row.count("|") == 6
    assert "<img" not in row
    assert "`" not in row


def test_without_a_summary_file_or_on_a_full_disk_the_exit_code_is_the_same(user: User, agent: Agent, monkeypatch):
    agent.asks(ASKED)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    shown = user.types("report", "--github")
    assert shown.code == 4
    assert "GITHUB_STEP_SUMMARY is not set" in shown.err
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "/dev/full")
    shown = user.types("report", "--github")
    assert shown.code == 4
    assert "the summary cannot be written" in shown.err


def test_a_journal_that_keeps_no_texts_still_says_who_decided(user: User, agent: Agent):
    user.configures('journal = "structure"\n')
    agent.asks(PUSH)
    (call,) = user.types("report", "--json").json["calls"]
    assert (call["by"], call["subject"], call["outcome"]) == ("git.force-push", "", "obeyed")


def test_two_formats_at_once_are_refused(user: User):
    assert user.types("report", "--github", "--json").code == 2


def test_what_a_person_has_allowed_is_neither_disobeyed_nor_unanswered(user: User, agent: Agent):
    for command in (PUSH, ASKED):
        agent.asks(command)
        code = user.types("explain", "--last", "--json").json["decision"]["code"]
        make_exceptions(user.home, code)
        agent.asks(command, runs=True)
    assert outcomes(user) == ["allowed later", "answered"]
    assert user.types("report", "--check").code == 0


def test_the_same_number_again_after_a_yes_did_not_run_all_the_same(user: User, agent: Agent):
    agent.sends("PreToolUse", PUSH, "toolu_1")
    make_exceptions(user.home, user.types("explain", "--last", "--json").json["decision"]["code"])
    agent.sends("PreToolUse", PUSH, "toolu_1")
    agent.sends("PostToolUse", PUSH, "toolu_1")
    assert outcomes(user) == ["allowed later"]


def test_a_way_around_before_the_yes_stays_one_and_a_refusal_after_it_is_none(user: User, agent: Agent):
    agent.asks(PUSH)
    code = user.types("explain", "--last", "--json").json["decision"]["code"]
    agent.asks(OTHER_PUSH)
    make_exceptions(user.home, code)
    agent.asks(PUSH, runs=True)
    assert outcomes(user) == ["tried another way", "obeyed"]
    agent.asks("git push -f origin main", session_id="s2")
    make_exceptions(user.home, user.types("explain", "--last", "--json").json["decision"]["code"])
    agent.asks("git push -f origin main", session_id="s2", runs=True)
    agent.asks(OTHER_PUSH, session_id="s2")
    assert outcomes(user)[2:] == ["allowed later", "obeyed"]


def test_an_exception_in_another_session_says_nothing_about_this_one(user: User, agent: Agent):
    agent.asks(PUSH, runs=True)
    make_exceptions(user.home, user.types("explain", "1", "--json").json["decision"]["code"])
    agent.asks(PUSH, session_id="s2", runs=True)
    assert outcomes(user) == ["ran all the same"]

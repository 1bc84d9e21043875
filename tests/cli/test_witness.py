"""`synaptic witness`: its denominator first, exit code 1 only for what was disobeyed or ran unasked."""

import json

import pytest

from tests.cli.conftest import Shown, User
from tests.cli.test_report import PUSH, Agent, agent  # noqa: F401


def types(user: User, *words: str, code: int = 0) -> Shown:
    told = user.types(*words)
    assert told.code == code, told
    return told


def test_without_a_journal_it_says_what_to_type(user: User):
    told = types(user, "witness", code=1)
    assert "synaptic up" in told.err


def test_calls_that_went_as_decided_are_counted_and_fail_nothing(user: User, agent: Agent):  # noqa: F811
    agent.asks("ls", runs=True)
    agent.asks(PUSH)
    told = user.types("witness", "--json").json
    assert (told["calls"], told["asked"], told["reported"]) == (2, 2, 1)
    assert told["standings"]["obeyed"] == 2
    assert told["told"] == []


def test_the_report_says_whose_calls_are_counted_once(user: User, agent: Agent):  # noqa: F811
    agent.asks("ls", runs=True)
    assert "counted once" not in types(user, "witness").out
    for _ in range(2):
        agent.sends("PreToolUse", "pwd", "")
    assert "1 of them of an agent that gives no numbers" in types(user, "witness").out
    told = types(user, "witness", "--json").json
    assert (told["calls"], told["unnumbered"], told["alarms"]) == (2, 1, 0)


def test_what_was_disobeyed_is_listed_with_its_events_and_fails(user: User, agent: Agent):  # noqa: F811
    agent.asks(PUSH, runs=True)
    told = types(user, "witness", code=1)
    first, *_ = told.out.splitlines()
    assert first.startswith("1 call: 1 asked about, 1 with a result")
    assert "disobeyed by git.force-push, Claude Code: Bash git push --force origin main" in " ".join(told.out.split())
    assert "synaptic explain 1" in told.out
    assert "synaptic explain 2" in told.out


def test_one_session_and_one_span(user: User, agent: Agent):  # noqa: F811
    agent.asks(PUSH, runs=True)
    agent.asks(PUSH, runs=True, session_id="another")
    assert types(user, "witness", "--session", "s1", "--json", code=1).json["calls"] == 1
    assert types(user, "witness", "--session", "ano", "--json", code=1).json["session"] == "another"
    assert types(user, "witness", "--since", "1m", "--json", code=1).json["standings"]["disobeyed"] == 2
    assert "begins so" in types(user, "witness", "--session", "nobody", code=1).err
    assert "begins so" in types(user, "witness", "--session", "%", code=1).err


@pytest.mark.parametrize("span", ["7", "d", "-1d", "99999999d", "1y"])
def test_a_span_that_is_none_is_an_error(user: User, agent: Agent, span: str):  # noqa: F811
    agent.asks("ls")
    assert "no moment" in " ".join(types(user, "witness", "--since", span, code=2).err.split())


def test_doctor_fails_and_the_fleet_says_it(user: User, agent: Agent):  # noqa: F811
    agent.asks(PUSH, runs=True)
    found = types(user, "doctor", "--json", code=1).json["findings"]
    told = [one for one in found if one["check"] == "witness"]
    assert [(one["state"], one["seen"]) for one in told] == [("fail", "1 call in 7 days: disobeyed")]
    assert user.types("fleet", "--json").json["witness"] == {"disobeyed": 1}
    assert "1 disobeyed (synaptic witness)" in user.types("fleet").err


def test_control_characters_of_a_call_drive_no_terminal(user: User, agent: Agent):  # noqa: F811
    agent.asks(f"{PUSH} \x1b[31m", runs=True)
    assert "\x1b" not in types(user, "witness", code=1).out


def test_entries_that_somebody_took_out_leave_unasked_calls(user: User, agent: Agent):  # noqa: F811
    user.types("bootstrap", "--agent", "claude")
    agent.asks("ls", runs=True)
    agent.sends("PostToolUse", "pwd", "toolu_lost")
    assert types(user, "witness", "--json").json["standings"]["not observable"] == 1, "the entry is there"
    settings = json.loads(user.settings.read_text())
    del settings["hooks"]["PreToolUse"]
    user.settings.write_text(json.dumps(settings))
    for number in range(3):
        agent.sends("PostToolUse", "pwd", f"toolu_after_{number}")
    assert types(user, "witness", "--json", code=1).json["standings"]["unasked"] == 3


@pytest.mark.parametrize("text", ["", "{", "[]", "null"])
def test_settings_that_cannot_be_read_prove_nothing(user: User, agent: Agent, text: str):  # noqa: F811
    user.types("bootstrap", "--agent", "claude")
    user.settings.write_text(text)
    agent.sends("PostToolUse", "pwd", "toolu_lost")
    assert types(user, "witness", "--json").json["standings"]["unasked"] == 0

"""Exceptions where people look: `explain`, `list`, `doctor` and `status`, also on 80 columns and for programs."""

import re

import pytest

from synaptic.model.grant import Grant
from tests.cli.conftest import User
from tests.cli.test_report import PUSH, Agent, agent
from tests.cli.test_width import show
from tests.lib.exceptions import make_exceptions

__all__ = ["agent"]
WHY = "the branch is mine alone, and nobody else has ever seen what is on it"


@pytest.fixture
def made(user: User, agent: Agent) -> Grant:
    """A refused call, and the exception to it."""
    agent.asks(PUSH)
    code = user.types("explain", "--last", "--json").json["decision"]["code"]
    (made,) = make_exceptions(user.home, code, because=WHY)
    return made


def test_a_refusal_tells_its_code_and_what_that_lifts(user: User, agent: Agent) -> None:
    agent.asks(PUSH)
    found = user.types("explain", "--last", "--json").json
    assert found["allow_lifts"] == ["git.force-push"] and found["exceptions"] == {}
    told = f"a person may allow it: synaptic allow {found['decision']['code']} (it lifts git.force-push)"
    assert told in user.types("explain").out


def test_what_nobody_may_lift_has_no_code(user: User, agent: Agent) -> None:
    agent.asks(f"rm -rf {user.home.root}")
    found = user.types("explain", "--last", "--json").json
    assert (found["decision"]["kind"], found["decision"].get("code", ""), found["allow_lifts"]) == ("deny", "", [])
    assert "it has no code, so no exception can be made to it" in user.types("explain").out


def test_a_lifted_verdict_tells_the_exception_who_made_it_and_why(user: User, agent: Agent, made: Grant) -> None:
    agent.asks(PUSH)
    shown = user.types("explain", "--last").out
    assert f"git.force-push [built in] was lifted by an exception (deny lifted by grant {made.id} (once)" in shown
    assert f"exception {made.id}: lifts git.force-push once, made by a person at a terminal" in shown
    assert f"because: {WHY}" in shown
    found = user.types("explain", "--last", "--json").json
    assert found["exceptions"].keys() == {made.id} and WHY in found["exceptions"][made.id]


def test_list_counts_them_and_marks_their_policies(user: User, made: Grant) -> None:
    lines = user.types("list").out.splitlines()
    marked = [line.split() for line in lines if "*" in line and line[0].isdigit() and " yes* " in line]
    assert [words[1] for words in marked] == ["git.force-push"]
    assert "* 1 exception in force here: synaptic grants list" in lines
    found = user.types("list", "--json").json
    assert found["exceptions"] == 1
    assert {hook["id"]: hook["exceptions"] for hook in found["hooks"] if hook["exceptions"]} == {"git.force-push": 1}


def test_without_any_nothing_is_added(user: User, agent: Agent) -> None:
    agent.asks("ls")
    assert "exception" not in user.types("list").out + user.types("status").out
    assert user.types("list", "--json").json["exceptions"] == user.types("status", "--json").json["exceptions"] == 0


def test_status_has_a_line_for_them(user: User, made: Grant) -> None:
    assert "grants    1 exception in force here: synaptic grants list" in user.types("status").out.splitlines()
    assert user.types("status", "--json").json["exceptions"] == 1


def test_an_exception_that_is_used_up_is_not_counted(user: User, agent: Agent, made: Grant) -> None:
    agent.asks(PUSH)
    assert user.types("status", "--json").json["exceptions"] == 0


def test_doctor_has_a_line_for_them_and_names_wide_ones(user: User, made: Grant) -> None:
    found = user.types("doctor", "--json").json["findings"]
    assert [one["state"] for one in found if one["check"] == "exceptions"] == ["ok"]
    code = user.types("explain", "--last", "--json").json["decision"]["code"]
    (wide,) = make_exceptions(user.home, code, "always", root="")
    shown = user.types("doctor").out
    assert f"exception {wide.id}: it lifts git.force-push: it counts in every project; it never ends" in shown
    assert f"synaptic grants revoke {wide.id}" in shown


def test_all_of_it_fits_80_columns(user: User, agent: Agent, made: Grant) -> None:
    code = user.types("explain", "--last", "--json").json["decision"]["code"]
    more = {"fingerprint": "", "like": "git push --force-with-lease origin feature/*", "subject": "git"}
    make_exceptions(user.home, code, "always", because=WHY, **more)
    agent.asks(PUSH)
    for line in ("explain", "explain 1", "list", "doctor", "status"):
        lines = show(line)
        assert re.search("exception|synaptic allow", " ".join(lines)), line
        assert max(map(len, lines)) <= 80, (line, max(lines, key=len))


def test_a_control_character_in_a_reason_drives_no_terminal(user: User, agent: Agent) -> None:
    agent.asks(PUSH)
    code = user.types("explain", "--last", "--json").json["decision"]["code"]
    make_exceptions(user.home, code, because="\x1b]0;owned\x07 fine")
    agent.asks(PUSH)
    assert "\x1b" not in user.types("explain").out

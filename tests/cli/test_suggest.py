"""`synaptic suggest`: habits of a real journal become rules and exceptions that truly do what they say."""

import shlex
from contextlib import closing

import pytest

from synaptic.cli import carry_out
from synaptic.model.authority import Authority
from synaptic.store import refused
from synaptic.store.db import Store
from synaptic.work.command import CommandContext
from synaptic.work.grants import AllowCall
from tests.cli.conftest import User
from tests.cli.test_replay import send
from tests.cli.test_report import Agent, agent  # noqa: F401
from tests.lib.exceptions import make_exceptions
from tests.work.test_grants import SURE

FORCED = ("git push --force origin main", "git push -f origin HEAD:main", "git push --force origin master")
DESTROYED = tuple(f"terraform destroy -auto-approve -target=module.web{number}" for number in range(3))
ANOTHER = "terraform destroy -auto-approve -target=module.web7"


def suggest(user: User, kind: str) -> list[dict]:
    found = user.types("suggest", "--json").json["suggestions"]
    return [one for one in found if one["kind"] == kind]


@pytest.fixture(autouse=True)
def somebody_types(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is upheld is upheld by somebody at a terminal."""
    monkeypatch.setattr(carry_out, "find_authority", lambda *_: Authority(standing="sure", who="pts/1, by login"))


def uphold_all(user: User) -> None:
    with closing(Store.open(user.home)) as store:
        codes = [one.code for one in refused.list_refused(store)]
    for code in codes:
        assert user.types("inbox", "uphold", code).code == 0


def decide(user: User, command: str) -> dict:
    return user.types("check", command, "--json").json


def test_a_question_to_which_somebody_said_no_again_and_again_becomes_a_rule(user: User):
    send(user, *DESTROYED)
    assert suggest(user, "rule") == []
    uphold_all(user)
    (found,) = suggest(user, "rule")
    assert (found["what"], found["count"]) == ("`terraform destroy`", 3)
    assert sorted(one["text"] for one in found["evidence"]) == sorted(DESTROYED)
    assert "terraform destroy -auto-approve -target=module.web0" in user.types("suggest").out
    words = shlex.split(found["type"])
    assert words[:2] == ["synaptic", "rule"]
    assert decide(user, ANOTHER)["decision"] == "ask"
    assert user.types(*words[1:]).code == 0
    assert decide(user, ANOTHER)["decision"] == "deny"
    assert decide(user, "terraform plan")["decision"] == "allow"


def test_a_rule_is_no_wider_than_what_was_refused(user: User):
    send(user, *DESTROYED)
    uphold_all(user)
    (found,) = suggest(user, "rule")
    assert shlex.split(found["type"])[3:7] == ["--run", "terraform destroy", "--flags=-auto-approve", "--flags=-target"]


def test_what_is_refused_without_asking_needs_no_rule(user: User):
    send(user, *FORCED)
    uphold_all(user)
    assert suggest(user, "rule") == []


def test_a_yes_at_the_agent_again_and_again_becomes_an_exception(user: User, agent: Agent):  # noqa: F811
    for command in DESTROYED:
        agent.asks(command, runs=True)
    (found,) = suggest(user, "exception")
    assert (found["what"], found["count"]) == ("`terraform destroy`", 3)
    assert [one["text"] for one in found["evidence"]] == list(DESTROYED)
    words = shlex.split(found["type"])
    assert words[:2] == ["synaptic", "allow"]
    assert words[3:] == ["--here", "--like", "terraform destroy -auto-approve -target=module.web*"]
    # What the verb carries out where it has seen that a person asks.
    with closing(Store.open(user.home)) as store:
        AllowCall(refusal=words[2], scope="here", like=words[5]).run(CommandContext(store, authority=SURE))
    agent.asks(ANOTHER)
    assert user.types("explain", "--last", "--json").json["decision"].get("kind", "none") == "none"


def test_the_same_exception_made_again_and_again_would_last(user: User):
    for command in FORCED:
        send(user, command)
        code = user.types("explain", "--last", "--json").json["decision"]["code"]
        make_exceptions(user.home, code, "once")
    (found,) = suggest(user, "exception")
    assert found["count"] == 3
    assert "you allowed it past git.force-push 3 times" in found["why"]
    assert "CODE" not in found["type"]


def test_what_no_pattern_can_say_is_looked_at(user: User, agent: Agent):  # noqa: F811
    for names in ("a", "a b", "a b c"):
        agent.asks(f"terraform destroy -auto-approve -target={names}", runs=True)
    (found,) = suggest(user, "exception")
    assert found["type"].startswith("synaptic explain ")
    assert user.types(*shlex.split(found["type"])[1:]).code == 0

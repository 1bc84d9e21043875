"""The rules that teams write first: what they stop, in every way to say it, and the text that they leave alone."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import User

FOLDER = Path(__file__).parent / "everyday"
RULES = (FOLDER / "rules.toml").read_text()
CALLS: dict[str, dict[str, list[Any]]] = tomllib.loads((FOLDER / "calls.toml").read_text())


def make_line(call: Any, cwd: Path) -> str:
    tool, given = ("Bash", {"command": call}) if isinstance(call, str) else (call["tool"], call["input"])
    return json.dumps({"tool_name": tool, "tool_input": given, "cwd": str(cwd)})


@pytest.fixture
def team(user: User) -> User:
    """Somebody who has cloned a project with these rules, and has never agreed to anything in it."""
    user.writes(".synaptic/rules.toml", RULES)
    return user


def check_all(team: User, calls: list[Any]) -> list[dict[str, Any]]:
    done = team.runs("check", "--jsonl", stdin="".join(f"{make_line(call, team.project)}\n" for call in calls))
    return [json.loads(line) for line in done.out.splitlines()]


@pytest.mark.parametrize("rule", CALLS)
def test_what_is_meant_is_stopped_and_text_is_not(team: User, rule: str):
    hits, misses = CALLS[rule]["hits"], CALLS[rule]["misses"]
    answers = check_all(team, [*hits, *misses])
    assert len(answers) == len(hits) + len(misses)
    missed = [call for call, said in zip(hits, answers, strict=False) if said["policy"] != rule]
    stopped = [call for call, said in zip(misses, answers[len(hits) :], strict=True) if said["decision"] == "deny"]
    assert (missed, stopped) == ([], [])


def test_there_are_enough_of_both():
    for kind in ("hits", "misses"):
        assert sum(len(calls[kind]) for calls in CALLS.values()) >= 60


def test_their_own_examples_hold(team: User):
    shown = team.types("rule", "test", "--json")
    assert (shown.code, shown.json["rules"], shown.json["failed"]) == (0, 4, [])
    assert team.types("rule", "list", "--json").json["problems"] == []

"""The state of a project at the command line."""

import json
import sqlite3

import pytest

from synaptic.model import sane
from synaptic.store import mirror
from synaptic.store.db import Store
from tests.cli.agents_shell import shell_variables
from tests.cli.conftest import User
from tests.test_api import PUSHES, REMEMBERING


@pytest.fixture(autouse=True)
def at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in shell_variables():
        monkeypatch.delenv(name, raising=False)


def test_a_section_and_a_value_are_shown(user: User):
    """S1-141"""
    assert user.types("state", "get", "circuit_breaker", "--json").json == sane.default_section(sane.CIRCUIT_BREAKER)
    assert user.types("state", "get", "saneloop", "max_iterations").out == "20\n"
    assert "error_signatures = {}" in user.types("state", "get", "circuit_breaker").out
    assert user.types("state", "get", "action_log", "--json").json == []


def test_a_value_is_set_and_a_section_reset(user: User):
    """S1-141"""
    assert user.types("state", "set", "circuit_breaker", "tripped", "true").code == 0
    assert user.types("state", "get", "circuit_breaker", "tripped", "--json").json is True
    assert user.types("state", "reset", "circuit_breaker", "--json").json == sane.default_section(sane.CIRCUIT_BREAKER)
    assert user.types("state", "get", "circuit_breaker", "tripped").out == "false\n"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("get", "breaker"), "there is no section `breaker`"),
        (("get", "edits", "x"), "`edits` has no key `x`"),
        (("set", "edits", "count", "many"), "is no JSON"),
        (("set", "edits", "count", '"many"'), "must be a whole number"),
        (("reset", "x\x1b[2J"), "there is no section"),
    ],
)
def test_a_mistake_is_told_with_what_is_known(user: User, words: tuple[str, ...], told: str):
    """S1-142"""
    shown = user.types("state", *words)
    assert shown.code == 1
    assert told in shown.err
    assert "\x1b" not in shown.err


@pytest.mark.parametrize("words", [("set", "circuit_breaker", "tripped", "false"), ("reset", "circuit_breaker")])
def test_an_agent_is_refused(user: User, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]):
    user.types("state", "set", "circuit_breaker", "tripped", "true")
    monkeypatch.setenv("CLAUDECODE", "1")
    shown = user.types("state", *words)
    assert shown.code == 3
    assert "an agent may not change the state" in shown.err
    assert user.types("state", "get", "circuit_breaker", "tripped").out == "true\n"


def test_the_list_shows_what_was_forged_and_what_is_in_quarantine(user: User):
    """S1-147"""
    user.types("state", "set", "circuit_breaker", "tripped", "true")
    with sqlite3.connect(user.home.database) as other:
        other.execute("UPDATE state SET value = ?", (b"{}",))
    standing = {row["section"]: row["standing"] for row in user.types("state", "list", "--json").json["sections"]}
    assert standing["circuit_breaker"] == "forged"
    assert standing["edits"] == "default"
    assert user.types("state", "get", "circuit_breaker", "tripped").out == "true\n"
    listed = user.types("state", "list").out
    assert "in quarantine since" in listed
    assert "circuit_breaker  genuine" in listed


def test_the_mirror_follows(user: User):
    store = Store.open(user.home)
    mirror.write_mirror(store, str(user.project))
    store.close()
    user.types("state", "set", "edits", "count", "4")
    assert json.loads((user.project / ".claude/state.json").read_text())["edits"]["count"] == 4


def test_the_home_folder_has_no_state(user: User, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(user.folder)
    assert "no project" in user.types("state", "list").err


def test_sections_of_policies_of_ones_own_are_among_them(user: User):
    folder = user.home.root / "policies"
    folder.mkdir(parents=True)
    (folder / "acme.py").write_text(REMEMBERING)
    user.types("list")
    assert "policies/acme.counted/Pushes" in user.types("state", "list").out
    assert user.types("state", "set", PUSHES, "count", "2").code == 0
    assert user.types("state", "get", PUSHES, "count").out == "2\n"
    shown = user.types("state", "set", PUSHES, "cuont", "2")
    assert shown.code == 1 and "did you mean `count`?" in shown.err
    assert user.types("state", "reset", PUSHES, "--json").json == {}

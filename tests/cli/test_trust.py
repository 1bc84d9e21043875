"""Hooks of a repository run only after somebody has agreed."""

import pytest

from tests.cli.conftest import User


def trusted(user: User) -> list[bool]:
    hooks = user.types("list", "--json").json["hooks"]
    return [hook["trusted"] for hook in hooks if hook["scope"] != "builtin"]


def test_trust_shows_what_it_remembers(user: User):
    script = user.brings_hook()
    assert trusted(user) == [False]
    shown = user.types("trust", "--yes")
    assert shown.code == 0
    assert "demo:guard.sh" in shown.out
    assert str(script) in shown.out
    assert trusted(user) == [True]


def test_nothing_to_trust_is_no_error(user: User):
    shown = user.types("trust")
    assert shown.code == 0
    assert "nothing to trust" in shown.out


def test_a_changed_script_is_not_trusted_any_more(user: User):
    user.brings_hook("exit 0")
    user.types("trust", "--yes")
    (user.project / "guard.sh").write_text("#!/bin/sh\nexit 1\n")
    assert trusted(user) == [False]
    assert len(user.types("trust", "--json", "--yes").json["trusted"]) == 1
    assert trusted(user) == [True]


def test_the_listing_and_forgetting(user: User):
    user.brings_hook()
    user.types("trust", "--yes")
    assert str(user.project) in user.types("trust", "--list").out
    assert len(user.types("trust", "--list", "--json").json["trusted"]) == 1
    assert "1 agreements forgotten" in user.types("trust", "--forget").out
    assert trusted(user) == [False]
    assert "nothing was trusted" in user.types("trust", "--forget").out


def test_another_project_by_its_path(user: User, monkeypatch):
    user.brings_hook()
    monkeypatch.chdir(user.folder)
    assert user.types("trust").code == 1
    assert user.types("trust", str(user.project), "--yes").code == 0
    monkeypatch.chdir(user.project)
    assert trusted(user) == [True]


def test_a_path_that_is_not_there_is_said(user: User):
    shown = user.types("trust", "/no/such/place")
    assert shown.code == 1
    assert "no such folder" in shown.err


@pytest.mark.parametrize("words", [(), ("--json",), ("--uncovered",)])
def test_where_nobody_can_be_asked_nothing_is_trusted(user: User, words: tuple[str, ...]):
    user.brings_hook()
    shown = user.types("trust", *words)
    assert shown.code == 1
    assert "demo:guard.sh" in shown.out
    assert trusted(user) == [False]


def test_json_says_what_would_be_trusted_and_what_is_not_covered(user: User):
    user.brings_hook("pytest -q")
    said = user.types("trust", "--json").json
    assert (said["ok"], said["trusted"]) == (False, [])
    assert said["untrusted"][0]["not_covered"] == ["which files of the project `pytest` runs"]


def test_what_is_not_covered_needs_a_yes_of_its_own(user: User):
    user.brings_hook("pytest -q")
    shown = user.types("trust", "--yes")
    assert shown.code == 1
    assert "not covered: which files of the project `pytest` runs" in shown.out
    assert trusted(user) == [False]
    assert user.types("trust", "--yes", "--uncovered").code == 0
    assert trusted(user) == [True]

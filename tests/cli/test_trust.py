"""Hooks of a repository run only after somebody has agreed."""

from tests.cli.conftest import User


def trusted(user: User) -> list[bool]:
    hooks = user.types("list", "--json").json["hooks"]
    return [hook["trusted"] for hook in hooks if hook["scope"] != "builtin"]


def test_trust_shows_what_it_remembers(user: User):
    script = user.brings_hook()
    assert trusted(user) == [False]
    shown = user.types("trust")
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
    assert len(user.types("trust", "--json").json["trusted"]) == 1
    assert trusted(user) == [True]


def test_the_listing_and_forgetting(user: User):
    user.brings_hook()
    user.types("trust")
    assert str(user.project) in user.types("trust", "--list").out
    assert len(user.types("trust", "--list", "--json").json["trusted"]) == 1
    assert "1 agreements forgotten" in user.types("trust", "--forget").out
    assert trusted(user) == [False]
    assert "nothing was trusted" in user.types("trust", "--forget").out


def test_another_project_by_its_path(user: User, monkeypatch):
    user.brings_hook()
    monkeypatch.chdir(user.folder)
    assert user.types("trust").code == 1
    assert user.types("trust", str(user.project)).code == 0
    monkeypatch.chdir(user.project)
    assert trusted(user) == [True]


def test_a_path_that_is_not_there_is_said(user: User):
    shown = user.types("trust", "/no/such/place")
    assert shown.code == 1
    assert "no such folder" in shown.err

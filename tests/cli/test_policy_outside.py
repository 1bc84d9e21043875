"""Policies of one's own on the command line: written, tested, listed, switched, agreed to."""

import os
import tomllib

import pytest

from tests.cli.conftest import User

ASKING = '''
from pathlib import Path
from synaptic.sdk import *

Path("{mark}").touch()

@policy("acme.x", events=(PreToolUse,))
def x(event, facts):
    """About x.

    ## Why
    Because.
    """
    return deny("no") if facts.command and "deploy" in facts.command.programs else None
'''


def brings(user: User, name: str = "acme.py") -> None:
    """The project brings a policy that leaves a mark when it is imported."""
    user.writes(f".synaptic/policies/{name}", ASKING.format(mark=user.project / "imported"))


def test_a_new_policy_works_as_it_is_written(user: User):
    shown = user.types("policy", "new", "acme.no-friday-deploys")
    assert shown.code == 0
    assert "synaptic policy test acme.no-friday-deploys" in shown.out
    assert (user.home.root / "policies" / "acme_no_friday_deploys.py").exists()
    found = user.types("policy", "test", "acme.no-friday-deploys", "--json")
    assert (found.code, found.json["passed"], found.json["failed"]) == (0, 2, 0)
    assert "acme.no-friday-deploys" in user.types("list").out
    assert "Deployments that nobody has asked for." in user.types("policy", "list").out
    out = user.types("policy", "show", "acme.no-friday-deploys").out
    assert "is on (" in out and "## What it does" in out
    assert "acme.no-friday-deploys" in user.types("check", "deploy").out
    assert "is there already" in user.types("policy", "new", "acme.no-friday-deploys").err


@pytest.mark.parametrize("name", ["git.mine", "nodots", "Acme.x", "../x.y"])
def test_a_name_that_cannot_be_is_refused(user: User, name: str):
    shown = user.types("policy", "new", name)
    assert shown.code == 1
    assert "is no id for a policy of your own" in shown.err
    assert not (user.home.root / "policies").exists()


def test_it_is_switched_and_configured_by_name(user: User):
    user.types("policy", "new", "acme.x")
    assert "off: acme.x" in user.types("policy", "disable", "acme.x").out.splitlines()
    assert tomllib.loads(user.home.config.read_text())["policies"]["acme.x"] == {"enabled": False}
    assert "acme.x" not in user.types("list").out
    assert "on: acme.x" in user.types("policy", "enable", "acme.x").out.splitlines()
    assert "there is no `acme.y` to switch" in user.types("policy", "enable", "acme.y").err
    assert user.types("config", "validate").code == 0
    user.configures('[policies."acme.y"]\nenabled = true\n')
    shown = user.types("config", "validate")
    assert shown.code == 1 and 'policies."acme.y": unknown policy' in shown.err


def test_self_test_asks_them_too_and_a_broken_case_is_said(user: User):
    user.types("policy", "new", "acme.x")
    assert user.types("self-test", "acme.x").code == 0
    cases = user.home.root / "policies" / "acme_x.toml"
    cases.write_text(cases.read_text().replace('want = "deny"', 'want = "ask"'))
    shown = user.types("self-test", "acme.x")
    assert shown.code == 1
    assert "acme.x: the program itself, in whatever folder: wanted ask, got deny" in shown.out
    cases.write_text("[[case]]\nnme = 1\n")
    assert "the file of cases cannot be used" in user.types("policy", "test").out
    cases.unlink()
    assert "has cases here" in user.types("policy", "test", "acme.x").err


def test_a_file_that_cannot_be_loaded_is_a_problem_with_its_line(user: User):
    folder = user.home.root / "policies"
    folder.mkdir(parents=True)
    (folder / "acme.py").write_text("import nothing_like_this\n")
    assert f"{folder}/acme.py:1: ModuleNotFoundError" in user.types("list").out


def test_a_policy_of_a_project_is_not_imported_before_somebody_agrees(user: User):
    brings(user)
    marked = user.project / "imported"
    assert "comes with the repository" in user.types("list").out
    assert user.types("self-test", "acme.x").code == 1
    user.types("policy", "list")
    user.types("policy", "show", "acme.x")
    user.types("check", "deploy")
    assert not marked.exists()
    shown = user.types("trust")
    assert "the policies in" in shown.out and "  | from synaptic.sdk import *" in shown.out
    assert not marked.exists()
    assert user.types("trust", "--yes", "--uncovered").code == 0
    hooks = {hook["id"]: hook for hook in user.types("list", "--json").json["hooks"] if hook["scope"] == "project"}
    assert [(name, hook["trusted"]) for name, hook in hooks.items()] == [("acme.x", True)]
    assert marked.exists()


def test_a_policy_of_a_project_that_has_changed_is_not_imported(user: User):
    brings(user)
    user.types("trust", "--yes", "--uncovered")
    user.types("list")
    marked = user.project / "imported"
    marked.unlink()
    file = user.project / ".synaptic" / "policies" / "acme.py"
    file.write_text(f"{file.read_text()}\nevil = 1\n")
    (hook,) = [hook for hook in user.types("list", "--json").json["hooks"] if hook["scope"] == "project"]
    assert (hook["id"], hook["trusted"]) == ("policies/acme.py", False)
    assert not marked.exists()
    assert "+evil = 1" in user.types("trust").out


def test_check_asks_it_and_the_policies_alone_load_no_file(user: User):
    folder = user.home.root / "policies"
    folder.mkdir(parents=True)
    (folder / "acme.py").write_text(ASKING.format(mark=user.project / "imported"))
    assert user.types("check", "--policies-only", "deploy").code == 0
    assert not (user.project / "imported").exists()
    assert "acme.x" in user.types("check", "deploy").out
    assert (user.project / "imported").exists()


def test_what_is_forgotten_does_not_run(user: User):
    brings(user)
    user.types("trust", "--yes", "--uncovered")
    user.types("trust", "--forget")
    (hook,) = [hook for hook in user.types("list", "--json").json["hooks"] if hook["scope"] == "project"]
    assert hook["trusted"] is False


def test_a_new_policy_in_a_project_is_trusted_as_it_was_written(user: User):
    shown = user.types("policy", "new", "acme.x", "--project")
    assert (shown.code, shown.err) == (0, "")
    (hook,) = [hook for hook in user.types("list", "--json").json["hooks"] if hook["scope"] == "project"]
    assert (hook["id"], hook["trusted"]) == ("acme.x", True)


def test_a_project_takes_no_id_of_the_user_and_switches_nothing_off(user: User):
    user.types("policy", "new", "acme.x")
    brings(user)
    user.types("trust", "--yes", "--uncovered")
    shown = user.types("list", "--json").json
    assert [hook["scope"] for hook in shown["hooks"] if hook["id"] == "acme.x"] == ["user"]
    assert any("has a policy of that id already" in problem for problem in shown["problems"])
    user.writes(".synaptic/config.toml", '[policies."acme.x"]\nenabled = false\n')
    shown = user.types("list", "--json").json
    assert any("a project cannot switch a policy off" in problem for problem in shown["problems"])
    assert [hook["scope"] for hook in shown["hooks"] if hook["id"] == "acme.x"] == ["user"]


def test_a_file_that_breaks_is_shown_everywhere(user: User):
    user.types("policy", "new", "acme.x")
    file = user.home.root / "policies" / "acme_x.py"
    file.write_text(file.read_text().replace('@policy("acme.x",', '@policy("acme.x", on_error="deny",'))
    assert " own " in next(line for line in user.types("list").out.splitlines() if " acme.x " in line)
    file.write_text(file.read_text() + "import nothing_here\n")
    listed = user.types("list").out
    assert " broken " in next(line for line in listed.splitlines() if " acme.x " in line)
    words = " ".join(listed.split())
    assert "nothing_here" in words and "until it can be loaded, acme.x denies what it is about" in words
    assert "fails: " in next(line for line in user.types("policy", "list").out.splitlines() if " acme.x " in line)
    shown = " ".join(user.types("policy", "show", "acme.x").out.split())
    assert "nothing_here" in shown and "What it is about is denied." in shown
    doctor = {one["check"]: one for one in user.types("doctor", "--json").json["findings"]}
    assert doctor["hook acme.x"]["state"] == "fail" and doctor["hook acme.x"]["fix"] == f"correct {file}"
    assert "set to deny on error" in " ".join(user.types("check", "deploy").out.split())
    assert "nothing_here" in user.types("policy", "test", "acme.x").out + user.types("policy", "test").out
    user.types("policy", "disable", "acme.x")
    assert "set to deny on error" not in user.types("check", "deploy").out


def test_cases_of_a_file_that_is_none_do_not_wait_for_it(user: User):
    user.types("policy", "new", "acme.x")
    file = user.home.root / "policies" / "acme_x.py"
    file.unlink()
    os.mkfifo(file)
    assert "is not a regular file" in user.types("policy", "test").out

"""Verbs that question the past: replay, explain --if, case, suggest."""

import asyncio
import json
import os
import subprocess
from pathlib import Path

import pytest

from synaptic.daemon.client import new_call_id
from synaptic.engine.walk import open_engine
from synaptic.model.call import Request
from tests.cli.conftest import User

FORCE = "git push --force origin main"
PROTECTED = 'git.force-push.protected=["release/*"]'


def send(user: User, *commands: str) -> None:
    """As the agent does, in this process."""

    async def work() -> None:
        engine = open_engine(user.home)
        try:
            for command in commands:
                tool = {"tool_name": "Bash", "tool_input": {"command": command}}
                payload = {"hook_event_name": "PreToolUse", "session_id": "s", "cwd": str(user.project), **tool}
                env = {"HOME": str(user.folder), "PATH": os.environ["PATH"]}
                stdin = json.dumps(payload).encode()
                await engine.answer(Request(agent="claude", event="PreToolUse", stdin=stdin, id=new_call_id(), env=env))
        finally:
            await engine.close()

    asyncio.run(work())


@pytest.fixture
def past(user: User) -> User:
    """A user with three calls behind them: the second was denied."""
    send(user, "ls", FORCE, "git push --force origin release/2")
    return user


def test_nothing_changed_is_told_as_such(past: User):
    shown = past.types("replay")
    assert shown.code == 0
    assert "3 events: 3 exact, 0 approximate, 0 not replayable" in shown.out
    assert "Every one is decided as it was." in shown.out


def test_what_flips_is_shown_by_policy_with_the_call(past: User):
    shown = past.types("replay", "--set", PROTECTED)
    assert "1 would be denied that was not" in shown.out
    assert "git.force-push: 1 rewritten, now denied" in shown.out
    assert "git push --force origin release/2" in shown.out


def test_ci_of_rules_fails_at_new_denials(past: User, tmp_path: Path):
    rules = tmp_path / "rules.toml"
    rules.write_text('[[rule]]\nid = "our.ls"\nrun = "ls"\nthen = "deny"\nsay = "use find"\n')
    assert past.types("replay", "--rules", str(rules), "--max-new-denials", "1").code == 0
    shown = past.types("replay", "--rules", str(rules), "--max-new-denials", "0")
    assert shown.code == 1
    assert "at most 0 may be" in shown.err
    told = past.types("replay", "--rules", str(rules), "--max-new-denials", "0", "--json")
    assert (told.code, told.json["new_denials"]) == (1, 1)


def test_another_config_counts_in_the_place_of_mine(past: User, tmp_path: Path):
    config = tmp_path / "other.toml"
    config.write_text("presets = []\n")
    told = past.types("replay", "--with", str(config), "--json").json
    assert told["flips"] == 2
    assert {group["policy"] for group in told["by_policy"]} == {"git.force-push"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--since", "fish"), "no moment"),
        (("--enable", "git.force-pusj"), "did you mean"),
        (("--with", "/no/such/file"), "no such file"),
        (("--rules", "/dev/null"), "not a regular file"),
        (("--set", "git.force-push.protected"), "is no setting"),
        (("--set", "git.force-push.protectd=[]"), "did you mean `protected`"),
        (("--project", "/no/such/folder"), "no such folder"),
    ],
)
def test_what_cannot_be_done_says_what_to_type(past: User, words: tuple[str, ...], said: str):
    shown = past.types("replay", *words)
    assert shown.code in (1, 2)
    assert said in shown.err
    assert "Traceback" not in shown.err


def test_no_event_of_that_time(past: User):
    assert "No event of this time" in past.types("replay", "--until", "2020-01-01", "--since", "2019-01-01").out


def test_one_counterfactual_of_one_event(past: User):
    shown = past.types("explain", "2", "--if", PROTECTED)
    assert "Event 2 was denied by git.force-push." in shown.out
    assert "It would be rewritten by git.force-push." in shown.out
    still = past.types("explain", "1", "--if", PROTECTED)
    assert "Still let through." in still.out
    told = past.types("explain", "3", "--if", PROTECTED, "--json").json
    assert (told["was"]["kind"], told["now"]["kind"], told["standing"]) == ("rewrite", "deny", "exact")


def test_a_counterfactual_without_a_record_says_so(user: User):
    user.configures('journal = "structure"\n')
    send(user, FORCE)
    assert "cannot be told" in user.types("explain", "1", "--if", PROTECTED).out


def test_an_event_becomes_a_case_that_self_test_asks_about(past: User):
    shown = past.types("case", "2", "--want", "none")
    assert shown.code == 0
    file = past.project / ".synaptic" / "cases" / "git.force-push.toml"
    text = file.read_text()
    assert FORCE in text
    assert str(past.project) not in text  # it would be the same for everybody
    asked = past.types("self-test", "git.force-push")
    assert asked.code == 0
    assert "event 2: git push --force origin main: a person says: wrong; still refused" in asked.out
    past.types("case", "2", "--want", "none")
    assert file.read_text() == text


def test_a_case_for_a_denial_that_did_not_happen(past: User):
    past.types("case", "1", "--want", "deny", "--policy", "git.force-push", "--mine")
    assert "still let through" in past.types("self-test", "git.force-push").out


def test_a_case_is_shown_without_being_written(past: User):
    told = past.types("case", "2", "--dry-run", "--json").json
    assert told["file"] is None
    assert told["shows"] is True
    assert not (past.project / ".synaptic" / "cases").exists()


def test_a_case_takes_the_facts_that_the_policy_was_shown(past: User):
    """`git reset --hard` is judged by what would be lost: that is in the case."""
    (past.project / "work.txt").write_text("one\n")
    send(past, "git clean -fd")
    told = past.types("case", "4", "--policy", "git.clean", "--dry-run", "--json").json
    assert told["shows"] is True


def test_a_secret_does_not_get_into_a_case(past: User):
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    send(past, f"git push --force https://x:{secret}@github.com/a/b main")
    shown = past.types("case", "4", "--policy", "git.force-push", "--dry-run")
    assert secret not in shown.out


def test_no_case_of_what_nobody_decided(past: User):
    shown = past.types("case", "1")
    assert shown.code == 1
    assert "no policy has decided event 1" in shown.err
    assert "is no built-in policy" in past.types("case", "1", "--policy", "mine.own").err
    assert past.types("case", "1", "--want", "maybe").code == 2
    assert "there is no event 99" in past.types("case", "99").err


def test_suggestions_come_with_their_evidence(past: User):
    subprocess.run(["git", "init", "-q", "-b", "main", str(past.project)], check=True)
    send(past, "git commit -m x")
    shown = past.types("suggest")
    assert shown.code == 0
    assert "`@practice` would have stopped 1 call" in shown.out
    assert "git commit -m x (git.protected-commit)" in shown.out
    assert "type: synaptic replay --enable @practice" in shown.out
    told = past.types("suggest", "--json").json
    assert {one["kind"] for one in told["suggestions"]} == {"preset"}


def test_nothing_to_suggest(user: User):
    send(user, "ls")
    assert user.types("suggest").out.startswith("Nothing:")
    assert user.types("suggest", "--json").json["suggestions"] == []


def test_suggesting_changes_nothing(past: User):
    config = past.home.config.read_bytes() if past.home.config.exists() else b""
    before = json.dumps(past.types("explain", "2", "--json").json)
    past.types("suggest")
    past.types("replay", "--enable", "@strict")
    assert json.dumps(past.types("explain", "2", "--json").json) == before
    assert (past.home.config.read_bytes() if past.home.config.exists() else b"") == config

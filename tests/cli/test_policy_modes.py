"""`synaptic policy shadow`, `advise` and `enforce`, and what other verbs tell about them."""

import asyncio
import json

import pytest

from synaptic.cli.place import find_place
from synaptic.engine.shadow import ShadowWorker
from synaptic.engine.shadow_queue import ShadowQueue
from synaptic.engine.walk import open_engine
from synaptic.model.call import Request
from synaptic.policies.self.verbs import find_people_only
from synaptic.store.db import Store
from tests.cli.conftest import Shown, User

PUSH = "git push -f origin main"


def row(user: User, name: str) -> dict:
    return next(row for row in user.types("policy", "list", "--json").json["policies"] if row["id"] == name)


def push_in_shadow(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """One refused call in shadow, judged."""
    monkeypatch.setattr(ShadowQueue, "_start_worker", lambda self: None)
    user.types("policy", "shadow", "git.force-push")
    payload = {"session_id": "s", "cwd": str(user.project), "hook_event_name": "PreToolUse", "tool_name": "Bash"}
    stdin = json.dumps({**payload, "tool_input": {"command": PUSH}}).encode()

    async def answer() -> None:
        engine = open_engine(user.home)
        await engine.answer(Request(agent="claude", event="PreToolUse", stdin=stdin, id="c1", env={}))
        await engine.close()

    asyncio.run(answer())
    store = Store.open(user.home)
    asyncio.run(ShadowWorker(user.home, store).take_all())
    store.close()


def test_a_mode_is_written_beside_the_comments_and_taken_back(user: User) -> None:
    user.configures('# mine\n[policies."git.force-push"]\nprotected = ["main"] # all of them\n')
    shown = user.types("policy", "shadow", "git.force-push")
    assert shown.code == 0 and "only watched now, in shadow: git.force-push" in shown.out
    text = user.home.config.read_text()
    assert "# mine" in text and "# all of them" in text and 'mode = "shadow"' in text and "enabled" not in text
    assert row(user, "git.force-push")["mode"] == "shadow"
    assert user.types("policy", "shadow", "git.force-push", "--json").json["changed"] is False
    assert user.types("policy", "advise", "git.force-push", "--json").json["advise"] == ["git.force-push"]
    user.types("policy", "enforce", "git.force-push")
    assert row(user, "git.force-push")["mode"] == "enforce"
    assert user.types("config", "validate").code == 0


def test_what_is_off_is_switched_on_for_it(user: User) -> None:
    shown = user.types("policy", "shadow", "@practice", "--json").json
    assert "practice.branch-guard" in shown["shadow"] and "practice.branch-guard" not in shown["on"]
    assert 'presets = ["essentials", "practice"]' in user.home.config.read_text()
    assert (row(user, "practice.track")["enabled"], row(user, "practice.track")["mode"]) == (True, "shadow")
    user.types("policy", "advise", "paths.outside-project")
    assert row(user, "paths.outside-project")["mode"] == "advise"
    assert "enabled = true" in user.home.config.read_text()


def test_what_guards_synaptic_itself_is_refused(user: User) -> None:
    own = next(name for name in ("self.daemon", "self.grants", "self.settings") if row_exists(user, name))
    shown = user.types("policy", "shadow", own)
    assert shown.code == 1 and "always enforced" in shown.err and not user.home.config.exists()


def row_exists(user: User, name: str) -> bool:
    return any(row["id"] == name for row in user.types("policy", "list", "--json").json["policies"])


def test_a_name_that_is_none_is_guessed_and_nothing_is_written(user: User) -> None:
    shown = user.types("policy", "shadow", "@practise", "git.force-push")
    assert shown.code == 1 and "did you mean `@practice`?" in shown.err and not user.home.config.exists()


def test_a_project_that_loosens_is_told_so(user: User) -> None:
    shown = user.types("policy", "shadow", "@essentials", "--project")
    assert "would loosen what is set to enforce" in shown.out
    assert user.types("config", "validate").code == 1
    assert row(user, "git.force-push")["mode"] == "enforce"


def test_every_verb_tells_what_is_not_enforced(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    push_in_shadow(user, monkeypatch)
    said: dict[str, Shown] = {
        "list": user.types("list"),
        "policies": user.types("policy", "list", "--on"),
        "fired": user.types("policy", "list", "--fired"),
        "show": user.types("policy", "show", "git.force-push"),
        "status": user.types("status"),
        "explain": user.types("explain", "--last"),
        "usage": user.types("usage", "--by", "policy"),
        "config": user.types("config", "show"),
        "doctor": user.types("doctor"),
    }
    line = next(line for line in said["list"].out.splitlines() if "git.force-push" in line)
    assert "shadow" in line
    for name in ("policies", "fired"):
        assert "would have denied 1" in said[name].out and "1 in shadow" in said[name].out
    assert "in shadow, and decides nothing; it would have denied 1" in said["show"].out.replace("\n", " ")
    assert "modes     not enforced: git.force-push (shadow)" in said["status"].out
    assert "would have denied it; it is in shadow, so that changed nothing" in said["explain"].out.replace("\n", " ")
    assert "git.force-push (would deny)" in said["usage"].out
    assert "shadow" in said["config"].out
    assert "not enforced here, shadow: git.force-push" in said["doctor"].out.replace("\n", " ")
    assert "synaptic policy enforce git.force-push" in said["doctor"].out


def test_only_people_may() -> None:
    for verb in ("shadow", "advise", "enforce"):
        assert find_people_only(["policy", verb, "@practice"]) is not None


def test_without_modes_nothing_is_said(user: User) -> None:
    assert "not enforced" not in user.types("status").out
    assert user.types("status", "--json").json["loosened"] == []
    assert "not enforced" not in user.types("doctor").out
    assert find_place().root == str(user.project)


def test_a_rule_has_a_mode_of_its_own(user: User) -> None:
    rule = '[[rule]]\nid = "npm.publish"\nrun = "npm publish"\nthen = "deny"\nsay = "no"\n'
    user.configures(rule + 'enforcement = "advise"\n')
    assert user.types("check", "npm publish", "--json").json["decision"] != "deny"
    user.configures(rule + 'enforcement = "shadow"\n')
    assert user.types("check", "npm publish", "--json").json["decision"] != "deny"
    user.configures(rule)
    assert user.types("check", "npm publish", "--json").json["decision"] == "deny"
    user.configures(rule + 'mode = "shadow"\n')
    assert "`enforcement`" in user.types("list").out


def test_a_rule_that_is_not_enforced_hides_no_later_one(user: User) -> None:
    wide = '[[rule]]\nid = "npm.all"\nrun = "npm"\nthen = "deny"\nsay = "no"\n'
    narrow = '[[rule]]\nid = "npm.publish"\nrun = "npm publish"\nthen = "deny"\nsay = "never"\n'
    user.configures(wide + 'enforcement = "shadow"\n' + narrow)
    assert "decides nothing" not in user.types("list").out
    assert user.types("check", "npm publish", "--json").json["policy"] == "npm.publish"

"""Hooks written, listed and tried."""

import os
import shutil
import subprocess
import sys

import pytest

from synaptic.hooks import scaffold
from tests.cli.conftest import User

LANGUAGES = {"python": "py", "bash": "sh", "typescript": "ts"}


def test_a_scaffold_is_valid_and_can_be_tried(user: User):
    """S2-103, S2-104"""
    user.configures('trust = "all"\n')
    shown = user.types("hook", "new", "my_check", "--event", "PreAbilityCall", "--language", "bash", "--json")
    assert shown.json["status"] == "created"
    assert shown.json["changed_files"] == [".system/hooks/my_check.yaml", "scripts/hooks/my_check.sh"]
    assert user.types("hook", "validate").code == 0
    assert "PreAbilityCall" in user.types("hook", "register").out
    tried = user.types("hook", "test", "my_check", "--json").json
    assert tried["decision"]["trace"][0]["hook"] == "my_check"
    assert user.types("hook", "new", "my_check", "--event", "PreAbilityCall").code == 1


def test_an_ability_that_is_not_there_is_a_warning(user: User):
    """S2-104"""
    words = ("--event", "PreAbilityCall", "--ability-scope", "nowhere", "--json")
    shown = user.types("hook", "new", "one", *words)
    assert shown.code == 0 and "no ability `nowhere`" in shown.json["warnings"][0]


def test_a_hook_is_tried_on_a_recorded_event_and_nothing_is_written(user: User):
    user.configures('trust = "all"\n')
    user.types("hook", "new", "seen", "--event", "PreAbilityCall", "--blocking")
    script = user.project / "scripts/hooks/seen.py"
    script.write_text(
        "#!/usr/bin/env python3\nimport json, sys\n"
        "print(json.dumps({'messages_to_user': [json.load(sys.stdin)['ability_id']]}))\n"
    )
    user.runs("emit", "PreAbilityCall", stdin='{"ability_id": "recorded_one"}')
    shown = user.types("hook", "test", "seen", "--recorded", "1", "--json").json
    assert "recorded_one" in shown["stdout"]
    assert "billing_regression" in user.types("hook", "test", "seen").out
    assert user.types("hook", "test", "seen", "--recorded", "2").code == 1
    assert "did you mean `seen`" in user.types("hook", "test", "sen").err


def test_hooks_are_listed_with_what_is_switched_off(user: User):
    """S2-021, S2-101"""
    user.types("hook", "new", "on_one", "--event", "PreAbilityCall")
    user.writes(
        ".system/hooks/off_one.yaml",
        "id: off_one\nevent_type: SessionStop\nenabled: false\nhandler: {kind: script, command: ./x.sh}\n",
    )
    user.writes(
        ".system/hooks/gone.yaml", "id: gone\nevent_type: SessionStop\nhandler: {kind: script, command: ./x.sh}\n"
    )
    found = {one["id"]: one for one in user.types("hook", "list", "--json").json["hooks"]}
    assert found["on_one"]["enabled"] and not found["off_one"]["enabled"]
    assert "is missing" in found["gone"]["faults"][0]
    assert "off" in user.types("hook", "list").out


def skip_without_node(language: str) -> None:
    if language == "typescript" and not shutil.which("node"):
        pytest.skip("there is no node")


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_a_person_asked_for_works_at_once(user: User, language: str):
    """S2-103: no `synaptic trust` in between, in every language, and with the Node that is there."""
    skip_without_node(language)
    shown = user.types("hook", "new", "mine", "--event", "PreAbilityCall", "--language", language, "--json").json
    assert (shown["trusted"], shown["warnings"]) == (True, [])
    assert user.types("trust", "--json").json["untrusted"] == []
    answer = user.runs("emit", "PreAbilityCall", stdin='{"ability_id": "a"}')
    assert (answer.code, answer.json, answer.err) == (0, {}, "")
    (step,) = user.types("hook", "test", "mine", "--json").json["decision"]["trace"]
    assert (step["hook"], step.get("phase", "run"), step.get("fault", "")) == ("mine", "run", "")


def test_a_changed_stub_is_not_trusted_by_itself(user: User):
    """S2-103"""
    said = user.types("hook", "new", "mine", "--event", "PreAbilityCall", "--blocking").out
    assert "synaptic hook test mine" in said and "after you have changed it: synaptic trust" in said
    script = user.project / "scripts/hooks/mine.py"
    script.write_text(script.read_text().replace("result = {}", "result = {'error': 'no'}"))
    untrusted = user.runs("emit", "PreAbilityCall", stdin='{"ability_id": "a"}')
    assert untrusted.code == 0 and untrusted.json == {}
    user.types("trust", "--yes")
    assert user.runs("emit", "PreAbilityCall", stdin='{"ability_id": "a"}').code == 2


def test_a_file_in_the_way_of_the_stub_is_not_trusted_with_it(user: User):
    """Law: only a person says yes. What stands beside the new file was not written by this command."""
    planted = user.writes("scripts/hooks/json.py", "raise SystemExit('planted')\n")
    shown = user.types("hook", "new", "mine", "--event", "PreAbilityCall", "--json").json
    assert shown["trusted"] is False and "synaptic trust" in shown["warnings"][0]
    assert [one["id"] for one in user.types("trust", "--json").json["untrusted"]] == ["mine"]
    planted.unlink()


def test_a_file_that_is_exchanged_meanwhile_is_not_trusted(user: User, monkeypatch: pytest.MonkeyPatch):
    """Law: only a person says yes."""

    def write_and_lose(*given: object) -> scaffold.WrittenHook:
        written = scaffold_hook(*given)
        (user.project / written.script).write_text("#!/bin/sh\ntouch owned\n")
        return written

    scaffold_hook = scaffold.scaffold_hook
    monkeypatch.setattr("synaptic.cli.hook.scaffold_hook", write_and_lose)
    shown = user.types("hook", "new", "mine", "--event", "PreAbilityCall", "--json").json
    assert shown["trusted"] is False
    user.runs("emit", "PreAbilityCall", stdin='{"ability_id": "a"}')
    assert not (user.project / "owned").exists()


def test_below_an_agent_nothing_is_written_and_nothing_trusted(user: User):
    """Law: only a person says yes."""
    done = subprocess.run(
        [sys.executable, "-m", "synaptic.cli.main", "hook", "new", "mine", "--event", "PreAbilityCall"],
        env={**os.environ, "CLAUDECODE": "1"},
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == 3 and not (user.project / ".system").exists()
    assert user.types("trust", "--list", "--json").json["trusted"] == []


def test_where_nothing_can_be_remembered_the_hook_is_written_and_told_as_untrusted(user: User):
    user.home.root.mkdir(parents=True)
    user.home.database.mkdir()
    shown = user.types("hook", "new", "mine", "--event", "PreAbilityCall", "--json")
    assert shown.code == 0 and shown.json["trusted"] is False
    assert "synaptic trust" in shown.json["warnings"][0] and (user.project / "scripts/hooks/mine.py").exists()


def test_a_package_of_modules_is_warned_about(user: User):
    """S2-103"""
    user.writes("package.json", '{"type": "module"}')
    words = ("hook", "new", "--event", "PreAbilityCall", "--json", "--language")
    assert "Node 22.18" in user.types(*words, "typescript", "one").json["warnings"][0]
    assert user.types(*words, "python", "two").json["warnings"] == []


def test_a_list_shows_what_each_hook_waits_for(user: User):
    """S2-027: id, event, state, blocking and match, also of what is switched off."""
    match = "match: {ability_scope: [db.*, 'x'], min_duration_ms: 5}\n"
    text = "event_type: [PostAbilityCall, SessionStop]\nhandler: {kind: script, command: ./x.sh}\n"
    user.writes("x.sh", "#!/bin/sh\n", 0o755)
    user.writes(".system/hooks/one.yaml", f"id: one\n{text}{match}")
    user.writes(".system/hooks/quiet.yaml", f"id: quiet\nenabled: false\nblocking: true\n{text}{match}")
    user.writes(".system/hooks/odd.yaml", "id: odd\nenabled: false\nevent_type: 3\nmatch: [1]\n")
    user.writes(".system/hooks/tools.yaml", f"id: tools\n{text}match: {{tool: [Write, Edit]}}\n")
    found = {one["id"]: one for one in user.types("hook", "list", "--json").json["hooks"]}
    wanted = {"ability_scope": ["db.*", "x"], "min_duration_ms": 5}
    assert (found["one"]["match"], found["one"]["awaited"], found["one"]["matcher"]) == (wanted, True, "")
    assert (found["quiet"]["match"], found["quiet"]["blocking"], found["quiet"]["enabled"]) == (wanted, True, False)
    assert found["quiet"]["events"] == ["PostAbilityCall", "SessionStop"]
    assert (found["tools"]["match"], found["tools"]["matcher"]) == ({}, "Write|Edit")
    head, *rows = user.types("hook", "list").out.splitlines()
    assert head.split() == ["ID", "EVENTS", "STATE", "BLOCKING", "MATCH", "SOURCE"]
    shown = {row.split()[0]: row for row in rows}
    for name in ("one", "quiet"):
        assert "ability_scope=db.*,x min_duration_ms=5" in shown[name] and "PostAbilityCall,SessionStop" in shown[name]
    assert "matcher=Write|Edit" in shown["tools"]

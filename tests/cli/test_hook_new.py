"""Hooks written, listed and tried."""

from tests.cli.conftest import User


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

"""YAML hooks for an orchestrator, and their faults before a session finds them."""

import json

import pytest

from tests.cli.conftest import User

DEFINITION = """\
id: {id}
event_type: PostAbilityCall
enabled: {enabled}
summary: an example
handler: {{kind: script, command: "./scripts/{id}.sh"}}
blocking: false
match: {{ability_scope: "db.*"}}
{more}
"""


def declare(user: User, name: str, enabled: str = "true", more: str = "") -> None:
    user.writes(f".system/hooks/{name}.yaml", DEFINITION.format(id=name, enabled=enabled, more=more))
    user.writes(f"scripts/{name}.sh", "#!/bin/sh\n", 0o755)


def test_registration_is_json_by_event(user: User):
    """S2-020, S2-021, S2-023: id and handler by event; a switched off hook is absent; a broken one is reported."""
    declare(user, "second")
    declare(user, "first")
    declare(user, "off", enabled="false")
    user.writes(".system/hooks/broken.yaml", "id: [")
    shown = user.types("hook", "register")
    assert json.loads(shown.out) == {
        "PostAbilityCall": [
            {"id": "first", "handler": {"kind": "script", "command": "./scripts/first.sh"}},
            {"id": "second", "handler": {"kind": "script", "command": "./scripts/second.sh"}},
        ]
    }
    assert "broken.yaml" in shown.err


def test_an_environment_can_switch_a_hook_on(user: User, monkeypatch: pytest.MonkeyPatch):
    """S2-022"""
    declare(user, "build", enabled="false", more="environments: {dev: true}")
    assert json.loads(user.types("hook", "register").out) == {}
    monkeypatch.setenv("SYNAPTIC_ENV", "dev")
    assert "build" in user.types("hook", "register").out


def test_the_extended_form_is_enough_to_run(user: User):
    """S2-024"""
    declare(user, "one")
    entry = json.loads(user.types("hook", "register", "--extended").out)["PostAbilityCall"][0]
    assert entry["match"] == {"ability_scope": "db.*"}
    assert entry["blocking"] is False


def test_registering_again_sees_an_edit(user: User):
    """S2-025"""
    declare(user, "one")
    user.types("hook", "register")
    declare(user, "one", enabled="false")
    assert json.loads(user.types("hook", "register").out) == {}


def test_validate_accepts_what_runs(user: User):
    """S2-026"""
    declare(user, "one")
    shown = user.types("hook", "validate")
    assert (shown.code, shown.out) == (0, "1 hooks are valid\n")


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (lambda user: (user.project / "scripts/one.sh").unlink(), "is missing"),
        (lambda user: (user.project / "scripts/one.sh").chmod(0o644), "is not executable"),
        (lambda user: (user.project / "scripts/one.sh").write_text("#!/no/such/shell\n"), "asks for /no/such/shell"),
        (lambda user: (user.project / "scripts/one.sh").write_text("#!/usr/bin/env nosuchprogram\n"), "nosuchprogram"),
        (lambda user: user.writes(".system/hooks/two.yaml", "id: two\nevent_type: Nonsense\n"), "two.yaml"),
    ],
)
def test_validate_fails_with_a_message_for_each_fault(user: User, fault, words):
    """S2-026: caught here, not in a session."""
    declare(user, "one")
    fault(user)
    shown = user.types("hook", "validate")
    assert shown.code == 1
    assert words in shown.err
    assert user.types("hook", "validate", "--json").json["ok"] is False

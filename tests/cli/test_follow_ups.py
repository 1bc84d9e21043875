"""The queue of actions, in front of a person and of an agent."""

import json

import pytest

from tests.cli.conftest import User

ACTIONS = [
    {"kind": "open_file", "path": "a.ts"},
    {"kind": "run_command", "payload": {"command": "touch ran"}},
    {"kind": "create_task", "payload": {"title": "write tests"}},
]


@pytest.fixture
def asked(user: User) -> User:
    """A hook has asked for three things."""
    user.configures('trust = "all"\n')
    user.writes("a.ts", "x")
    answer = json.dumps({"follow_up_actions": ACTIONS})
    user.writes("scripts/ask.sh", f"#!/bin/sh\ncat >/dev/null\necho '{answer}'\n", 0o755)
    definition = {"id": "ask", "event_type": "SessionStop", "blocking": True}
    handler = {"kind": "script", "command": "./scripts/ask.sh"}
    user.writes(".system/hooks/ask.yaml", json.dumps({**definition, "handler": handler}))
    shown = user.runs("emit", "SessionStop", stdin="{}")
    assert len(shown.json["follow_up_actions"]) == 3, shown
    return user


def test_what_hooks_ask_for_waits_and_nothing_is_run(asked: User):
    """S2-064, S2-065"""
    waiting = asked.types("follow-ups", "list", "--json").json["follow_ups"]
    assert [one["kind"] for one in waiting] == ["open_file", "run_command", "create_task"]
    assert waiting[0]["payload"] == {"path": "a.ts"}
    assert not (asked.project / "ran").exists()


def test_a_command_needs_a_yes_and_never_an_agent_s(asked: User, monkeypatch: pytest.MonkeyPatch):
    """S2-065"""
    number = str(asked.types("follow-ups", "list", "--json").json["follow_ups"][1]["id"])
    assert "only after a yes" in asked.runs("follow-ups", "run", number).err
    agent = asked.runs("follow-ups", "run", number, "--yes", CLAUDECODE="1")
    assert agent.code == 3 and "an agent may not" in agent.err
    assert not (asked.project / "ran").exists()
    for name in ("CLAUDECODE",):
        monkeypatch.delenv(name, raising=False)
    assert asked.runs("follow-ups", "run", number, "--yes").code == 0
    assert (asked.project / "ran").exists()
    assert "no action" in asked.runs("follow-ups", "run", number, "--yes").err


def test_a_file_is_named_and_an_action_dropped(asked: User):
    first, _, third = asked.types("follow-ups", "list", "--json").json["follow_ups"]
    assert asked.types("follow-ups", "run", str(first["id"])).out.strip().endswith("/a.ts")
    assert asked.types("follow-ups", "drop", str(third["id"])).code == 0
    assert len(asked.types("follow-ups", "list", "--json").json["follow_ups"]) == 1
    assert len(asked.types("follow-ups", "list", "--all", "--json").json["follow_ups"]) == 3

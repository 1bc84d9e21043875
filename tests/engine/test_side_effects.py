"""What an event sets off."""

import json
import sys
from pathlib import Path

import pytest

from synaptic.engine.side_effects import start_background
from synaptic.model.call import Call
from synaptic.model.effect import AppendLine
from synaptic.model.errand import Alert, RunTests
from synaptic.model.event import Notification
from synaptic.model.home import Home
from synaptic.runners.base import Invocation

CALL = Call("c1", "claude", Notification(session_id="s1"), {}, root="/p")
RUN = RunTests(name="pytest", argv=("/v/pytest",), cwd="/p", timeout=60, debounce=2, cooldown=10)


class Runners:
    """Notes what would be launched."""

    def __init__(self) -> None:
        self.started: list[Invocation] = []

    def start(self, invocation: Invocation) -> None:
        self.started.append(invocation)


def started(*effects: object) -> list[Invocation]:
    runners = Runners()
    assert start_background(runners, Home(Path("/h")), CALL, effects) == ()  # type: ignore[arg-type]
    return runners.started


def test_a_test_run_has_time_for_its_own_waiting():
    (invocation,) = started(AppendLine("/x", "y"), RUN)
    assert (invocation.hook.id, invocation.hook.blocking) == ("practice.test-runner", False)
    assert invocation.timeout == 102
    argv = invocation.hook.handler.argv  # type: ignore[union-attr]
    assert argv[-3:-1] == ("/h", "/p")
    assert json.loads(argv[-1])["argv"] == ["/v/pytest"]


def test_only_a_mac_has_alerts(monkeypatch: pytest.MonkeyPatch):
    """S4-170"""
    alert = Alert("Agent", 'May I "run"?', "Ping")
    monkeypatch.setattr(sys, "platform", "linux")
    assert started(alert) == []
    monkeypatch.setattr(sys, "platform", "darwin")
    (invocation,) = started(alert)
    assert invocation.hook.handler.argv[-3:] == ("Agent", 'May I "run"?', "Ping")  # type: ignore[union-attr]

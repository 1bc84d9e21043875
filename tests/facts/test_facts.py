import asyncio
from pathlib import Path

import pytest

from synaptic.engine.check import Checker
from synaptic.facts.gather import EngineMeans, find_gatherers, gather_facts
from synaptic.model.call import Call
from synaptic.model.event import PreToolUse
from synaptic.model.home import Home
from synaptic.model.state import Change
from synaptic.policies.facts import Facts
from synaptic.runners.execute import HookRunners
from synaptic.shell import reading
from synaptic.shell.read.script import Script
from synaptic.store import state
from synaptic.store.db import Store
from tests.lib.shell import repository


def call() -> Call:
    event = PreToolUse(hook_event_name="PreToolUse", session_id="s", tool_name="Bash")
    return Call("c", "claude", event, {}, root="/p", at=5.0, env={"HOME": "/home/u"})


def test_every_gatherer_is_a_field_of_facts() -> None:
    assert set(find_gatherers()) <= set(Facts.__struct_fields__)


def test_only_what_is_needed_is_gathered(tmp_path: Path) -> None:
    store = Store.open(Home(tmp_path))
    means = EngineMeans(store, HookRunners(tmp_path / "spool"))
    state.write_change(store, state.SectionOwner("/p", "s"), Change(section="session:edits", put={"count": 3}))
    plain = asyncio.run(gather_facts(call(), frozenset(), means))
    assert plain == Facts(root="/p", home="/home/u", now=5.0)
    asked = asyncio.run(gather_facts(call(), frozenset({"session:edits", "extra_roots"}), means))
    assert asked.state.read_number("session:edits", "count") == 3
    assert asked.extra_roots == ()


def test_a_command_is_read_once_for_all_gatherers_and_policies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def counted(text: str, cwd: str, home: str, is_powershell: bool) -> Script:
        read.append(text)
        return read_safely(text, cwd, home, is_powershell)

    read_safely = reading.read_safely
    monkeypatch.setattr(reading, "read_safely", counted)
    home = Home(tmp_path / ".synaptic")
    home.root.mkdir()
    home.config.write_text('presets = ["strict"]\n')
    command = "cd sub && timeout 5 git commit -m x > log"
    question = {"tool_name": "Bash", "tool_input": {"command": command}, "cwd": str(repository(tmp_path / "p"))}
    asyncio.run(Checker(home).decide(question))
    assert read == [command]


def test_a_call_without_a_command_has_no_reading(tmp_path: Path) -> None:
    means = EngineMeans(Store.open(Home(tmp_path)), HookRunners(tmp_path / "spool"))
    assert asyncio.run(gather_facts(call(), frozenset(), means)).command is None

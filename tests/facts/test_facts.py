import asyncio
from pathlib import Path

from synaptic.facts.gather import EngineMeans, gather, gatherers
from synaptic.model.call import Call
from synaptic.model.event import PreToolUse
from synaptic.model.home import Home
from synaptic.model.state import Change
from synaptic.policies.facts import Facts
from synaptic.runners.execute import Runners
from synaptic.store import state
from synaptic.store.db import Store


def call() -> Call:
    event = PreToolUse(hook_event_name="PreToolUse", session_id="s", tool_name="Bash")
    return Call("c", "claude", event, {}, root="/p", at=5.0, env={"HOME": "/home/u"})


def test_every_gatherer_is_a_field_of_facts() -> None:
    assert set(gatherers()) <= set(Facts.__struct_fields__)


def test_only_what_is_needed_is_gathered(tmp_path: Path) -> None:
    store = Store.open(Home(tmp_path))
    means = EngineMeans(store, Runners(tmp_path / "spool"))
    state.write(store, state.Owner("/p", "s"), Change(section="session:edits", put={"count": 3}))
    plain = asyncio.run(gather(call(), frozenset(), means))
    assert plain == Facts(root="/p", home="/home/u", now=5.0)
    asked = asyncio.run(gather(call(), frozenset({"session:edits", "extra_roots"}), means))
    assert asked.state.number("session:edits", "count") == 3
    assert asked.extra_roots == ()

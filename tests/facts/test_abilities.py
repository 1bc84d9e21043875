"""Facts about abilities."""

import asyncio
from pathlib import Path

from synaptic.facts import abilities
from synaptic.facts.gather import EngineMeans
from synaptic.model.call import Call
from synaptic.model.event import PostAbilityCall, PreToolUse, UserPromptSubmit
from synaptic.model.home import Home
from synaptic.runners.execute import HookRunners
from synaptic.store.db import Store


def test_each_event_gets_what_concerns_it(tmp_path: Path):
    (tmp_path / "r").mkdir()
    (tmp_path / "r/ABILITY.md").write_text("## cake_oven\n\nBake a cake.\n")
    store = Store.open(Home(tmp_path / "home"))
    means = EngineMeans(store, HookRunners(tmp_path / "spool"))
    prompt = Call("1", "claude", UserPromptSubmit(prompt="bake me a cake"), {"x": 1}, root=str(tmp_path / "r"))
    tool = Call("1", "claude", PreToolUse(tool_name="Bash"), {}, root=str(tmp_path / "r"))
    called = Call("1", "claude", PostAbilityCall(ability_id="a"), {}, root=str(tmp_path / "r"))
    assert [one.id for one in asyncio.run(abilities.gather_suggestions(prompt, means))] == ["cake_oven"]
    assert asyncio.run(abilities.gather_suggestions(tool, means)) == ()
    assert asyncio.run(abilities.gather_payload(prompt, means)) == {"x": 1}
    assert (
        asyncio.run(abilities.gather_ability_calls(called, means))
        == asyncio.run(abilities.gather_ability_calls(tool, means))
        == 0
    )
    store.close()

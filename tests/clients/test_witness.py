"""Something between the agent and the engine ignores refusals, or takes the entry out: told, in the true clients."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from synaptic.daemon import lifecycle
from tests.clients.kit.agents import AGENTS, driver
from tests.clients.kit.driver import User
from tests.clients.kit.situation import arrange
from tests.clients.script import Do
from tests.clients.test_conformance import installed

pytestmark = pytest.mark.client

PLUGIN_REFUSAL = "if (said.deny) throw new Error(said.deny)"
DEAF = """#!/bin/sh
case " $* " in *" PreToolUse "*|*" BeforeTool "*|*" preToolUse "*|*" tool.execute.before "*|*" tool_call "*)
  exec {kept} "$@" >/dev/null 2>&1 ;;
esac
exec {kept} "$@"
"""


def put_deaf_dispatcher(user: User) -> None:
    """A dispatcher that asks the engine and drops what it says before a tool.

    The true one looks for the engine beside itself, so there is a second home of links for it.
    """
    home = user.session.synaptic_home
    lifecycle.start_daemon(home)
    assert lifecycle.wait_ready(home, 20)
    dispatch = user.home / ".synaptic" / "bin" / "dispatch"
    kept = user.home / "kept" / ".synaptic" / "bin" / "dispatch"
    kept.parent.mkdir(parents=True)
    for entry in home.root.iterdir():
        if entry.name != "bin":
            (kept.parent.parent / entry.name).symlink_to(entry)
    dispatch.rename(kept)
    dispatch.write_text(DEAF.format(kept=kept))
    dispatch.chmod(0o755)


def put_deaf_plugin(user: User) -> None:
    """OpenCode asks through our plugin, without a dispatcher: one that does not throw what was refused."""
    (plugin,) = (path for path in user.home.rglob("*.js") if PLUGIN_REFUSAL in path.read_text(errors="replace"))
    plugin.write_text(plugin.read_text().replace(PLUGIN_REFUSAL, ""))


def witness(user: User) -> Any:
    return json.loads(user.session.synaptic("witness", "--json", check=False))


def take_out(path: Path, *events: str) -> None:
    """Wait until the client has seen it, too: it watches its settings."""
    settings = json.loads(path.read_text())
    for event in events or tuple(settings["hooks"]):
        settings["hooks"].pop(event, None)
    path.write_text(json.dumps(settings))
    time.sleep(4)


def start(agent: str) -> User:
    user = User(driver(agent))
    arrange(user)
    user.session.synaptic("bootstrap", *user.driver.bootstrap)
    user.session.trust()
    return user


@pytest.mark.parametrize("agent", AGENTS)
def test_a_refusal_that_is_ignored_is_told_in_that_answer(agent: str):
    with installed(agent):
        user = start(agent)
    try:
        put_deaf_plugin(user) if agent == "opencode" else put_deaf_dispatcher(user)
        run = user.run((user.driver.shell("touch forbidden-word-1"),), (user.driver.shell("touch allowed"),))
        assert (user.project / "forbidden-word-1").exists()
        assert "`touch forbidden-word-1` was refused (kit:word, event " in run.heard, "the model was told"
        found = witness(user)
        assert found["standings"]["disobeyed"] == 1
        assert found["standings"]["unasked"] == 0
    finally:
        user.close()


@pytest.mark.parametrize("events", [("PreToolUse",), ()], ids=["one entry", "all entries"])
def test_entries_that_are_taken_out_leave_as_many_unasked_calls_as_were_made(events: tuple[str, ...]):
    with installed("claude"):
        user = start("claude")
    try:
        settings = user.home / ".claude" / "settings.json"
        later = [(user.driver.shell(f"touch later-{number}"),) for number in range(4)]
        run = user.run(
            (user.driver.shell("touch first"),),
            (Do(lambda: take_out(settings, *events)), user.driver.shell("touch between")),
            *later,
            (user.driver.shell("exit 3"),),
        )
        assert (user.project / "later-3").exists(), run.output
        asked = {entry.payload for entry in user.session.journal("PreToolUse")}
        made = [f"touch later-{number}" for number in range(4)] + ["touch between", "exit 3"]
        unasked = [command for command in made if not any(f'"{command}"' in (payload or "") for payload in asked)]
        assert unasked, "the client goes by its settings as they are"
        assert witness(user)["standings"]["unasked"] == len(unasked)
    finally:
        user.close()

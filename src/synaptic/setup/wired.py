"""Which agents have entries of ours: those on record, and for one event whether its entry is truly there."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from synaptic.agents.base import Agent, SettingsFile, UserEnvironment
from synaptic.agents.shared.discover import find_agent
from synaptic.agents.shared.ours import Plan
from synaptic.agents.shared.settings import found
from synaptic.files.replace import read
from synaptic.model.call import Call
from synaptic.model.errors import SettingsError
from synaptic.model.home import Home
from synaptic.setup import record

ANY_TOKEN = "0" * 32


def wired(home: Home) -> frozenset[str]:
    """Every agent that has entries of ours. Cheap enough for an event: the record is read again when it changed."""
    return frozenset(_marked(home).values())


def speaks_for_itself(home: Home, call: Call) -> bool:
    """Whether a call comes through an entry of the agent's own too: on record, and there now, where the agent looks."""
    marked = _marked(home)
    if call.agent not in marked.values() or not call.env.get("HOME"):
        return False
    agent = find_agent(call.agent)
    files = agent.entries(UserEnvironment(Path(call.env["HOME"]), call.env), Plan(str(home.dispatch), ANY_TOKEN))
    own = (file for file in files if marked.get(str(file.path)) == call.agent)
    return any(call.event.hook_event_name in _events(agent, file) for file in own)


def _events(agent: Agent, file: SettingsFile) -> set[str]:
    """The events for which an entry of ours is in a file; none when it cannot be read."""
    try:
        names = found((read(file.path) or b"").decode(), file.wanted)
    except (SettingsError, UnicodeDecodeError):
        return set()
    return {agent.adapter.canonical(name) for name in names}


def _marked(home: Home) -> Mapping[str, str]:
    """Path of every file with something of ours, and whose it is."""
    try:
        seen = record.record_file(home).stat()
    except OSError:
        return {}
    return _recorded(str(home.root), (seen.st_mtime_ns, seen.st_size, seen.st_ino))


@lru_cache(maxsize=8)
def _recorded(root: str, _: tuple[int, int, int]) -> Mapping[str, str]:
    return {path: mark.agent for path, mark in record.load(Home(Path(root))).settings.items()}

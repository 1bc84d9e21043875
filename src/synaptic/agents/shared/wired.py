"""Find which agents have entries of ours, by the record, and for one event by the agent's file itself."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from synaptic.agents.base import Agent, SettingsFile, UserEnvironment, Variables
from synaptic.agents.shared import record
from synaptic.agents.shared.discover import find_agent
from synaptic.agents.shared.ours import EntryPlan
from synaptic.agents.shared.settings import find_entries
from synaptic.files.replace import read_file
from synaptic.model.call import Call
from synaptic.model.environment import PLUGIN_VARIABLE
from synaptic.model.errors import SettingsError
from synaptic.model.home import Home

ANY_TOKEN = "0" * 32


def list_wired_agents(home: Home) -> frozenset[str]:
    """List the agents that have entries of ours. Cheap: the record is read again only when it changed."""
    return frozenset(_read_marked(home).values())


def has_own_entry(home: Home, call: Call) -> bool:
    """Whether the agent has its own entry for this event, on record and in its file now; else it runs Claude's."""
    marked = _read_marked(home)
    if call.agent not in marked.values() or not call.env.get("HOME"):
        return False
    agent = find_agent(call.agent)
    files = agent.iter_settings_files(
        UserEnvironment(Path(call.env["HOME"]), call.env), EntryPlan(str(home.dispatch), ANY_TOKEN)
    )
    own = (file for file in files if marked.get(str(file.path)) == call.agent)
    return any(call.event.hook_event_name in _read_events(agent, file) for file in own)


def _read_events(agent: Agent, file: SettingsFile) -> set[str]:
    """Read the events for which a file has an entry of ours; none when it cannot be read."""
    try:
        names = find_entries((read_file(file.path) or b"").decode(), file.wanted)
    except (SettingsError, UnicodeDecodeError):
        return set()
    return {agent.adapter.to_canonical(name) for name in names}


def _read_marked(home: Home) -> Mapping[str, str]:
    """Read path and agent of every file with something of ours."""
    try:
        seen = record.locate_record(home).stat()
    except OSError:
        return {}
    # The stat is part of the cache's key: a changed record is a new key.
    return _load_marked(str(home.root), (seen.st_mtime_ns, seen.st_size, seen.st_ino))


@lru_cache(maxsize=8)
def _load_marked(root: str, _: tuple[int, int, int]) -> Mapping[str, str]:
    return {path: mark.agent for path, mark in record.load_record(Home(Path(root))).settings.items()}


def lacks_own_entry(home: Home, agent: str, env: Variables, event: str) -> bool:
    """Whether bootstrap has wired the agent, and its settings have no entry of ours for the event any more.

    False wherever this is not certain: a plugin or an SDK asks as well, another file counts now, it cannot be read, it
    holds no settings.
    """
    marked = {path for path, name in _read_marked(home).items() if name == agent}
    if not marked or not env.get("HOME") or env.get(PLUGIN_VARIABLE):
        return False
    known = find_agent(agent)
    environment = UserEnvironment(Path(env["HOME"]), env)
    files = list(known.iter_settings_files(environment, EntryPlan(str(home.dispatch), ANY_TOKEN)))
    if {str(file.path) for file in files} != marked:
        return False
    try:
        texts = [read_file(file.path) for file in files]
        if b"" in texts:  # somebody is about to write it
            return False
        found = [find_entries((text or b"{}").decode(), file.wanted) for text, file in zip(texts, files, strict=True)]
    except (OSError, SettingsError, UnicodeDecodeError):
        return False
    names = {known.adapter.to_canonical(name) for events in found for name in events}
    return event not in names

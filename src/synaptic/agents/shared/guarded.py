"""The files of agents that decide whether the engine is called: where entries and switches are, wherever that is.

Derived from what bootstrap writes and doctor looks at, so that no agent can be told without its files being guarded.
"""

import os
from functools import cache, lru_cache
from pathlib import Path

import msgspec

from synaptic.agents.base import Agent, UserEnvironment, Variables
from synaptic.agents.shared.discover import find_agent, load_agents
from synaptic.agents.shared.ours import EntryPlan

ANYWHERE = UserEnvironment(Path("/"))
ANY_PLAN = EntryPlan("/dispatch", "0" * 32)


class GuardedPaths(msgspec.Struct, frozen=True):
    """Files and folders that are not to be changed, and the folders around them, which are not to be taken away."""

    folders: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


NO_GUARDED_PATHS = GuardedPaths()


@cache
def list_guarded_names(agent: str) -> tuple[str, ...]:
    """What is guarded in one agent's folder; a folder stands for everything in it."""
    return _collect_guarded_names(find_agent(agent))


@cache
def find_usual_paths() -> GuardedPaths:
    """What is guarded below a home folder when no variable moves anything."""
    folders = tuple(agent.folder.usual_path for agent in load_agents())
    files = (f"{agent.folder.usual_path}/{name}" for agent in load_agents() for name in list_guarded_names(agent.name))
    return GuardedPaths(folders, tuple(files))


@cache
def list_moving_variables() -> tuple[str, ...]:
    """Every variable that moves a file of an agent."""
    return tuple(dict.fromkeys(name for agent in load_agents() for name in agent.variables))


@lru_cache(maxsize=64)
def find_moved_paths(variables: tuple[tuple[str, str], ...]) -> GuardedPaths:
    """Guarded paths where variables moved them, both as the variable spells them and with links resolved."""
    # Policies get this for every call, so it is cached by the few variables that matter, not by the environment.
    known = dict(variables)
    folders: dict[str, None] = {}
    files: dict[str, None] = {}
    for agent in load_agents():
        names = list_guarded_names(agent.name)
        for folder in _find_moved_folders(agent, known):
            folders[folder] = None
            files.update(dict.fromkeys(f"{folder}/{name}" for name in names))
        named = (known.get(variable, "") for variable in agent.named_files)
        files.update(dict.fromkeys(path for name in named for path in _list_spellings(name)))
    return GuardedPaths(tuple(folders), tuple(files))


def _collect_guarded_names(agent: Agent) -> tuple[str, ...]:
    """Entries, switches, agreements and what else the agent names; what is in a guarded folder goes without saying."""
    folder = ANYWHERE.home / agent.folder.usual_path
    written = (file.path for file in agent.list_files(ANYWHERE, ANY_PLAN))
    below = [path.relative_to(folder).as_posix() for path in written if path.is_relative_to(folder)]
    agreed = [agent.agreement.file] if agent.agreement else []
    names = dict.fromkeys([*agent.guards, *below, *(switch.file for switch in agent.switches), *agreed])
    return tuple(name for name in names if not any(name.startswith(f"{guard}/") for guard in agent.guards))


def _find_moved_folders(agent: Agent, variables: Variables) -> tuple[str, ...]:
    return tuple(
        os.path.normpath(f"{folder}/{agent.folder.below}")
        for folder in _list_spellings(agent.folder.read_named_folder(variables))
    )


def _list_spellings(path: str) -> tuple[str, ...]:
    """A path as it is written and behind its links: a command may name it either way.

    Nothing for a relative one: where it starts from is known to the agent alone.
    """
    if not path.startswith("/"):
        return ()
    return tuple(dict.fromkeys((os.path.normpath(path), os.path.realpath(path))))

"""Where agents keep their settings when variables have moved them."""

from collections.abc import Mapping

from synaptic.agents.shared.guarded import NO_GUARDED_PATHS, GuardedPaths, find_moved_paths, list_moving_variables
from synaptic.facts.gather import EngineMeans, Gatherer
from synaptic.model.call import Call


def gather_moved_settings(call: Call, means: EngineMeans) -> GuardedPaths:
    """The settings of every agent that the environment of this call moves."""
    env = call.env
    moved = tuple((name, env[name]) for name in list_moving_variables() if name in env)
    return find_moved_paths(moved) if moved else NO_GUARDED_PATHS


FACTS: Mapping[str, Gatherer] = {"moved_settings": gather_moved_settings}

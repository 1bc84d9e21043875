"""Where agents keep their settings when variables have moved them."""

from collections.abc import Mapping

from synaptic.agents.shared.guarded import NOWHERE, GuardedPaths, moved_paths, moving_variables
from synaptic.facts.gather import EngineMeans, Gatherer
from synaptic.model.call import Call


async def moved_settings(call: Call, means: EngineMeans) -> GuardedPaths:
    """The settings of every agent that the environment of this call moves."""
    env = call.env
    moved = tuple((name, env[name]) for name in moving_variables() if name in env)
    return moved_paths(moved) if moved else NOWHERE


FACTS: Mapping[str, Gatherer] = {"moved_settings": moved_settings}

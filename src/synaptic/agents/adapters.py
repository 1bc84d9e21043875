"""The adapter of an agent by its name, imported when it is first asked for: one agent never loads the others."""

from functools import cache
from importlib import import_module

from synaptic.agents.base import Adapter
from synaptic.model.errors import PayloadError

AGENTS = ("claude", "codex", "gemini", "copilot", "droid", "qwen", "opencode", "cline", "cursor", "amp")
OWN = "synaptic"
"""The dialect of ability orchestrators, which is ours."""
MODULES = {**{agent: f"synaptic.agents.{agent}" for agent in AGENTS}, OWN: "synaptic.agents.ability"}
"""Each module keeps its adapter in `ADAPTER`."""


def agents() -> tuple[str, ...]:
    """Every agent that is known."""
    return tuple(MODULES)


@cache
def adapter(agent: str) -> Adapter:
    """The adapter of an agent; raises PayloadError for a name nobody knows."""
    if agent not in MODULES:
        raise PayloadError(f"agent {agent!r} is not known", where="dispatch", hint=f"known: {', '.join(MODULES)}")
    found: Adapter = import_module(MODULES[agent]).ADAPTER
    return found

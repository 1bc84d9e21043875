"""Finds agents by the names of their modules. One is imported when it is first asked for: one never loads the others.

There is no list to add to: every module, or folder, of the package `agents` is an agent, but for the contract and
what they share.
"""

import pkgutil
from functools import cache
from importlib import import_module

import synaptic.agents
from synaptic.agents.base import Adapter, Agent
from synaptic.model.errors import PayloadError

CLAUDE_NAME = "claude"
"""Who is meant when nobody is named; its entries are run by others too."""
OWN_NAME = "synaptic"
"""The dialect of ability orchestrators, which is ours."""
NOT_AGENTS = frozenset({"base", "shared"})


@cache
def list_agent_names() -> tuple[str, ...]:
    """Every agent, in the order in which they are shown: Claude Code, then by name. None of them is imported."""
    found = {module.name for module in pkgutil.iter_modules(synaptic.agents.__path__)} - NOT_AGENTS
    return tuple(sorted(found, key=lambda name: (name != CLAUDE_NAME, name)))


@cache
def find_agent(name: str) -> Agent:
    """An agent by its name; raises PayloadError for a name nobody knows."""
    if name not in list_agent_names():
        raise _make_unknown_error(name)
    # Imported by name on demand: an event of one agent must not pay for loading the others.
    found: Agent = import_module(f"synaptic.agents.{name}").AGENT
    return found


def has_dialect(name: str) -> bool:
    """Whether somebody of this name can be understood: an agent, or an orchestrator that speaks our own words."""
    return name == OWN_NAME or name in list_agent_names()


@cache
def find_adapter(name: str) -> Adapter:
    """The dialect of an agent, or our own; raises PayloadError for a name nobody knows."""
    if name == OWN_NAME:
        own: Adapter = import_module("synaptic.agents.shared.own_dialect").ADAPTER
        return own
    return find_agent(name).adapter


@cache
def load_agents() -> tuple[Agent, ...]:
    """Every agent. This imports all of them."""
    return tuple(map(find_agent, list_agent_names()))


def find_by_program(program: str) -> Agent | None:
    """The agent that a program's name starts. Most have the name of their program: then no other one is imported."""
    if program in list_agent_names() and program in find_agent(program).programs:
        return find_agent(program)
    return next((agent for agent in load_agents() if program in agent.programs), None)


@cache
def order_by_sign() -> tuple[Agent, ...]:
    """Every agent, those that set the variables of another one before it."""
    return tuple(
        sorted(load_agents(), key=lambda one: (one.name != CLAUDE_NAME, one.imitates or one.name, not one.imitates))
    )


def _make_unknown_error(name: str) -> PayloadError:
    known = ", ".join((*list_agent_names(), OWN_NAME))
    return PayloadError(f"agent {name!r} is not known", where="dispatch", hint=f"known: {known}")

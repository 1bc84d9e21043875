"""Whether a person typed a command: some things an agent may ask for and not do."""

import os
import sys

from synaptic.agents.base import Agent
from synaptic.agents.shared.discover import order_by_sign
from synaptic.cli import screen
from synaptic.model.errors import SynapticError


def find_agent_shell() -> tuple[Agent | None, str]:
    """Find the agent in whose shell this runs, and the variable that says so; None for a person's shell."""
    for agent in order_by_sign():
        for name in agent.shell_variables:
            if os.environ.get(name):
                return agent, name
    return None, ""


def is_at_terminal() -> bool:
    """Whether somebody can be asked here: neither what is read nor what is shown goes through a pipe."""
    return sys.stdin.isatty() and screen.is_terminal()


def require_person(what: str) -> None:
    """Refuse a command that only people may type: raises in the shell of an agent."""
    _, variable = find_agent_shell()
    if variable:
        raise SynapticError(f"an agent may not {what} ({variable} is set)", hint="type it in a terminal of your own")

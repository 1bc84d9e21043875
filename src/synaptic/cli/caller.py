"""Who types a command about efforts: a person at a terminal, or an agent in its own shell."""

import os
import sys
from datetime import datetime

from synaptic.agents.base import Agent
from synaptic.agents.shared.discover import order_by_sign
from synaptic.cli.place import CommandPlace
from synaptic.model.errors import LayerError
from synaptic.store.windows import WorkerIdentity
from synaptic.work.command import Caller, read_agent_name


def find_caller(place: CommandPlace) -> Caller:
    """Find who runs this command: project, folder, agent and session."""
    agent = _find_agent_shell()
    sessions = (os.environ.get(variable, "") for variable in (agent.session_variables if agent else ()))
    who = WorkerIdentity(
        agent=read_agent_name(os.environ),
        host=next(filter(None, sessions), ""),
        kind=agent.name if agent else "",
    )
    return Caller(root=place.root, cwd=place.cwd, who=who)


def _find_agent_shell() -> Agent | None:
    """Find the agent in whose shell this runs, by what it says itself: only a name in the records hangs on it."""
    shells = (agent for agent in order_by_sign() if any(map(os.environ.get, agent.shell_variables)))
    return next(shells, None)


def read_standard_input(limit: int) -> bytes:
    """Read stdin, at most one byte more than allowed, so that too much can be told. Raises LayerError at a terminal."""
    if sys.stdin.isatty():
        raise LayerError("VALIDATION_ERROR", "nothing on stdin", hint="pipe it in, or use <<'EOF' ... EOF")
    return sys.stdin.buffer.read(limit + 1)


def format_moment(at: float | None) -> str:
    """Format a time for a table."""
    return "" if at is None else datetime.fromtimestamp(at).strftime("%m-%d %H:%M")

"""Who types a command about efforts: a person at a terminal, or an agent in its own shell."""

import os
import sys
from datetime import datetime

from synaptic.cli.person import find_agent_shell
from synaptic.cli.place import CommandPlace
from synaptic.model.errors import LayerError
from synaptic.store.windows import WorkerIdentity
from synaptic.work.command import Caller, read_agent_name


def find_caller(place: CommandPlace) -> Caller:
    """Find who runs this command: project, folder, agent and session."""
    agent, _ = find_agent_shell()
    sessions = (os.environ.get(variable, "") for variable in (agent.session_variables if agent else ()))
    who = WorkerIdentity(
        agent=read_agent_name(os.environ),
        host=next(filter(None, sessions), ""),
        kind=agent.name if agent else "",
    )
    return Caller(root=place.root, cwd=place.cwd, who=who)


def read_standard_input(limit: int) -> bytes:
    """Read stdin, at most one byte more than allowed, so that too much can be told. Raises LayerError at a terminal."""
    if sys.stdin.isatty():
        raise LayerError("VALIDATION_ERROR", "nothing on stdin", hint="pipe it in, or use <<'EOF' ... EOF")
    return sys.stdin.buffer.read(limit + 1)


def format_moment(at: float | None) -> str:
    """Format a time for a table."""
    return "" if at is None else datetime.fromtimestamp(at).strftime("%m-%d %H:%M")

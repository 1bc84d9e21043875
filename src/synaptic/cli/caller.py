"""Who types a command about efforts: a person at a terminal, or an agent in its own shell."""

import os
import sys
from datetime import datetime

from synaptic.cli.person import AGENTS, agents_variable
from synaptic.cli.place import Here
from synaptic.model.errors import LayerError
from synaptic.store.windows import Who
from synaptic.work.command import Caller, read_agent_name

WINDOWS = ("CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID", "QWEN_CODE_SESSION_ID", "COPILOT_AGENT_SESSION_ID")
"""Variables in which agents tell their commands the id of the window, as it is in their events."""


def caller(place: Here) -> Caller:
    """The caller of the command that is running."""
    shell = agents_variable()
    who = Who(
        agent=read_agent_name(os.environ),
        host=next((os.environ[variable] for variable in WINDOWS if shell and os.environ.get(variable)), ""),
        kind=AGENTS.get(shell, ""),
    )
    return Caller(root=place.root, cwd=place.cwd, who=who)


def standard_input(limit: int) -> bytes:
    """What was piped in, one byte more than allowed at most. Raises LayerError where nobody has piped anything."""
    if sys.stdin.isatty():
        raise LayerError("VALIDATION_ERROR", "nothing on stdin", hint="pipe it in, or use <<'EOF' ... EOF")
    return sys.stdin.buffer.read(limit + 1)


def moment(at: float | None) -> str:
    """A time for a table."""
    return "" if at is None else datetime.fromtimestamp(at).strftime("%m-%d %H:%M")

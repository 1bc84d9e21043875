"""What an agent is called and where it can be seen: by the name it was given, else by its pane, never by a process."""

import os
import secrets
import time
from collections.abc import Mapping
from pathlib import Path

import msgspec

from synaptic.fleet.commands import read_program_name
from synaptic.fleet.tmux import TmuxError, TmuxServer
from synaptic.model.errors import SynapticError
from synaptic.store.agents import check_agent_name
from synaptic.store.layers import NO_AGENT_ID
from synaptic.store.lease import is_lease_held, locate_lease, take_lease
from synaptic.store.supervision import SupervisedAgent

LEASE_PROBES = 20
"""Who asks whether a lease is held has it for an instant, so one refusal proves nothing."""
PANE_NAME_FORMAT = "#{session_name}:#{window_index}.#{pane_index}"


class AgentIdentity(msgspec.Struct, frozen=True):
    """A name, and whether somebody chose it: one that was made up may be made up differently."""

    agent: str
    chosen: bool = True


def choose_identity(option: str, command: tuple[str, ...], environ: Mapping[str, str]) -> AgentIdentity:
    """The option, AGENT_ID, the tmux pane, or the program's name with something after it."""
    # Only the variable may hold the word for "no agent": who types that word as a name means it.
    given = option or environ.get("AGENT_ID", "")
    if given and (option or given != NO_AGENT_ID):
        return AgentIdentity(check_agent_name(given))
    return AgentIdentity(_ask_pane_name(environ) or make_up_name(read_program_name(command)), chosen=False)


def make_up_name(name: str) -> str:
    """Make up a name that nobody has, by a random suffix."""
    return f"{name}-{secrets.token_hex(3)}"


def claim_name(home_root: Path, identity: AgentIdentity) -> tuple[str, int]:
    """The agent's name and the lease that says it is supervised, held while the descriptor is open.

    A name that was made up and is taken gets something after it; one that was chosen is refused.
    """
    for _ in range(LEASE_PROBES):
        lease = take_lease(home_root, identity.agent)
        if lease is not None:
            return identity.agent, lease
        if not identity.chosen:
            # Passed on as chosen: with its random part it is free, and a second suffix would not help if it were not.
            return claim_name(home_root, AgentIdentity(make_up_name(identity.agent)))
        time.sleep(0.01)
    what = f"{identity.agent!r} is supervised already"
    raise SynapticError(what, where=str(locate_lease(home_root, identity.agent)), hint="give another name with --agent")


def find_outer_agent(home_root: Path, agent: str, environ: Mapping[str, str]) -> str:
    """Find the supervised agent from whose shell (and in whose pane) this one is started; usually empty."""
    name = environ.get("AGENT_ID", "")
    return name if name not in ("", NO_AGENT_ID, agent) and is_lease_held(home_root, name) else ""


def make_agent_variables(charge: SupervisedAgent) -> dict[str, str]:
    """Make the environment variables by which the events of this agent are recognised."""
    parent = {"AGENT_PARENT": charge.parent} if charge.parent else {}
    return {"AGENT_ID": charge.agent, **parent}


def read_pane(environ: Mapping[str, str]) -> str:
    """Server and pane: the server with its process, because another one counts its panes from the start."""
    server, pane = environ.get("TMUX", ""), environ.get("TMUX_PANE", "")
    # TMUX is `socket,pid,session`. Resolved and without the session, as the server names itself: they are compared.
    socket, _, rest = server.partition(",")
    return f"{os.path.realpath(socket)},{rest.partition(',')[0]}:{pane}" if socket and pane else ""


def _ask_pane_name(environ: Mapping[str, str]) -> str:
    socket, pane = environ.get("TMUX", "").partition(",")[0], environ.get("TMUX_PANE", "")
    if not (socket and pane):
        return ""
    try:
        return TmuxServer(("-S", socket)).run("display-message", "-p", "-t", pane, PANE_NAME_FORMAT)[0]
    except (TmuxError, IndexError):
        return ""

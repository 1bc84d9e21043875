"""The one function that answers who says yes, and how that is known: from the processes of this machine."""

import os
from pathlib import Path

from synaptic.agents.shared.callers import HookCallers
from synaptic.agents.shared.lineage import find_agent_above, identify_agent
from synaptic.agents.shared.processes import (
    ProcessInfo,
    TerminalPlace,
    is_root_process,
    iter_ancestors,
    iter_own_processes,
    read_arguments,
    read_name,
    read_place,
    read_program,
    reads_terminal,
)
from synaptic.agents.shared.seat import SeatSurroundings, SeenProcess, judge_seat
from synaptic.model.authority import Authority

TYPING_SWITCH = Path("/proc/sys/dev/tty/legacy_tiocsti")
"""Whether a program may put letters into its own terminal, as if they were typed."""


def find_authority(pid: int, callers: HookCallers) -> Authority:
    """Who a process is: below an agent, a person at a terminal, or nobody can tell."""
    if why := find_agent_above(pid, callers):
        return Authority(standing="agent", why=why)
    chain = tuple(_see_process(one) for one in iter_ancestors(pid))
    place = read_place(pid)
    found = judge_seat(chain, place, _look_beside(place, callers))
    # Whoever has ended meanwhile may have left its number to another one.
    again = tuple(one.key for one in iter_ancestors(pid))
    if again != tuple(one.process.key for one in chain):
        return Authority(standing="unsure", why="its processes have changed while they were looked at")
    return found


def _see_process(process: ProcessInfo) -> SeenProcess:
    pid = process.pid
    return SeenProcess(
        process=process,
        name=read_name(pid),
        program=read_program(pid),
        words=read_arguments(pid),
        is_root=is_root_process(pid),
        reads_terminal=reads_terminal(pid),
    )


def _look_beside(place: TerminalPlace | None, callers: HookCallers) -> SeatSurroundings:
    agents = _list_living(callers)
    shared = next((one for one in agents if _shares_terminal(one, place)), None) if _can_programs_type() else None
    told = f"process {shared.pid}, which is an agent, has the same terminal and could type there" if shared else ""
    return SeatSurroundings(agents=agents, shared=told, is_root=os.getuid() == 0)


def _list_living(callers: HookCallers) -> tuple[ProcessInfo, ...]:
    """Who has called the dispatcher, and who is an agent by its program: one without our hooks calls nothing."""
    known = callers.list_living()
    others = (one for one in iter_own_processes() if identify_agent(one.pid) and callers.is_of_home(one))
    return (*known, *(one for one in others if one not in known))


def _shares_terminal(agent: ProcessInfo, place: TerminalPlace | None) -> bool:
    own = read_place(agent.pid)
    return bool(place and own and own.terminal == place.terminal)


def _can_programs_type() -> bool:
    """Newer kernels take that away from everybody but root."""
    try:
        return os.getuid() == 0 or TYPING_SWITCH.read_text().strip() != "0"
    except OSError:
        return True

"""Answer a call that no engine could check.

Before a tool runs it is refused, whatever the fail policy says: the guard has not spoken. On other events the fail
policy (open or closed) chosen at install time counts; where none can be read, nobody has chosen that calls go on
unchecked.
"""

from synaptic.agents.shared.discover import CLAUDE_NAME, find_adapter, has_dialect, list_agent_names
from synaptic.agents.shared.recognise import is_before_act
from synaptic.model.call import Answer
from synaptic.model.home import Home

CONTINUING_EVENTS = ("TeammateIdle", "AfterAgent")


def refuse_unchecked(home: Home, event: str, reason: str, agent: str = CLAUDE_NAME) -> Answer:
    """Open: exit 0 and a line that says so. Closed: exit 2, which blocks, except where a block means "go on".

    Agents that do not go by exit codes are told in their own words.
    """
    line = " ".join(reason.split())
    if _has_chosen_open(home) or _asks_to_stop(event):
        return Answer(stderr=_format_line(f"this call was NOT checked: {line}"))
    blocked = f"blocked, because it could not be checked: {line}"
    if agent in list_agent_names() and agent != CLAUDE_NAME:
        return find_adapter(agent).refuse(event, f"synaptic: {blocked}; type: synaptic doctor")
    return Answer(stderr=_format_line(blocked), exit=2)


def refuse_unheard(home: Home, event: str, reason: str, agent: str = CLAUDE_NAME) -> Answer:
    """The guard has not spoken: refused before a tool runs, in the words of the agent; else the fail policy."""
    if not is_before_act(agent, event):
        return refuse_unchecked(home, event, reason, agent)
    line = f"synaptic: blocked, because it could not be checked: {' '.join(reason.split())}; type: synaptic doctor"
    if not has_dialect(agent):
        return Answer(stderr=f"{line}\n".encode("utf-8", "replace"), exit=2)
    return find_adapter(agent).refuse(event, line)


def _has_chosen_open(home: Home) -> bool:
    try:
        return b"fail=open" in home.engine.read_bytes().split(b"\n")
    except OSError:
        return False


def _asks_to_stop(event: str) -> bool:
    # Blocking these means "go on working": an agent that cannot be checked would never end.
    return event.endswith(("Stop", "stop")) or event in CONTINUING_EVENTS


def _format_line(text: str) -> bytes:
    return f"synaptic: {text}; type: synaptic doctor\n".encode("utf-8", "replace")

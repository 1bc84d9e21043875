"""Answer a call that no engine could check, by the fail policy (open or closed) chosen at install time."""

from synaptic.agents.shared.discover import CLAUDE_NAME, find_adapter, list_agent_names
from synaptic.model.call import Answer
from synaptic.model.home import Home
from synaptic.setup.dispatcher import read_engine

CONTINUING_EVENTS = ("TeammateIdle", "AfterAgent")


def refuse_unchecked(home: Home, event: str, reason: str, agent: str = CLAUDE_NAME) -> Answer:
    """Open: exit 0 and a line that says so. Closed: exit 2, which blocks, except where a block means "go on".

    Agents that do not go by exit codes are told in their own words.
    """
    line = " ".join(reason.split())
    if read_engine(home).fail != "closed" or _asks_to_stop(event):
        return Answer(stderr=_format_line(f"this call was NOT checked: {line}"))
    blocked = f"blocked, because it could not be checked: {line}"
    if agent in list_agent_names() and agent != CLAUDE_NAME:
        return find_adapter(agent).refuse(event, f"synaptic: {blocked}; type: synaptic doctor")
    return Answer(stderr=_format_line(blocked), exit=2)


def _asks_to_stop(event: str) -> bool:
    # Blocking these means "go on working": an agent that cannot be checked would never end.
    return event.endswith(("Stop", "stop")) or event in CONTINUING_EVENTS


def _format_line(text: str) -> bytes:
    return f"synaptic: {text}; type: synaptic doctor\n".encode("utf-8", "replace")

"""Answer a call that no engine could check.

What cannot start follows the fail policy (open or closed) chosen at install time. What did start and has not spoken in
time is refused before a tool runs: `python -m synaptic.daemon.refuse HOME AGENT EVENT` prints that as an answer frame.
"""

import sys
from pathlib import Path

from synaptic.agents.shared.discover import CLAUDE_NAME, find_adapter, has_dialect, list_agent_names
from synaptic.agents.shared.recognise import is_before_act
from synaptic.daemon.frame import pack_answer
from synaptic.model.call import Answer
from synaptic.model.home import Home
from synaptic.setup.dispatcher import read_engine

UNHEARD_TEXT = "the engine gave no answer in time"
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


def refuse_unheard(home: Home, event: str, reason: str, agent: str = CLAUDE_NAME) -> Answer:
    """The guard has not spoken: refused before a tool runs, in the words of the agent; else the fail policy."""
    if not is_before_act(agent, event):
        return refuse_unchecked(home, event, reason, agent)
    line = f"synaptic: blocked, because it could not be checked: {' '.join(reason.split())}; type: synaptic doctor"
    if not has_dialect(agent):
        return Answer(stderr=f"{line}\n".encode("utf-8", "replace"), exit=2)
    return find_adapter(agent).refuse(event, line)


def main(argv: list[str]) -> int:
    """Print the refusal of a call whose engine ran and gave no answer."""
    home, agent, event = argv
    sys.stdout.buffer.write(pack_answer(refuse_unheard(Home(Path(home)), event, UNHEARD_TEXT, agent)))
    return 0


def _asks_to_stop(event: str) -> bool:
    # Blocking these means "go on working": an agent that cannot be checked would never end.
    return event.endswith(("Stop", "stop")) or event in CONTINUING_EVENTS


def _format_line(text: str) -> bytes:
    return f"synaptic: {text}; type: synaptic doctor\n".encode("utf-8", "replace")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

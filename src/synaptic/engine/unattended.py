"""Whether nobody sits at an agent that could ask: it was started to answer once, by a script or another program."""

from synaptic.agents.base import Absence
from synaptic.agents.shared.discover import find_agent, list_agent_names
from synaptic.agents.shared.processes import read_arguments
from synaptic.engine.senders import Senders
from synaptic.model.call import Call
from synaptic.model.event import PreToolUse


def is_unattended(call: Call, senders: Senders) -> bool:
    """Whether a question of this call would be heard by nobody. What cannot be known is no: the agent asks itself."""
    if call.agent not in list_agent_names() or not isinstance(call.event, PreToolUse):
        return False
    absence = find_agent(call.agent).absence
    if absence is None:
        return False
    if any(call.env.get(name) == value for name, value in absence.variables.items()):
        return True
    return bool(absence.options) and _was_started_with(absence, senders.find_caller(call.event.session_id))


def _was_started_with(absence: Absence, caller: int) -> bool:
    words = read_arguments(caller) if caller else ()
    return any(word.partition("=")[0] in absence.options for word in words)

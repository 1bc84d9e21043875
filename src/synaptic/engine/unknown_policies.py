"""Who has been told that a file with policies has never been loaded: nobody knows what it guards, so nothing fails.

Each kind of event of a session is told once for each reason. In every answer it would be noise, and nobody reads
noise; once in a session it could be in the one answer that an agent does not show, or about an event that the file was
not written for. A change of the file that does not mend it is another reason.
"""

from collections import OrderedDict

from synaptic.model.call import Call
from synaptic.model.event import SessionStart

MAX_TOLD = 2000


class UnknownPolicyWarnings:
    """The warnings that this process has given; another one gives them again."""

    def __init__(self) -> None:
        self._told: OrderedDict[tuple[str, str, str, str], None] = OrderedDict()

    def choose(self, call: Call, warnings: tuple[str, ...], *, is_told: bool) -> tuple[str, ...]:
        """Those that this answer has to carry; they count as given if it is one that somebody gets."""
        event = call.event
        if not warnings or isinstance(event, SessionStart):  # its answer tells every problem there is
            return ()
        place = (event.session_id, event.agent_id, event.hook_event_name)
        new = tuple(text for text in warnings if (*place, text) not in self._told)
        if is_told and event.session_id:  # calls without a session may be anybody's
            self._told.update(((*place, text), None) for text in new)
            while len(self._told) > MAX_TOLD:
                self._told.popitem(last=False)
        return new

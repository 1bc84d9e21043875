"""A sub-agent ends."""

from synaptic.model.decision import Verdict
from synaptic.model.event import SubagentStop
from synaptic.model.layers import EndSession
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.fleet.handled import HandlerResult, build_result


class SubagentClosing(Policy):
    """A sub-agent that has ended and still counts as open.

    ## What it does
    Ends the session of this sub-agent, and no other, and adds the files it has read to the effort's list.
    ## Why
    What a sub-agent has read need not be found again.
    ## Known gaps
    A sub-agent that another hook keeps from stopping has no session for the rest of its work: it is not counted then.
    """

    id = "fleet.subagent-stop"
    events = (SubagentStop,)
    priority = 80
    preset = "fleet"
    needs = ("layers",)
    recheck = False

    def handle(self, event: SubagentStop, facts: Facts) -> HandlerResult:
        session = facts.layers.session
        own = session if session and event.agent_id and session.subagent == event.agent_id else None
        ending = EndSession(session=own.id, merge_loaded=True) if own else None
        answer = {"sessionEnded": own is not None, "loadedFiles": list(own.loaded) if own else []}
        return build_result(answer, ending)

    def check(self, event: SubagentStop, facts: Facts) -> Verdict | None:
        return self.handle(event, facts).verdict

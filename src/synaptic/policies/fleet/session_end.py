"""A context window closes."""

from synaptic.model.decision import Verdict
from synaptic.model.event import SessionEnd
from synaptic.model.layers import EndSession, Session
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.fleet.handled import HandlerResult, build_result
from synaptic.policies.fleet.standing import build_status


class SessionClosing(Policy):
    """A context window that is over and still counts as open.

    ## What it does
    Ends the session of this window and marks its agent as done. The effort stays active.
    ## Why
    Whoever looks at the fleet sees who still works, and the next window gets a session of its own.
    ## Known gaps
    An agent that is killed sends no such event: its session ends when the next one opens.
    """

    id = "fleet.session-end"
    events = (SessionEnd,)
    priority = 80
    preset = "fleet"
    needs = ("layers", "agent_name")
    recheck = False

    def handle(self, event: SessionEnd, facts: Facts) -> HandlerResult:
        session = facts.layers.session
        ending = (
            EndSession(session=session.id, whole_window=True) if session and _is_this_window(session, event) else None
        )
        changed = None if _has_moved_on(event, facts) else build_status(event, facts, "done")
        answer = {"sessionEnded": ending is not None, "agentUpdated": changed is not None}
        return build_result(answer, ending, changed)

    def check(self, event: SessionEnd, facts: Facts) -> Verdict | None:
        return self.handle(event, facts).verdict


def _has_moved_on(event: SessionEnd, facts: Facts) -> bool:
    """Whether the agent was last heard of in another window."""
    agent = facts.layers.agent
    return agent is not None and agent.host not in ("", event.session_id)


def _is_this_window(session: Session, event: SessionEnd) -> bool:
    """A late word of an old window must not end the one that came after it."""
    return not event.agent_id and session.host in ("", event.session_id)

"""The agent tells its user something."""

from synaptic.model.decision import Verdict
from synaptic.model.event import Notification
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.fleet.handled import HandlerResult, build_result
from synaptic.policies.fleet.standing import build_status


class Attention(Policy):
    """An agent that waits for its user.

    ## What it does
    Marks the agent as needing attention, with its message.
    ## Why
    With many agents, the one that waits is the one to look at.
    ## Known gaps
    A kind of notification that nobody knows yet counts as a reason to look.
    """

    id = "fleet.notification"
    events = (Notification,)
    priority = 60
    preset = "fleet"
    needs = ("layers", "agent_name")
    recheck = False

    ignored: tuple[str, ...] = ("auth_success", "elicitation_complete", "elicitation_response")
    """Kinds of notification after which nobody is waited for."""

    def handle(self, event: Notification, facts: Facts) -> HandlerResult:
        waits = event.notification_type not in self.ignored
        changed = build_status(event, facts, "attention", event.message or event.title) if waits else None
        return build_result({"agentUpdated": changed is not None}, changed)

    def check(self, event: Notification, facts: Facts) -> Verdict | None:
        return self.handle(event, facts).verdict

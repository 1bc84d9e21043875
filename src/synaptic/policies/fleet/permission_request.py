"""The agent asks for permission."""

from synaptic.model.decision import Verdict
from synaptic.model.event import PermissionRequest
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.fleet.handled import HandlerResult, build_result
from synaptic.policies.fleet.standing import build_status


class PermissionWait(Policy):
    """An agent that waits for a permission.

    ## What it does
    Marks the agent as needing attention, with the tool it asks for. It decides nothing about the permission.
    ## Why
    An agent that waits unseen is an agent that does nothing.
    ## Known gaps
    A request that another hook answers counts for a moment, until the tool has run.
    """

    id = "fleet.permission-request"
    events = (PermissionRequest,)
    priority = 60
    preset = "fleet"
    needs = ("layers", "agent_name")
    recheck = False

    def handle(self, event: PermissionRequest, facts: Facts) -> HandlerResult:
        changed = build_status(event, facts, "attention", f"asks for permission: {event.tool_name}")
        return build_result({"agentUpdated": changed is not None}, changed)

    def check(self, event: PermissionRequest, facts: Facts) -> Verdict | None:
        return self.handle(event, facts).verdict

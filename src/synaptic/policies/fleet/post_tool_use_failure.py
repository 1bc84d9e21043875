"""A tool has failed."""

import msgspec

from synaptic.model.decision import Verdict
from synaptic.model.event import PostToolUseFailure
from synaptic.model.layers import Note
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.fleet.handled import HandlerResult, build_result
from synaptic.policies.fleet.standing import build_status

MAX_ERROR_LENGTH = 4000


class ToolFailure(Policy):
    """A failed tool call that nobody sees.

    ## What it does
    Marks the agent as in error, with the beginning of the error's text, and keeps the failure as a message of its
    session.
    ## Why
    An agent that fails again and again needs somebody to look at it.
    ## Known gaps
    A command that fails on purpose, such as a search without a match, is a failure too. The next call that succeeds
    clears it.
    """

    id = "fleet.post-tool-use-failure"
    events = (PostToolUseFailure,)
    priority = 60
    preset = "fleet"
    needs = ("layers", "agent_name")
    recheck = False

    def handle(self, event: PostToolUseFailure, facts: Facts) -> HandlerResult:
        session = facts.layers.session
        changed = build_status(event, facts, "error", f"{event.tool_name}: {event.error}")
        note = (
            Note(session=session.id, role="system", content=_encode_note(event), tool=event.tool_name)
            if session
            else None
        )
        answer = {"agentUpdated": changed is not None, "messageLogged": note is not None}
        return build_result(answer, changed, note)

    def check(self, event: PostToolUseFailure, facts: Facts) -> Verdict | None:
        return self.handle(event, facts).verdict


def _encode_note(event: PostToolUseFailure) -> str:
    told = {
        "event": "tool_failure",
        "tool": event.tool_name,
        "toolUseId": event.tool_use_id,
        "error": event.error[:MAX_ERROR_LENGTH],
        "isInterrupt": event.is_interrupt,
    }
    return msgspec.json.encode(told).decode()

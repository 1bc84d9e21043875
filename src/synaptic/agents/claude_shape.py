"""Answers in the shape that Codex, droid and Qwen took over from Claude Code: only what all three read alike."""

from synaptic.agents.payload import Payload
from synaptic.agents.phrases import advice, blame, reason, to_user
from synaptic.agents.translate import native_event
from synaptic.model.call import Call
from synaptic.model.decision import Decision, Kind

WORDS = {Kind.DENY: "deny", Kind.ASK: "ask", Kind.ALLOW: "allow"}


def top(decision: Decision) -> Payload:
    """What stands beside the event's own part: extras, and the text for the user."""
    body = {name: value for name, value in decision.extras.items() if name != "systemMessage"}
    if body.get("continue") is not False:
        body.pop("stopReason", None)  # some agents would tell it in place of the reason
    said = decision.extras.get("systemMessage")
    if told := "\n".join(filter(None, (to_user(decision), said if isinstance(said, str) else ""))):
        body["systemMessage"] = told
    return body


def blocked(decision: Decision) -> Payload:
    """A prompt refused, or an agent kept from stopping."""
    if decision.feedback:
        return {"decision": "block", "reason": blame(decision)}
    return {"decision": "block", "reason": reason(decision)} if decision.kind is Kind.DENY else {}


def permission(decision: Decision) -> Payload:
    """The word on a tool call, apart from a rewrite."""
    word = WORDS.get(decision.kind)
    return {"permissionDecision": word, "permissionDecisionReason": reason(decision)} if word else {}


def consent(decision: Decision) -> Payload:
    """The answer to a permission prompt; silence leaves it to the person."""
    if decision.kind is Kind.DENY:
        return {"behavior": "deny", "message": reason(decision)}
    allows = decision.kind is Kind.ALLOW or (decision.kind is Kind.REWRITE and decision.allowed)
    return {"behavior": "allow"} if allows else {}


def with_specific(body: Payload, call: Call, specific: Payload, decision: Decision) -> Payload:
    """The whole answer; the event's own part is left out when it says nothing."""
    if decision.context:
        specific = {**specific, "additionalContext": advice(decision)}
    if specific:
        body["hookSpecificOutput"] = {"hookEventName": native_event(call), **specific}
    return body

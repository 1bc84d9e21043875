"""What the answers to several agents share: reasons, the lines on stderr, a stop that is refused, and the shape that
Codex, droid and Qwen took over from Claude Code.
"""

from synaptic.agents.shared.payload import Payload, to_line
from synaptic.agents.shared.translate import native_event
from synaptic.model.call import Call
from synaptic.model.decision import Decision, Kind

DONE = {Kind.DENY: "denied", Kind.ASK: "a person should decide, asked", Kind.ALLOW: "allowed"}
WORDS = {Kind.DENY: "deny", Kind.ASK: "ask", Kind.ALLOW: "allow"}
MARK = "[synaptic: before you stop] "
"""Begins what keeps an agent going. Some agents send it back as a prompt, and a prompt of the user begins a new turn:
it would reset the count of refused stops, and the agent would never end."""
CONTINUED = "StopContinued"
"""What such a prompt is: nothing that a policy listens to."""


def reason(decision: Decision) -> str:
    """Describe why, never with an empty text: agents ignore a refusal without a reason."""
    return decision.reason.strip() or f"{DONE.get(decision.kind, 'rewritten')} by {decision.by or 'a hook'}"


def blame(decision: Decision) -> str:
    """What a block of a Post or Stop event tells the model."""
    return "\n".join(decision.feedback).strip() or reason(decision)


def advice(decision: Decision) -> str:
    """What the model is told beside the decision."""
    return "\n".join(decision.context)


def to_user(decision: Decision) -> str:
    """What a person reads: messages, and what went wrong."""
    return "\n".join((*decision.messages, *(f"synaptic: {warning}" for warning in decision.warnings)))


def to_stderr(call: Call, decision: Decision) -> bytes:
    """A line for everything that could not be decoded or run."""
    return b"".join(map(to_line, dict.fromkeys(call.warnings + decision.warnings)))


def keep_going(decision: Decision) -> str:
    """What keeps the agent from stopping, in words that are recognised when they come back."""
    return MARK + blame(decision)


def refine_prompt(event: str, payload: Payload) -> str:
    """The event, or what it is when the prompt is our own."""
    prompt = payload.get("prompt")
    ours = event == "UserPromptSubmit" and isinstance(prompt, str) and prompt.startswith(MARK)
    return CONTINUED if ours else event


def top(decision: Decision) -> Payload:
    """What stands beside the event's own part: extras, and the text for the user."""
    body = {name: value for name, value in decision.extras.items() if name != "systemMessage"}
    if body.get("continue") is not False:
        body.pop("stopReason", None)  # some agents would tell it in place of the reason
    said = decision.extras.get("systemMessage")
    if told := "\n".join(filter(None, (to_user(decision), said if isinstance(said, str) else ""))):
        body["systemMessage"] = told
    return body


def block(decision: Decision) -> Payload:
    """A prompt refused, or an agent kept from stopping."""
    if decision.feedback:
        return {"decision": "block", "reason": blame(decision)}
    return {"decision": "block", "reason": reason(decision)} if decision.kind is Kind.DENY else {}


def permission(decision: Decision) -> Payload:
    """Build the permission decision on a tool call; a rewrite is added by the agent's own file."""
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

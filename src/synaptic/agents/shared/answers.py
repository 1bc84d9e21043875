"""What the answers to several agents share: reasons, the lines on stderr, a stop that is refused, and the shape that
Codex, droid and Qwen took over from Claude Code.
"""

from synaptic.agents.shared.payload import Payload, to_line
from synaptic.agents.shared.translate import find_native_event
from synaptic.model.call import Call
from synaptic.model.decision import Decision, Kind

DONE_WORDS = {Kind.DENY: "denied", Kind.ASK: "a person should decide, asked", Kind.ALLOW: "allowed"}
PERMISSION_WORDS = {Kind.DENY: "deny", Kind.ASK: "ask", Kind.ALLOW: "allow"}
STOP_MARK = "[synaptic: before you stop] "
"""Begins what keeps an agent going. Some agents send it back as a prompt, and a prompt of the user begins a new turn:
it would reset the count of refused stops, and the agent would never end."""
CONTINUED_EVENT = "StopContinued"
"""What such a prompt is: nothing that a policy listens to."""


def describe_reason(decision: Decision) -> str:
    """Describe why, never with an empty text: agents ignore a refusal without a reason."""
    return decision.reason.strip() or f"{DONE_WORDS.get(decision.kind, 'rewritten')} by {decision.by or 'a hook'}"


def describe_block(decision: Decision) -> str:
    """What a block of a Post or Stop event tells the model."""
    return "\n".join(decision.feedback).strip() or describe_reason(decision)


def join_context(decision: Decision) -> str:
    """What the model is told beside the decision."""
    return "\n".join(decision.context)


def format_user_text(decision: Decision) -> str:
    """What a person reads: messages, and what went wrong."""
    return "\n".join((*decision.messages, *(f"synaptic: {warning}" for warning in decision.warnings)))


def format_stderr(call: Call, decision: Decision) -> bytes:
    """A line for everything that could not be decoded or run."""
    return b"".join(map(to_line, dict.fromkeys(call.warnings + decision.warnings)))


def mark_stop_block(decision: Decision) -> str:
    """What keeps the agent from stopping, in words that are recognised when they come back."""
    return STOP_MARK + describe_block(decision)


def refine_prompt(event: str, payload: Payload) -> str:
    """The event, or what it is when the prompt is our own."""
    prompt = payload.get("prompt")
    ours = event == "UserPromptSubmit" and isinstance(prompt, str) and prompt.startswith(STOP_MARK)
    return CONTINUED_EVENT if ours else event


def build_top_level(decision: Decision) -> Payload:
    """What stands beside the event's own part: extras, and the text for the user."""
    body = {name: value for name, value in decision.extras.items() if name != "systemMessage"}
    if body.get("continue") is not False:
        body.pop("stopReason", None)  # some agents would tell it in place of the reason
    said = decision.extras.get("systemMessage")
    if told := "\n".join(filter(None, (format_user_text(decision), said if isinstance(said, str) else ""))):
        body["systemMessage"] = told
    return body


def build_block(decision: Decision) -> Payload:
    """A prompt refused, or an agent kept from stopping."""
    if decision.feedback:
        return {"decision": "block", "reason": describe_block(decision)}
    return {"decision": "block", "reason": describe_reason(decision)} if decision.kind is Kind.DENY else {}


def build_permission(decision: Decision) -> Payload:
    """Build the permission decision on a tool call; a rewrite is added by the agent's own file."""
    word = PERMISSION_WORDS.get(decision.kind)
    return {"permissionDecision": word, "permissionDecisionReason": describe_reason(decision)} if word else {}


def build_consent(decision: Decision) -> Payload:
    """The answer to a permission prompt; silence leaves it to the person."""
    if decision.kind is Kind.DENY:
        return {"behavior": "deny", "message": describe_reason(decision)}
    allows = decision.kind is Kind.ALLOW or (decision.kind is Kind.REWRITE and decision.allowed)
    return {"behavior": "allow"} if allows else {}


def add_specific(body: Payload, call: Call, specific: Payload, decision: Decision) -> Payload:
    """The whole answer; the event's own part is left out when it says nothing."""
    if decision.context:
        specific = {**specific, "additionalContext": join_context(decision)}
    if specific:
        body["hookSpecificOutput"] = {"hookEventName": find_native_event(call), **specific}
    return body

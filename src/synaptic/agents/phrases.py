"""What the answers to all agents share: a reason that is never empty, the text for the user, the lines on stderr."""

from synaptic.agents.payload import to_line
from synaptic.model.call import Call
from synaptic.model.decision import Decision, Kind

WORDS = {Kind.DENY: "denied", Kind.ASK: "a person should decide, asked", Kind.ALLOW: "allowed"}


def reason(decision: Decision) -> str:
    """Why; agents ignore a refusal without a reason."""
    return decision.reason.strip() or f"{WORDS.get(decision.kind, 'rewritten')} by {decision.by or 'a hook'}"


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

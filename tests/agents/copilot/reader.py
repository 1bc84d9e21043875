"""Copilot CLI: an answer in the dialect that asked."""

from tests.agents.readers import Heard, read_known

from synaptic.model.call import Answer


def hear(event: str, answer: Answer) -> Heard:
    """camelCase: flat. Claude Code's names: its shape. A permission request is the same in both."""
    name = event[0].upper() + event[1:]
    if name == "PermissionRequest":
        body = read_known(answer, "behavior", "message")
        word = body.get("behavior")
        return Heard(blocked=word == "deny", allowed=word == "allow", reason=body.get("message", ""))
    flat = event != name
    said = _hear_flat(answer) if flat else _hear_nested(event, answer)
    word = said.get("permissionDecision") if name == "PreToolUse" else None
    return Heard(
        blocked=word == "deny" or (said.get("decision") == "block" and name != "PreToolUse"),
        asked=word == "ask",
        allowed=word == "allow",
        reason=said.get("permissionDecisionReason", said.get("reason", "")),
        input=said.get("modifiedArgs" if flat else "updatedInput"),
        context=said.get("additionalContext", ""),
    )


def _hear_flat(answer: Answer) -> dict:
    words = ("permissionDecision", "permissionDecisionReason", "modifiedArgs", "additionalContext")
    return read_known(answer, *words, "decision", "reason")


def _hear_nested(event: str, answer: Answer) -> dict:
    body = read_known(answer, "decision", "reason", "hookSpecificOutput")
    specific = body.get("hookSpecificOutput", {})
    assert specific.get("hookEventName", event) == event
    words = ("hookEventName", "permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext")
    assert specific.keys() <= set(words)
    return {**body, **specific}

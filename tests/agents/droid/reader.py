"""droid: Claude Code's shape, and nobody is asked."""

from tests.agents.readers import Heard, by_exit, read_json

from synaptic.model.call import Answer

EVENTS = (
    "PreToolUse", "PostToolUse", "Notification", "UserPromptSubmit", "Stop", "SubagentStop", "PreCompact",
    "SessionStart", "SessionEnd",
)  # fmt: skip


def hear(event: str, answer: Answer) -> Heard | None:
    if answer.exit == 2:
        return by_exit(answer)
    body = read_json(answer)
    if body is None:
        return Heard()
    specific = body.get("hookSpecificOutput") or {}
    named = specific.get("hookEventName", event)
    if named not in EVENTS or body.get("decision") not in (None, "block", "approve"):
        return None
    heard = Heard(user=body.get("systemMessage", ""), context=specific.get("additionalContext", ""))
    word = specific.get("permissionDecision")
    assert word != "ask", "nobody is asked, the call runs"
    if event == "PreToolUse":
        heard.blocked, heard.allowed = word == "deny", word == "allow"
        heard.reason, heard.input = specific.get("permissionDecisionReason", ""), specific.get("updatedInput")
        heard.context = ""
    elif event in ("Stop", "SubagentStop"):
        heard.blocked, heard.reason = body.get("decision") == "block", body.get("reason", "")
    elif event == "UserPromptSubmit":
        heard.blocked = body.get("continue") is False
        heard.reason = body.get("stopReason") or body.get("systemMessage", "")
    return heard

"""Qwen Code: Claude Code's shape."""

from tests.agents.readers import Heard, by_exit, read_json

from synaptic.model.call import Answer


def hear(event: str, answer: Answer) -> Heard | None:
    if answer.exit:
        return by_exit(answer)
    body = read_json(answer)
    if body is None:
        return Heard()
    specific = body.get("hookSpecificOutput") or {}
    heard = Heard(user=body.get("systemMessage", ""), context=specific.get("additionalContext", ""))
    word, heard.reason = specific.get("permissionDecision"), specific.get("permissionDecisionReason", "")
    if event == "PreToolUse":
        heard.blocked, heard.asked, heard.allowed = word == "deny", word == "ask", word == "allow"
        heard.context = ""
    elif event == "PermissionRequest":
        said = specific.get("decision") or {}
        heard.blocked, heard.allowed = said.get("behavior") == "deny", said.get("behavior") == "allow"
        heard.input, heard.reason = said.get("updatedInput"), said.get("message", "")
    elif event not in ("PostToolUse", "PostToolUseFailure"):
        heard.blocked, heard.reason = body.get("decision") == "block", body.get("reason", "")
    return heard

"""What Claude Code accepts from a hook, event by event: the reading of its protocol that answers are held against."""

import json

from synaptic.model.call import Answer

TOP = {"continue", "stopReason", "suppressOutput", "systemMessage", "terminalSequence", "decision", "reason"}
SPECIFIC = {
    "PreToolUse": {"permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext"},
    "PostToolUse": {"additionalContext", "updatedToolOutput", "updatedMCPToolOutput", "classifierContext"},
    "PostToolUseFailure": {"additionalContext"},
    "PostToolBatch": {"additionalContext"},
    "PermissionRequest": {"decision"},
    "PermissionDenied": {"retry"},
    "UserPromptSubmit": {"additionalContext", "sessionTitle", "suppressOriginalPrompt"},
    "UserPromptExpansion": {"additionalContext", "suppressOriginalPrompt"},
    "SessionStart": {"additionalContext", "initialUserMessage", "sessionTitle", "watchPaths", "reloadSkills"},
    "SubagentStart": {"additionalContext"},
    "PreModelSwitch": {"permissionDecision", "permissionDecisionReason"},
    "PostModelSwitch": {"additionalContext"},
    "Elicitation": {"action", "content"},
    "ElicitationResult": {"action", "content"},
    "CwdChanged": {"watchPaths"},
    "FileChanged": {"watchPaths"},
    "MessageDisplay": {"displayContent"},
}
BLOCKS = {
    "PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "UserPromptExpansion", "Stop", "SubagentStop",
    "TeammateIdle", "TaskCreated", "TaskCompleted", "PreCompact", "ConfigChange",
}  # fmt: skip
"""Events on which a top-level block is the right word. At PostToolBatch it would stop the whole turn."""
TYPES = {
    "continue": bool, "suppressOutput": bool, "suppressOriginalPrompt": bool, "reloadSkills": bool, "retry": bool,
    "interrupt": bool, "stopReason": str, "systemMessage": str, "terminalSequence": str, "reason": str,
    "additionalContext": str, "permissionDecisionReason": str, "classifierContext": str, "sessionTitle": str,
    "initialUserMessage": str, "displayContent": str, "message": str, "updatedInput": dict, "content": dict,
    "watchPaths": list, "updatedPermissions": list,
}  # fmt: skip
WORDS = {
    "permissionDecision": {"allow", "deny", "ask", "defer"},
    "behavior": {"allow", "deny"},
    "action": {"accept", "decline", "cancel"},
}
NON_EMPTY = {"reason", "permissionDecisionReason", "message"}


def assert_acceptable(event: str, answer: Answer) -> dict:
    """The answer's JSON, after Claude Code's validation as far as it is known; nothing is an empty object."""
    answer.stderr.decode()
    if not answer.stdout.startswith(b"{"):
        assert not answer.stdout or event in ("PreCompact", "WorktreeCreate"), answer.stdout
        return {}
    assert event != "WorktreeCreate"
    body = json.loads(answer.stdout.decode())
    assert answer.exit == 0
    assert body, "an empty object says nothing"
    specific = body.pop("hookSpecificOutput", {})
    assert set(body) <= TOP
    _assert_values(body)
    if "decision" in body:
        assert body["decision"] == "block" and event in BLOCKS and body["reason"].strip()
    if specific:
        assert specific.pop("hookEventName") == event
        assert specific, "a bare event name says nothing"
        assert set(specific) <= SPECIFIC.get(event, set())
        _assert_values(specific)
        if event == "PermissionRequest":
            assert set(specific["decision"]) <= {
                "behavior",
                "message",
                "interrupt",
                "updatedInput",
                "updatedPermissions",
            }
            _assert_values(specific["decision"])
    return {**body, **specific}


def _assert_values(values: dict) -> None:
    for key, value in values.items():
        if key in TYPES:
            assert isinstance(value, TYPES[key]), (key, value)
        if isinstance(value, str) and key in WORDS:
            assert value in WORDS[key]
        if key in NON_EMPTY:
            assert value.strip()

"""What other agents do with an answer: a small model of each reader, as it was observed in the true clients.

`None` from a reader means that the client takes the hook for failed and goes on as if it had said nothing.
"""

import json
from pathlib import Path

import jsonschema
import msgspec

from synaptic.model.call import Answer

SCHEMAS = Path(__file__).parent / "codex" / "schemas"


class Heard(msgspec.Struct, kw_only=True):
    """What the client takes from an answer."""

    blocked: bool = False
    asked: bool = False
    allowed: bool = False
    reason: str = ""
    input: dict | None = None
    context: str = ""
    user: str = ""


def kebab(name: str) -> str:
    return "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("-")


def read(answer: Answer) -> dict | None:
    """Strict JSON, or nothing."""
    return json.loads(answer.stdout.decode()) if answer.stdout.strip() else None


def by_exit(answer: Answer) -> Heard:
    text = answer.stderr.decode().strip()
    return Heard(blocked=answer.exit == 2 and bool(text), reason=text)


def codex(event: str, answer: Answer) -> Heard | None:
    if answer.exit:
        return by_exit(answer)
    body = read(answer)
    if body is None:
        return Heard()
    schema = SCHEMAS / f"{kebab(event)}.json"
    if not schema.exists() or not _valid(body, schema):
        return None
    specific = body.get("hookSpecificOutput") or {}
    heard = Heard(user=body.get("systemMessage", ""), context=specific.get("additionalContext", ""))
    if event == "PreToolUse":
        return _codex_before(body, specific, heard)
    if event == "PermissionRequest":
        return _codex_permission(body, specific, heard)
    if event == "PostToolUse" and body.get("suppressOutput"):
        return None
    if body.get("decision") == "block":
        heard.blocked, heard.reason = True, body.get("reason", "")
        return heard if heard.reason.strip() else None
    return heard if "reason" not in body else None


def _valid(body: dict, schema: Path) -> bool:
    return jsonschema.Draft7Validator(json.loads(schema.read_text())).is_valid(body)


def _codex_before(body: dict, specific: dict, heard: Heard) -> Heard | None:
    if body.get("continue", True) is not True or "stopReason" in body or body.get("suppressOutput"):
        return None
    word, why = specific.get("permissionDecision"), specific.get("permissionDecisionReason", "")
    if word == "ask" or (word == "allow") != ("updatedInput" in specific) or (word is None and why):
        return None
    if word == "deny" and not why.strip():
        return None
    heard.blocked, heard.reason, heard.input = word == "deny", why, specific.get("updatedInput")
    return heard


def _codex_permission(body: dict, specific: dict, heard: Heard) -> Heard | None:
    if body.get("continue", True) is not True or "stopReason" in body or body.get("suppressOutput"):
        return None
    said = specific.get("decision") or {}
    if {"updatedInput", "updatedPermissions"} & set(said) or said.get("interrupt"):
        return None
    heard.blocked, heard.allowed = said.get("behavior") == "deny", said.get("behavior") == "allow"
    heard.reason = said.get("message", "")
    return heard


def gemini(event: str, answer: Answer) -> Heard | None:
    body = read(answer)
    if body is None:  # plain text on stderr: exit codes from 2 on refuse
        text = answer.stderr.decode().strip()
        return Heard(blocked=answer.exit >= 2 and bool(text), reason=text)
    specific = body.get("hookSpecificOutput") or {}
    word = body.get("decision")
    assert word in (None, "allow", "deny"), "ask waits for ever where there is no terminal"
    assert specific.get("hookEventName", event) == event
    return Heard(
        blocked=word == "deny",
        reason=body.get("stopReason") or body.get("reason", ""),
        input=specific.get("tool_input") if event == "BeforeTool" else None,
        context=specific.get("additionalContext", "") if event != "BeforeTool" else "",
        user=body.get("systemMessage", ""),
    )


def qwen(event: str, answer: Answer) -> Heard | None:
    if answer.exit:
        return by_exit(answer)
    body = read(answer)
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


DROID_EVENTS = (
    "PreToolUse", "PostToolUse", "Notification", "UserPromptSubmit", "Stop", "SubagentStop", "PreCompact",
    "SessionStart", "SessionEnd",
)  # fmt: skip


def droid(event: str, answer: Answer) -> Heard | None:
    if answer.exit == 2:
        return by_exit(answer)
    body = read(answer)
    if body is None:
        return Heard()
    specific = body.get("hookSpecificOutput") or {}
    named = specific.get("hookEventName", event)
    if named not in DROID_EVENTS or body.get("decision") not in (None, "block", "approve"):
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


READERS = {"codex": codex, "gemini": gemini, "qwen": qwen, "droid": droid}

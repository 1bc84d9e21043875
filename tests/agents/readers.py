"""What other agents do with an answer: a small model of each reader, as it was observed in the true clients.

A reader is given the event as the agent names it. `None` from it means that the client takes the hook for failed and
goes on as if it had said nothing. Keys that a reader does not know fail the test where the client would drop them:
whoever writes them believes in something that does not happen.
"""

import json
import re
from pathlib import Path

import jsonschema
import msgspec

from synaptic.model.call import Answer

SCHEMAS = Path(__file__).parent / "codex" / "schemas"
REFUSING = re.compile(r"printf '%s\\n' '(?P<why>.*)'; exit 1", re.DOTALL)
DROID_EVENTS = (
    "PreToolUse", "PostToolUse", "Notification", "UserPromptSubmit", "Stop", "SubagentStop", "PreCompact",
    "SessionStart", "SessionEnd",
)  # fmt: skip


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


def _known(answer: Answer, *known: str) -> dict:
    assert answer.exit == 0, "an exit code says something else here"
    body = json.loads(answer.stdout.decode()) if answer.stdout else {}
    assert body.keys() <= set(known), body
    return body


def copilot(event: str, answer: Answer) -> Heard:
    """camelCase: flat. Claude Code's names: its shape. A permission request is the same in both."""
    name = event[0].upper() + event[1:]
    if name == "PermissionRequest":
        body = _known(answer, "behavior", "message")
        word = body.get("behavior")
        return Heard(blocked=word == "deny", allowed=word == "allow", reason=body.get("message", ""))
    flat = event != name
    said = _copilot_flat(answer) if flat else _copilot_nested(event, answer)
    word = said.get("permissionDecision") if name == "PreToolUse" else None
    return Heard(
        blocked=word == "deny" or (said.get("decision") == "block" and name != "PreToolUse"),
        asked=word == "ask",
        allowed=word == "allow",
        reason=said.get("permissionDecisionReason", said.get("reason", "")),
        input=said.get("modifiedArgs" if flat else "updatedInput"),
        context=said.get("additionalContext", ""),
    )


def _copilot_flat(answer: Answer) -> dict:
    words = ("permissionDecision", "permissionDecisionReason", "modifiedArgs", "additionalContext")
    return _known(answer, *words, "decision", "reason")


def _copilot_nested(event: str, answer: Answer) -> dict:
    body = _known(answer, "decision", "reason", "hookSpecificOutput")
    specific = body.get("hookSpecificOutput", {})
    assert specific.get("hookEventName", event) == event
    words = ("hookEventName", "permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext")
    assert specific.keys() <= set(words)
    return {**body, **specific}


def cline(event: str, answer: Answer) -> Heard:
    """Nobody waits for anything but tool calls; a refusing command is the only refusal of one call."""
    body = _known(answer, "cancel", "errorMessage", "context", "overrideInput")
    assert not body or "tool" in event.lower(), "nobody reads this"
    if body.get("cancel"):
        assert body.keys() == {"cancel", "errorMessage"}, "the rest would be lost"
        return Heard(blocked=True, reason=body["errorMessage"])
    new = body.get("overrideInput")
    found = REFUSING.fullmatch(new["commands"][0]) if new and list(new) == ["commands"] else None
    refused = found is not None and found["why"].startswith("BLOCKED: ")
    return Heard(
        blocked=refused,
        reason=found["why"] if refused and found else "",
        input=None if refused else new,
        context=body.get("context", ""),
    )


def opencode(event: str, answer: Answer) -> Heard:
    body = _known(answer, "deny", "args", "context", "message")
    heard = Heard(blocked="deny" in body, reason=body.get("deny", ""), user=body.get("message", ""))
    heard.input, heard.context = body.get("args"), body.get("context", "")
    return heard


def cursor(event: str, answer: Answer) -> Heard:
    """An entry that fails closed takes an empty stdout for a failure."""
    assert answer.stdout
    words = ("permission", "user_message", "agent_message", "updated_input")
    body = _known(answer, *words, "additional_context", "continue", "followup_message")
    word = body.get("permission")
    assert word != "ask" or event in ("beforeShellExecution", "beforeMCPExecution"), "nobody is asked, the call runs"
    small = event.startswith("before") and event != "beforeSubmitPrompt"
    assert not small or not {"updated_input", "additional_context"} & body.keys()
    return Heard(
        blocked=word == "deny" or body.get("continue") is False or "followup_message" in body,
        asked=word == "ask",
        allowed=word == "allow" and "updated_input" not in body,
        reason=body.get("user_message", body.get("followup_message", "")),
        input=body.get("updated_input"),
        context=body.get("additional_context", ""),
    )


def amp(event: str, answer: Answer) -> Heard:
    assert not answer.stdout
    text = answer.stderr.decode().strip()
    return Heard(blocked=answer.exit >= 2 and bool(text), asked=answer.exit == 1, allowed=answer.exit == 0, reason=text)


READERS = {
    "codex": codex,
    "gemini": gemini,
    "qwen": qwen,
    "droid": droid,
    "copilot": copilot,
    "cline": cline,
    "opencode": opencode,
    "cursor": cursor,
    "amp": amp,
}

"""What Copilot, Cline, OpenCode, Cursor and Amp take from an answer: a small model of each reader.

Keys that a reader does not know fail the test: whoever writes them believes in something that does not happen.
"""

import json
import re

from synaptic.model.call import Answer, Call
from synaptic.wire.translate import native_event
from tests.wire.clients import Heard

REFUSING = re.compile(r"printf '%s\\n' '(?P<why>.*)'; exit 1", re.DOTALL)


def _body(answer: Answer, *known: str) -> dict:
    assert answer.exit == 0, "an exit code says something else here"
    body = json.loads(answer.stdout.decode()) if answer.stdout else {}
    assert body.keys() <= set(known), body
    return body


def copilot(call: Call, answer: Answer) -> Heard:
    """camelCase: flat. Claude Code's names: its shape. A permission request is the same in both."""
    event = native_event(call)
    if call.event.hook_event_name == "PermissionRequest":
        body = _body(answer, "behavior", "message")
        word = body.get("behavior")
        return Heard(blocked=word == "deny", allowed=word == "allow", reason=body.get("message", ""))
    flat = event[0].islower()
    if not flat:
        body = _body(answer, "decision", "reason", "hookSpecificOutput")
        specific = body.get("hookSpecificOutput", {})
        assert specific.get("hookEventName", event) == event
        known = ("hookEventName", "permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext")
        assert specific.keys() <= set(known)
        said, key = {**body, **specific}, "updatedInput"
    else:
        key = "modifiedArgs"
        known = ("permissionDecision", "permissionDecisionReason", key, "additionalContext", "decision", "reason")
        said = _body(answer, *known)
    word = said.get("permissionDecision") if call.event.hook_event_name == "PreToolUse" else None
    return Heard(
        blocked=word == "deny" or (said.get("decision") == "block" and call.event.hook_event_name != "PreToolUse"),
        asked=word == "ask",
        allowed=word == "allow",
        reason=said.get("permissionDecisionReason", said.get("reason", "")),
        input=said.get(key),
        context=said.get("additionalContext", ""),
    )


def cline(call: Call, answer: Answer) -> Heard:
    """Nobody waits for anything but tool calls; a refusing command is the only refusal of one call."""
    body = _body(answer, "cancel", "errorMessage", "context", "overrideInput")
    assert not body or "Tool" in call.event.hook_event_name, "nobody reads this"
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


def opencode(call: Call, answer: Answer) -> Heard:
    body = _body(answer, "deny", "args", "context", "message")
    heard = Heard(blocked="deny" in body, reason=body.get("deny", ""), user=body.get("message", ""))
    heard.input, heard.context = body.get("args"), body.get("context", "")
    return heard


def cursor(call: Call, answer: Answer) -> Heard:
    """An entry that fails closed takes an empty stdout for a failure."""
    assert answer.stdout
    words = ("permission", "user_message", "agent_message", "updated_input")
    body = _body(answer, *words, "additional_context", "continue", "followup_message")
    event = native_event(call)
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


def amp(call: Call, answer: Answer) -> Heard:
    assert not answer.stdout
    text = answer.stderr.decode().strip()
    return Heard(blocked=answer.exit >= 2 and bool(text), asked=answer.exit == 1, allowed=answer.exit == 0, reason=text)


READERS = {"copilot": copilot, "cline": cline, "opencode": opencode, "cursor": cursor, "amp": amp}

"""Claude Code on the wire: its payloads, what each of its events can honour, and its JSON answers.

Every answer leaves with exit 0 and the JSON decides. The one exception is a refused WorktreeCreate: its stdout is
read as a path, so it is refused with exit 2 and the reason on stderr. An answer that fails Claude Code's validation
is ignored as a whole, deny included; therefore only known keys with values of the right type are written.
"""

import re
from collections.abc import Callable, Mapping

from synaptic.agents.base import Capability
from synaptic.agents.claude.entries import TIMEOUT, TIMEOUTS
from synaptic.agents.shared.degrade import change, degraded, noted, without_input
from synaptic.agents.shared.payload import Payload, event_name, read_object, to_event, to_json, to_line
from synaptic.model.call import Answer, Call, Request
from synaptic.model.decision import Decision, Kind
from synaptic.model.event import EVENTS, Event, Timing, Unknown

EVENT_KEY = "hook_event_name"
TOOLS = {"Task": "Agent"}
"""Former tool names, and what they are called now."""
UNASKED = ("", "bypassPermissions")
"""Permission modes in which nobody would be asked anyway, so a rewrite may carry the allow."""

TOP = frozenset({"continue", "stopReason", "suppressOutput", "systemMessage", "terminalSequence"})
OUTSIDE = frozenset({"systemMessage", "terminalSequence"})
"""What is read from hooks that run outside of a turn."""
TERMINAL = re.compile(r"(?:\x07|\x1b\](?:0|1|2|9|99|777);[^\x07\x1b]*(?:\x07|\x1b\\))+")


def _is(*kinds: type) -> Callable[[object], bool]:
    return lambda value: isinstance(value, kinds)


def _texts(value: object) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(item, str) for item in value)


def _objects(value: object) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(item, dict) for item in value)


EXTRAS: Mapping[str, Callable[[object], bool]] = {
    "continue": _is(bool),
    "stopReason": _is(str),
    "suppressOutput": _is(bool),
    "systemMessage": _is(str),
    "terminalSequence": lambda value: isinstance(value, str) and bool(TERMINAL.fullmatch(value)),
    "permissionDecision": lambda value: value == "defer",
    "updatedToolOutput": _is(object),
    "updatedMCPToolOutput": _is(object),
    "classifierContext": lambda value: isinstance(value, str) and len(value) <= 2000,
    "sessionTitle": _is(str),
    "suppressOriginalPrompt": _is(bool),
    "initialUserMessage": _is(str),
    "watchPaths": _texts,
    "reloadSkills": _is(bool),
    "updatedPermissions": _objects,
    "interrupt": _is(bool),
    "retry": _is(bool),
    "action": lambda value: value in ("accept", "decline", "cancel"),
    "content": _is(dict),
    "displayContent": _is(str),
    "worktreePath": lambda value: isinstance(value, str) and value.strip() != "",
}
"""Every field beyond the verdict that a hook may set, and the values Claude Code accepts for it."""


def _inside(*extras: str, **can: bool) -> Capability:
    return Capability(extras=TOP.union(extras), **can)


def _outside(*extras: str, **can: bool) -> Capability:
    return Capability(extras=OUTSIDE.union(extras), **can)


TABLE: Mapping[str, Capability] = {
    "PreToolUse": _inside("permissionDecision", deny=True, ask=True, allow=True, rewrite=True, context=True),
    "PostToolUse": _inside(
        "updatedToolOutput", "updatedMCPToolOutput", "classifierContext", context=True, feedback=True
    ),
    "PostToolUseFailure": _inside(context=True, feedback=True),
    "PostToolBatch": _inside(context=True),  # a block would stop the whole turn
    "PermissionRequest": _inside("updatedPermissions", "interrupt", deny=True, ask=True, allow=True, rewrite=True),
    "PermissionDenied": _inside("retry"),
    "UserPromptSubmit": _inside("sessionTitle", "suppressOriginalPrompt", deny=True, context=True),
    "UserPromptExpansion": _inside("suppressOriginalPrompt", deny=True, context=True),
    "SessionStart": _inside("initialUserMessage", "sessionTitle", "watchPaths", "reloadSkills", context=True),
    "Setup": _inside(),  # its context is accepted and then does not reach the first request
    "SessionEnd": _outside(),
    "Stop": _inside(feedback=True),  # its context would make the turn go on
    "StopFailure": _outside(),
    "SubagentStart": _inside(context=True),
    "SubagentStop": _inside(feedback=True),
    "TeammateIdle": _inside(feedback=True),
    "TaskCreated": _inside(deny=True),
    "TaskCompleted": _inside(deny=True),
    "PreCompact": _outside(deny=True),  # its own context becomes instructions for the summary, nothing else may
    "PostCompact": _outside(),
    "PreModelSwitch": _inside(deny=True, ask=True, allow=True),
    "PostModelSwitch": _inside(context=True),
    "Notification": _outside(),
    "Elicitation": _outside("action", "content", deny=True),
    "ElicitationResult": _outside("action", "content", deny=True),
    "ConfigChange": _outside(deny=True),
    "WorktreeCreate": _outside("worktreePath", deny=True),
    "WorktreeRemove": _outside(),
    "InstructionsLoaded": _outside(),
    "CwdChanged": _outside("watchPaths"),
    "FileChanged": _outside("watchPaths"),
    "DirectoryAdded": _outside(),
    "MessageDisplay": _inside("displayContent"),
}
CAPABILITIES = {event: change(can, timeout=TIMEOUTS.get(event, TIMEOUT)) for event, can in TABLE.items()}
NOTHING = Capability()
PERMISSIONS = frozenset({"PreToolUse", "PreModelSwitch"})
"""Events that are answered with a permissionDecision."""
ELICITATIONS = frozenset({"Elicitation", "ElicitationResult"})
WORDS = {Kind.DENY: "deny", Kind.ASK: "ask", Kind.ALLOW: "allow"}


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)


NAMES = {name for kind in EVENTS.values() for name in kind.__struct_fields__}
CAMEL: Mapping[str, str] = {_camel(name): name for name in NAMES if "_" in name}
OTHER: Mapping[str, str] = {
    "subagent_type": "agent_type",
    "response": "last_assistant_message",
    "assistant_response": "last_assistant_message",
    "user_prompt": "prompt",
}
"""Names that older hooks were written for: they stay in the payload beside the canonical one."""
ALIASES = CAMEL.keys() | OTHER.keys()


class Claude:
    """The adapter of Claude Code."""

    name = "claude"

    def decode(self, request: Request) -> Call:
        payload, repaired = read_object(request)
        _rename(payload)
        name, doubt = event_name(request, payload, EVENT_KEY)
        payload[EVENT_KEY] = name
        event, dropped = to_event(EVENTS.get(name, Unknown), payload, self.name)
        return Call(
            id=request.id,
            agent=request.agent,
            event=event,
            payload=payload,
            env=request.env,
            warnings=repaired + doubt + dropped,
        )

    def canonical(self, event: str) -> str:
        return event

    def capability(self, event: str) -> Capability:
        return CAPABILITIES.get(event, NOTHING)

    def degrade(self, call: Call, decision: Decision) -> Decision:
        can = _capability(call.event)
        decision = _without_bad_extras(_without_idle_rewrite(call.event, _without_blame(call.event, decision)))
        decision = degraded(decision, can, self.name)
        narrow = _narrowed(call.event, decision, can)
        return decision if narrow is can else degraded(decision, narrow, self.name)

    def encode(self, call: Call, decision: Decision) -> Answer:
        stderr = b"".join(map(to_line, dict.fromkeys(call.warnings + decision.warnings)))
        return _answer(call.event, decision, stderr)

    def refuse(self, event: str, reason: str) -> Answer:
        stderr = to_line(reason)
        if not self.capability(event).deny:
            return Answer(stderr=stderr)
        return _answer(Event(hook_event_name=event), Decision(kind=Kind.DENY, reason=reason), stderr)


ADAPTER = Claude()


def _rename(payload: Payload) -> None:
    if not ALIASES.isdisjoint(payload):
        for alias in [key for key in payload if key in CAMEL]:
            payload.setdefault(CAMEL[alias], payload.pop(alias))
        for alias, name in OTHER.items():
            if alias in payload:
                payload.setdefault(name, payload[alias])
    # Policies compare with the present name of a tool, whichever version of the client sent the payload.
    tool = payload.get("tool_name")
    if isinstance(tool, str) and tool in TOOLS:
        payload["tool_name"] = TOOLS[tool]


def _capability(event: Event) -> Capability:
    can = CAPABILITIES.get(event.hook_event_name, NOTHING)
    if event.hook_event_name == "PreCompact":
        return change(can, context=True)
    if event.hook_event_name == "ConfigChange" and event.subject == "policy_settings":
        return change(can, deny=False)  # managed settings cannot be vetoed
    return can


def _narrowed(event: Event, decision: Decision, can: Capability) -> Capability:
    """What the decision itself rules out."""
    if decision.kind is Kind.DENY and can.context and event.hook_event_name != "PreToolUse":
        return change(can, context=False)  # a blocked prompt or compaction never reaches the model
    if event.hook_event_name == "PreCompact" and decision.context:
        return change(can, message=False, extras=frozenset())  # plain text leaves no room for JSON
    if event.hook_event_name == "WorktreeCreate":
        return change(can, message=False, extras=can.extras & {"worktreePath"})  # stdout is the path
    return can


def _without_idle_rewrite(event: Event, decision: Decision) -> Decision:
    """A permission prompt takes a new input only together with the allow."""
    if event.hook_event_name != "PermissionRequest" or decision.input is None:
        return decision
    if decision.allowed and decision.kind in (Kind.REWRITE, Kind.ALLOW):
        return decision
    note = "rewrite not possible without allowing: left to the permission prompt"
    return noted(decision, (without_input(decision), note), ADAPTER.name)


def _without_blame(event: Event, decision: Decision) -> Decision:
    """A block of an event that merely tells something (SessionStart) is for the user, as with a hook's exit 2."""
    if event.TIMING is not Timing.OBSERVE or not decision.feedback:
        return decision
    told = change(decision, feedback=(), messages=(*decision.messages, *decision.feedback))
    return noted(decision, (told, "nothing can be blocked here: told to the user"), ADAPTER.name)


def _without_bad_extras(decision: Decision) -> Decision:
    bad = sorted(name for name, value in decision.extras.items() if name in EXTRAS and not EXTRAS[name](value))
    if not bad:
        return decision
    kept = {name: value for name, value in decision.extras.items() if name not in bad}
    return noted(decision, (change(decision, extras=kept), f"value not valid: {', '.join(bad)}"), ADAPTER.name)


def _answer(event: Event, decision: Decision, stderr: bytes) -> Answer:
    name = event.hook_event_name
    if name == "WorktreeCreate":
        return _worktree(decision, stderr)
    if name == "PreCompact" and decision.context and decision.kind is not Kind.DENY:
        return Answer(stdout=_instructions(decision.context), stderr=stderr)
    body = _top(event, decision)
    specific = _specific(event, decision)
    if specific:
        body["hookSpecificOutput"] = {"hookEventName": name, **specific}
    return Answer(stdout=to_json(body) if body else b"", stderr=stderr)


def _worktree(decision: Decision, stderr: bytes) -> Answer:
    if decision.kind is Kind.DENY:
        line = to_line(_reason(decision))
        return Answer(stderr=stderr if line in stderr else stderr + line, exit=2)
    path = decision.extras.get("worktreePath")
    return Answer(stdout=str(path).encode("utf-8", "replace") if path else b"", stderr=stderr)


def _instructions(context: tuple[str, ...]) -> bytes:
    # Claude Code parses output that begins with a brace as JSON, and would drop instructions that merely look like it.
    text = "\n".join(context)
    return (f"Instructions: {text}" if text.lstrip().startswith("{") else text).encode("utf-8", "replace")


def _top(event: Event, decision: Decision) -> Payload:
    body = {name: value for name, value in decision.extras.items() if name in TOP and name != "systemMessage"}
    if decision.feedback:
        body.update(decision="block", reason="\n".join(decision.feedback).strip() or _reason(decision))
    elif decision.kind is Kind.DENY and not _spoken_for(event.hook_event_name):
        body.update(decision="block", reason=_reason(decision))
    if texts := _to_user(event, decision):
        body["systemMessage"] = "\n".join(texts)
    return body


def _spoken_for(name: str) -> bool:
    """Whether the event has its own way to say no."""
    return name in PERMISSIONS or name in ELICITATIONS or name == "PermissionRequest"


def _to_user(event: Event, decision: Decision) -> list[str]:
    texts = [*decision.messages, *(f"synaptic: {warning}" for warning in decision.warnings)]
    if said := decision.extras.get("systemMessage"):
        texts.append(str(said))
    if event.hook_event_name in ELICITATIONS and decision.kind is Kind.DENY:
        texts.append(_reason(decision))
    if event.hook_event_name == "PermissionRequest" and decision.kind is Kind.ASK:
        texts.append(_reason(decision))  # silence is the question; this is why
    return texts


def _specific(event: Event, decision: Decision) -> Payload:
    name = event.hook_event_name
    body = {key: value for key, value in decision.extras.items() if key not in TOP}
    context = decision.context
    if name == "PermissionRequest":
        body = _request(decision, body)
    elif name in ELICITATIONS and decision.kind is Kind.DENY:
        body = {"action": "decline"}
    elif name in PERMISSIONS:
        body = _permission(event, decision, body)
        if decision.kind is Kind.REWRITE and "permissionDecision" not in body:
            context = (*context, _reason(decision))
    if context:
        body["additionalContext"] = "\n".join(context)
    return body


def _request(decision: Decision, extras: Payload) -> Payload:
    if decision.kind is Kind.DENY:
        verdict: Payload = {"behavior": "deny", "message": _reason(decision)}
        if "interrupt" in extras:
            verdict["interrupt"] = extras["interrupt"]
        return {"decision": verdict}
    # No decision means that the user is asked. A rewrite alone is no permission (decision 6).
    if decision.kind is not Kind.ALLOW and not (decision.kind is Kind.REWRITE and decision.allowed):
        return {}
    verdict = {"behavior": "allow"}
    if decision.input is not None:
        verdict["updatedInput"] = decision.input
    if "updatedPermissions" in extras:
        verdict["updatedPermissions"] = extras["updatedPermissions"]
    return {"decision": verdict}


def _permission(event: Event, decision: Decision, extras: Payload) -> Payload:
    # Only "defer" gets here, the check of extras lets no other value pass. It must never replace a deny.
    deferred = extras.pop("permissionDecision", None)
    if deferred and decision.kind is not Kind.DENY:
        return {"permissionDecision": deferred, **extras}
    word = _word(event, decision)
    if word:
        extras.update(permissionDecision=word, permissionDecisionReason=_reason(decision))
    if decision.input is not None and decision.kind is not Kind.DENY:
        extras["updatedInput"] = decision.input
    return extras


def _word(event: Event, decision: Decision) -> str:
    if decision.kind is not Kind.REWRITE:
        return WORDS.get(decision.kind, "")
    return "allow" if decision.allowed or event.permission_mode in UNASKED else ""


def _reason(decision: Decision) -> str:
    return decision.reason.strip() or f"{WORDS.get(decision.kind, 'rewritten')} by {decision.by or 'a hook'}"

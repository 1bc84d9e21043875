"""Claude Code on the wire: its payloads, what each of its events can honour, and its JSON answers.

Every answer leaves with exit 0 and the JSON decides. The one exception is a refused WorktreeCreate: its stdout is
read as a path, so it is refused with exit 2 and the reason on stderr. An answer that fails Claude Code's validation
is ignored as a whole, deny included; therefore only known keys with values of the right type are written.
"""

import re
from collections.abc import Callable, Mapping

from synaptic.agents.base import Capability
from synaptic.agents.claude.entries import TIMEOUT, TIMEOUTS
from synaptic.agents.shared.degrade import change, degrade_decision, drop_input, note_degraded
from synaptic.agents.shared.payload import Payload, find_event_name, read_object, to_event, to_json, to_line
from synaptic.model.call import Answer, Call, Request
from synaptic.model.decision import Decision, Kind
from synaptic.model.event import EVENTS, Event, Timing, Unknown

EVENT_KEY = "hook_event_name"
RENAMED_TOOLS = {"Task": "Agent"}
"""Former tool names, and what they are called now."""
UNASKED_MODES = ("", "bypassPermissions")
"""Permission modes in which nobody would be asked anyway, so a rewrite may carry the allow."""

TOP_LEVEL_EXTRAS = frozenset({"continue", "stopReason", "suppressOutput", "systemMessage", "terminalSequence"})
OUTSIDE_TURN_EXTRAS = frozenset({"systemMessage", "terminalSequence"})
"""What is read from hooks that run outside of a turn."""
TERMINAL_SEQUENCE = re.compile(r"(?:\x07|\x1b\](?:0|1|2|9|99|777);[^\x07\x1b]*(?:\x07|\x1b\\))+")


def _make_type_check(*kinds: type) -> Callable[[object], bool]:
    return lambda value: isinstance(value, kinds)


def _is_text_list(value: object) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(item, str) for item in value)


def _is_object_list(value: object) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(item, dict) for item in value)


EXTRA_CHECKS: Mapping[str, Callable[[object], bool]] = {
    "continue": _make_type_check(bool),
    "stopReason": _make_type_check(str),
    "suppressOutput": _make_type_check(bool),
    "systemMessage": _make_type_check(str),
    "terminalSequence": lambda value: isinstance(value, str) and bool(TERMINAL_SEQUENCE.fullmatch(value)),
    "permissionDecision": lambda value: value == "defer",
    "updatedToolOutput": _make_type_check(object),
    "updatedMCPToolOutput": _make_type_check(object),
    "classifierContext": lambda value: isinstance(value, str) and len(value) <= 2000,
    "sessionTitle": _make_type_check(str),
    "suppressOriginalPrompt": _make_type_check(bool),
    "initialUserMessage": _make_type_check(str),
    "watchPaths": _is_text_list,
    "reloadSkills": _make_type_check(bool),
    "updatedPermissions": _is_object_list,
    "interrupt": _make_type_check(bool),
    "retry": _make_type_check(bool),
    "action": lambda value: value in ("accept", "decline", "cancel"),
    "content": _make_type_check(dict),
    "displayContent": _make_type_check(str),
    "worktreePath": lambda value: isinstance(value, str) and value.strip() != "",
}
"""Every field beyond the verdict that a hook may set, and the values Claude Code accepts for it."""


def _can_in_turn(*extras: str, **can: bool) -> Capability:
    return Capability(extras=TOP_LEVEL_EXTRAS.union(extras), **can)


def _can_outside_turn(*extras: str, **can: bool) -> Capability:
    return Capability(extras=OUTSIDE_TURN_EXTRAS.union(extras), **can)


EVENT_CAPABILITIES: Mapping[str, Capability] = {
    "PreToolUse": _can_in_turn("permissionDecision", deny=True, ask=True, allow=True, rewrite=True, context=True),
    "PostToolUse": _can_in_turn(
        "updatedToolOutput", "updatedMCPToolOutput", "classifierContext", context=True, feedback=True
    ),
    "PostToolUseFailure": _can_in_turn(context=True, feedback=True),
    "PostToolBatch": _can_in_turn(context=True),  # a block would stop the whole turn
    "PermissionRequest": _can_in_turn("updatedPermissions", "interrupt", deny=True, ask=True, allow=True, rewrite=True),
    "PermissionDenied": _can_in_turn("retry"),
    "UserPromptSubmit": _can_in_turn("sessionTitle", "suppressOriginalPrompt", deny=True, context=True),
    "UserPromptExpansion": _can_in_turn("suppressOriginalPrompt", deny=True, context=True),
    "SessionStart": _can_in_turn("initialUserMessage", "sessionTitle", "watchPaths", "reloadSkills", context=True),
    "Setup": _can_in_turn(),  # its context is accepted and then does not reach the first request
    "SessionEnd": _can_outside_turn(),
    "Stop": _can_in_turn(feedback=True),  # its context would make the turn go on
    "StopFailure": _can_outside_turn(),
    "SubagentStart": _can_in_turn(context=True),
    "SubagentStop": _can_in_turn(feedback=True),
    "TeammateIdle": _can_in_turn(feedback=True),
    "TaskCreated": _can_in_turn(deny=True),
    "TaskCompleted": _can_in_turn(deny=True),
    "PreCompact": _can_outside_turn(
        deny=True
    ),  # its own context becomes instructions for the summary, nothing else may
    "PostCompact": _can_outside_turn(),
    "PreModelSwitch": _can_in_turn(deny=True, ask=True, allow=True),
    "PostModelSwitch": _can_in_turn(context=True),
    "Notification": _can_outside_turn(),
    "Elicitation": _can_outside_turn("action", "content", deny=True),
    "ElicitationResult": _can_outside_turn("action", "content", deny=True),
    "ConfigChange": _can_outside_turn(deny=True),
    "WorktreeCreate": _can_outside_turn("worktreePath", deny=True),
    "WorktreeRemove": _can_outside_turn(),
    "InstructionsLoaded": _can_outside_turn(),
    "CwdChanged": _can_outside_turn("watchPaths"),
    "FileChanged": _can_outside_turn("watchPaths"),
    "DirectoryAdded": _can_outside_turn(),
    "MessageDisplay": _can_in_turn("displayContent"),
}
CAPABILITIES = {event: change(can, timeout=TIMEOUTS.get(event, TIMEOUT)) for event, can in EVENT_CAPABILITIES.items()}
NO_CAPABILITY = Capability()
PERMISSION_EVENTS = frozenset({"PreToolUse", "PreModelSwitch"})
"""Events that are answered with a permissionDecision."""
ELICITATION_EVENTS = frozenset({"Elicitation", "ElicitationResult"})
PERMISSION_WORDS = {Kind.DENY: "deny", Kind.ASK: "ask", Kind.ALLOW: "allow"}


def _to_camel_case(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)


FIELD_NAMES = {name for kind in EVENTS.values() for name in kind.__struct_fields__}
CAMEL_NAMES: Mapping[str, str] = {_to_camel_case(name): name for name in FIELD_NAMES if "_" in name}
OLD_NAMES: Mapping[str, str] = {
    "subagent_type": "agent_type",
    "response": "last_assistant_message",
    "assistant_response": "last_assistant_message",
    "user_prompt": "prompt",
}
"""Names that older hooks were written for: they stay in the payload beside the canonical one."""
ALIAS_NAMES = CAMEL_NAMES.keys() | OLD_NAMES.keys()


SILENCE = Answer()


class ClaudeAdapter:
    """The adapter of Claude Code."""

    name = "claude"

    def decode(self, request: Request) -> Call:
        payload, repaired = read_object(request)
        _rename_fields(payload)
        name, doubt = find_event_name(request, payload, EVENT_KEY)
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

    def to_canonical(self, event: str) -> str:
        return event

    def get_capability(self, event: str) -> Capability:
        return CAPABILITIES.get(event, NO_CAPABILITY)

    def degrade(self, call: Call, decision: Decision) -> Decision:
        if decision.is_silent:
            return decision
        can = _find_capability(call.event)
        decision = _drop_bad_extras(_drop_idle_rewrite(call.event, _block_to_message(call.event, decision)))
        decision = degrade_decision(decision, can, self.name)
        narrow = _narrow_capability(call.event, decision, can)
        return decision if narrow is can else degrade_decision(decision, narrow, self.name)

    def encode(self, call: Call, decision: Decision) -> Answer:
        if not call.warnings and decision.is_silent:
            return SILENCE
        stderr = b"".join(map(to_line, dict.fromkeys(call.warnings + decision.warnings)))
        return _build_answer(call.event, decision, stderr)

    def refuse(self, event: str, reason: str) -> Answer:
        stderr = to_line(reason)
        if not self.get_capability(event).deny:
            return Answer(stderr=stderr)
        return _build_answer(Event(hook_event_name=event), Decision(kind=Kind.DENY, reason=reason), stderr)


ADAPTER = ClaudeAdapter()


def _rename_fields(payload: Payload) -> None:
    if not ALIAS_NAMES.isdisjoint(payload):
        for alias in [key for key in payload if key in CAMEL_NAMES]:
            payload.setdefault(CAMEL_NAMES[alias], payload.pop(alias))
        for alias, name in OLD_NAMES.items():
            if alias in payload:
                payload.setdefault(name, payload[alias])
    # Policies compare with the present name of a tool, whichever version of the client sent the payload.
    tool = payload.get("tool_name")
    if isinstance(tool, str) and tool in RENAMED_TOOLS:
        payload["tool_name"] = RENAMED_TOOLS[tool]


def _find_capability(event: Event) -> Capability:
    can = CAPABILITIES.get(event.hook_event_name, NO_CAPABILITY)
    if event.hook_event_name == "PreCompact":
        return change(can, context=True)
    if event.hook_event_name == "ConfigChange" and event.subject == "policy_settings":
        return change(can, deny=False)  # managed settings cannot be vetoed
    return can


def _narrow_capability(event: Event, decision: Decision, can: Capability) -> Capability:
    """What the decision itself rules out."""
    if decision.kind is Kind.DENY and can.context and event.hook_event_name != "PreToolUse":
        return change(can, context=False)  # a blocked prompt or compaction never reaches the model
    if event.hook_event_name == "PreCompact" and decision.context:
        return change(can, message=False, extras=frozenset())  # plain text leaves no room for JSON
    if event.hook_event_name == "WorktreeCreate":
        return change(can, message=False, extras=can.extras & {"worktreePath"})  # stdout is the path
    return can


def _drop_idle_rewrite(event: Event, decision: Decision) -> Decision:
    """A permission prompt takes a new input only together with the allow."""
    if event.hook_event_name != "PermissionRequest" or decision.input is None:
        return decision
    if decision.allowed and decision.kind in (Kind.REWRITE, Kind.ALLOW):
        return decision
    note = "rewrite not possible without allowing: left to the permission prompt"
    return note_degraded(decision, (drop_input(decision), note), ADAPTER.name)


def _block_to_message(event: Event, decision: Decision) -> Decision:
    """A block of an event that merely tells something (SessionStart) is for the user, as with a hook's exit 2."""
    if event.TIMING is not Timing.OBSERVE or not decision.feedback:
        return decision
    told = change(decision, feedback=(), messages=(*decision.messages, *decision.feedback))
    return note_degraded(decision, (told, "nothing can be blocked here: told to the user"), ADAPTER.name)


def _drop_bad_extras(decision: Decision) -> Decision:
    if not decision.extras:
        return decision
    bad = sorted(
        name for name, value in decision.extras.items() if name in EXTRA_CHECKS and not EXTRA_CHECKS[name](value)
    )
    if not bad:
        return decision
    kept = {name: value for name, value in decision.extras.items() if name not in bad}
    return note_degraded(decision, (change(decision, extras=kept), f"value not valid: {', '.join(bad)}"), ADAPTER.name)


def _build_answer(event: Event, decision: Decision, stderr: bytes) -> Answer:
    name = event.hook_event_name
    if name == "WorktreeCreate":
        return _answer_worktree(decision, stderr)
    if name == "PreCompact" and decision.context and decision.kind is not Kind.DENY:
        return Answer(stdout=_format_instructions(decision.context), stderr=stderr)
    body = _build_top_level(event, decision)
    specific = _build_specific(event, decision)
    if specific:
        body["hookSpecificOutput"] = {"hookEventName": name, **specific}
    return Answer(stdout=to_json(body) if body else b"", stderr=stderr)


def _answer_worktree(decision: Decision, stderr: bytes) -> Answer:
    if decision.kind is Kind.DENY:
        line = to_line(_describe_reason(decision))
        return Answer(stderr=stderr if line in stderr else stderr + line, exit=2)
    path = decision.extras.get("worktreePath")
    return Answer(stdout=str(path).encode("utf-8", "replace") if path else b"", stderr=stderr)


def _format_instructions(context: tuple[str, ...]) -> bytes:
    # Claude Code parses output that begins with a brace as JSON, and would drop instructions that merely look like it.
    text = "\n".join(context)
    return (f"Instructions: {text}" if text.lstrip().startswith("{") else text).encode("utf-8", "replace")


def _build_top_level(event: Event, decision: Decision) -> Payload:
    body = {
        name: value for name, value in decision.extras.items() if name in TOP_LEVEL_EXTRAS and name != "systemMessage"
    }
    if decision.feedback:
        body.update(decision="block", reason="\n".join(decision.feedback).strip() or _describe_reason(decision))
    elif decision.kind is Kind.DENY and not _has_own_refusal(event.hook_event_name):
        body.update(decision="block", reason=_describe_reason(decision))
    if texts := _list_user_texts(event, decision):
        body["systemMessage"] = "\n".join(texts)
    return body


def _has_own_refusal(name: str) -> bool:
    """Whether the event has its own way to say no."""
    return name in PERMISSION_EVENTS or name in ELICITATION_EVENTS or name == "PermissionRequest"


def _list_user_texts(event: Event, decision: Decision) -> list[str]:
    texts = [*decision.messages, *(f"synaptic: {warning}" for warning in decision.warnings)]
    if said := decision.extras.get("systemMessage"):
        texts.append(str(said))
    if event.hook_event_name in ELICITATION_EVENTS and decision.kind is Kind.DENY:
        texts.append(_describe_reason(decision))
    if event.hook_event_name == "PermissionRequest" and decision.kind is Kind.ASK:
        texts.append(_describe_reason(decision))  # silence is the question; this is why
    return texts


def _build_specific(event: Event, decision: Decision) -> Payload:
    name = event.hook_event_name
    body = {key: value for key, value in decision.extras.items() if key not in TOP_LEVEL_EXTRAS}
    context = decision.context
    if name == "PermissionRequest":
        body = _build_permission_request(decision, body)
    elif name in ELICITATION_EVENTS and decision.kind is Kind.DENY:
        body = {"action": "decline"}
    elif name in PERMISSION_EVENTS:
        body = _build_permission(event, decision, body)
        why = decision.reason.strip()
        if decision.kind is Kind.REWRITE and why and "permissionDecision" not in body:
            context = (*context, why)  # a hook that rewrites without a word changes the input and nothing else
    if context:
        body["additionalContext"] = "\n".join(context)
    return body


def _build_permission_request(decision: Decision, extras: Payload) -> Payload:
    if decision.kind is Kind.DENY:
        verdict: Payload = {"behavior": "deny", "message": _describe_reason(decision)}
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


def _build_permission(event: Event, decision: Decision, extras: Payload) -> Payload:
    # Only "defer" gets here, the check of extras lets no other value pass. It must never replace a deny.
    deferred = extras.pop("permissionDecision", None)
    if deferred and decision.kind is not Kind.DENY:
        return {"permissionDecision": deferred, **extras}
    word = _choose_word(event, decision)
    if word:
        extras.update(permissionDecision=word, permissionDecisionReason=_describe_reason(decision))
    if decision.input is not None and decision.kind is not Kind.DENY:
        extras["updatedInput"] = decision.input
    return extras


def _choose_word(event: Event, decision: Decision) -> str:
    if decision.kind is not Kind.REWRITE:
        return PERMISSION_WORDS.get(decision.kind, "")
    return "allow" if decision.allowed or event.permission_mode in UNASKED_MODES else ""


def _describe_reason(decision: Decision) -> str:
    return decision.reason.strip() or f"{PERMISSION_WORDS.get(decision.kind, 'rewritten')} by {decision.by or 'a hook'}"

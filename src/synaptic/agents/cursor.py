"""Cursor on the wire: camelCase events, snake_case fields, and one word of permission in an answer that is never empty.

The same payloads come through Claude Code's settings files, which Cursor reads too, and the same answers are expected.
An entry that fails closed takes an empty stdout for a failure, so silence is an empty object.
"""

import shlex
from collections.abc import Callable, Mapping
from typing import Any

from synaptic.agents.base import (
    UNKNOWN_COMMAND_LINE,
    Agent,
    AgentSign,
    CallTrail,
    Capability,
    HookBypass,
    ReportedVersion,
    SettingsFolder,
    SettingsShape,
    Wiring,
    split_options,
)
from synaptic.agents.shared.adapter import DialectAdapter, add_timeouts
from synaptic.agents.shared.answers import describe_reason, join_context, mark_stop_block, refine_prompt
from synaptic.agents.shared.degrade import change
from synaptic.agents.shared.entries import build_hook, build_json_files, find_event_kind
from synaptic.agents.shared.ours import ENTRY_ARGUMENT
from synaptic.agents.shared.payload import DECODER, Payload, to_json
from synaptic.agents.shared.translate import (
    NATIVE_INPUT,
    NATIVE_TOOL,
    Dialect,
    ToolForm,
    find_native_event,
    to_native_input,
)
from synaptic.model.call import Answer, Call
from synaptic.model.decision import Decision, Kind
from synaptic.model.event import Timing
from synaptic.model.tool import Input, Tool

TIMEOUT = 60
TIMEOUTS: Mapping[str, int] = {"SessionEnd": 10, "UserPromptSubmit": 30}
"""Seconds."""
CONTEXT_LIMIT = 10_000
"""Characters of advice; the rest would be cut off."""

SHELL_EVENT, MCP_EVENT, READ_EVENT = "beforeShellExecution", "beforeMCPExecution", "beforeReadFile"
ASKING_EVENTS = frozenset({SHELL_EVENT, MCP_EVENT})
"""Events on which a person can be asked; preToolUse accepts the word and goes on."""
NARROW_EVENTS = ASKING_EVENTS | {
    READ_EVENT,
    "beforeTabFileRead",
    "afterShellExecution",
    "afterMCPExecution",
    "afterFileEdit",
}
"""Events that take no new input and no advice."""
REWRITABLE_ARGUMENTS: Mapping[str, frozenset[str]] = {
    "Shell": frozenset({"command", "cwd", "timeout"}),
    "Read": frozenset({"file_path"}),
    "Write": frozenset({"file_path"}),
}
"""The arguments that a new input may change, by tool; others are ignored."""

OBSERVE_ONLY = Capability(message=False)
EVENT_CAPABILITIES: Mapping[str, Capability] = {
    "PreToolUse": Capability(deny=True, allow=True, rewrite=True, context=True, message=False),
    "PostToolUse": Capability(context=True, message=False),
    "PostToolUseFailure": OBSERVE_ONLY,
    "UserPromptSubmit": Capability(deny=True, context=True, message=False),
    "SessionStart": Capability(context=True, message=False),
    "Stop": Capability(feedback=True, message=False),
    "SubagentStop": Capability(feedback=True, message=False),
    "SubagentStart": OBSERVE_ONLY,
    "PreCompact": OBSERVE_ONLY,
    "SessionEnd": OBSERVE_ONLY,
}


def _prepare_payload(payload: Payload) -> None:
    roots = payload.get("workspace_roots")
    if not payload.get("cwd") and isinstance(roots, list) and roots:
        payload["cwd"] = roots[0]
    if not payload.get("session_id") and payload.get("conversation_id"):
        payload["session_id"] = payload["conversation_id"]
    # Cursor counts refused stops instead of flagging them; stop hooks look for the flag to avoid a loop.
    if isinstance(rounds := payload.get("loop_count"), int):
        payload.setdefault("stop_hook_active", rounds > 0)
    for key in ("tool_input", "tool_output", "result_json"):
        if isinstance(payload.get(key), str):
            payload[key] = _decode_json_text(payload[key])
    name = payload.get("hook_event_name")
    if isinstance(name, str) and name in CALL_READERS:
        tool, given = CALL_READERS[name](payload)
        payload["tool_name"], payload["tool_input"] = tool, given


def _decode_json_text(text: str) -> object:
    """Decode a value that Cursor sends as JSON text; text that is no JSON stays text."""
    try:
        return DECODER.decode(text)
    except ValueError:
        return text


def _read_shell_call(payload: Payload) -> tuple[object, object]:
    return "Shell", {key: payload[key] for key in ("command", "cwd") if key in payload}


def _read_file_call(payload: Payload) -> tuple[object, object]:
    return "Read", {"file_path": payload.get("file_path")}


def _read_edit_call(payload: Payload) -> tuple[object, object]:
    return "MultiEdit", {"file_path": payload.get("file_path"), "edits": payload.get("edits", [])}


def _read_mcp_call(payload: Payload) -> tuple[object, object]:
    return f"MCP:{payload.get('tool_name', '')}", payload.get("tool_input")


CALL_READERS: Mapping[str, Callable[[Payload], tuple[object, object]]] = {
    SHELL_EVENT: _read_shell_call,
    "afterShellExecution": _read_shell_call,
    MCP_EVENT: _read_mcp_call,
    "afterMCPExecution": _read_mcp_call,
    READ_EVENT: _read_file_call,
    "beforeTabFileRead": _read_file_call,
    "afterFileEdit": _read_edit_call,
}
"""Events that tell a tool call in words of their own."""


def _name_mcp_tool(name: str, payload: Payload) -> str:
    return f"mcp__unknown__{tool}" if (tool := name.removeprefix("MCP:")) != name else name


def _read_delete(given: Input) -> Tool:
    """Read a deletion as the `rm` command it amounts to, so that the guards for shell commands judge it."""
    path = given.get("file_path", given.get("path"))
    return Tool("Bash", {"command": f"rm -- {shlex.quote(path)}"}) if isinstance(path, str) else Tool("Delete", given)


def _refuse_rewrite(native: Input, new: Input) -> None:
    return None


DIALECT = Dialect(
    agent="cursor",
    events={
        "preToolUse": "PreToolUse",
        SHELL_EVENT: "PreToolUse",
        MCP_EVENT: "PreToolUse",
        READ_EVENT: "PreToolUse",
        "beforeTabFileRead": "PreToolUse",
        "postToolUse": "PostToolUse",
        "postToolUseFailure": "PostToolUseFailure",
        "afterShellExecution": "PostToolUse",
        "afterMCPExecution": "PostToolUse",
        "afterFileEdit": "PostToolUse",
        "beforeSubmitPrompt": "UserPromptSubmit",
        "stop": "Stop",
        "sessionStart": "SessionStart",
        "sessionEnd": "SessionEnd",
        "subagentStart": "SubagentStart",
        "subagentStop": "SubagentStop",
        "preCompact": "PreCompact",
    },
    fields={
        "tool_output": "tool_response",
        "result_json": "tool_response",
        "output": "tool_response",
        "duration": "duration_ms",
        "error_message": "error",
        "subagent_id": "agent_id",
        "subagent_type": "agent_type",
        "summary": "last_assistant_message",
    },
    tools={
        "Shell": ToolForm("Bash", directory="cwd"),
        "Write": ToolForm("Write"),
        "StrReplace": ToolForm("Edit", {"path": "file_path", "old_str": "old_string", "new_str": "new_string"}),
        "Delete": ToolForm("Bash", read=_read_delete, write=_refuse_rewrite),
        "Read": ToolForm("Read", {"path": "file_path"}),
        "Grep": ToolForm("Grep"),
        "Fetch": ToolForm("WebFetch"),
        "Task": ToolForm("Agent"),
    },
    mcp=_name_mcp_tool,
    refine=refine_prompt,
    prepare=_prepare_payload,
)


def _shape_answer(call: Call, decision: Decision) -> Payload:
    name, body = call.event.hook_event_name, Payload()
    if name == "PreToolUse":
        body = _build_permission(call, decision)
    elif decision.kind is Kind.DENY:
        body = {"continue": False, "user_message": describe_reason(decision)}
    elif decision.feedback:
        body = {"followup_message": mark_stop_block(decision)}
    if decision.context:
        body["additional_context"] = join_context(decision)
    return body


def _build_permission(call: Call, decision: Decision) -> Payload:
    if decision.kind in (Kind.DENY, Kind.ASK):
        return {
            "permission": decision.kind.value,
            "user_message": describe_reason(decision),
            "agent_message": describe_reason(decision),
        }
    if decision.input is not None:
        return {"permission": "allow", "updated_input": _build_updated_input(call, decision.input)}
    return {"permission": "allow"} if decision.kind is Kind.ALLOW else {}


def _build_updated_input(call: Call, new: Input) -> dict[str, object]:
    allowed = REWRITABLE_ARGUMENTS.get(_find_native_tool(call), frozenset())
    return {key: value for key, value in (to_native_input(call, DIALECT, new) or {}).items() if key in allowed}


def _find_native_tool(call: Call) -> str:
    return str(call.payload.get(NATIVE_TOOL, call.payload.get("tool_name")))


class CursorAdapter(DialectAdapter):
    """The adapter of Cursor."""

    def limit_capability(self, call: Call, decision: Decision) -> Capability:
        can = super().limit_capability(call, decision)
        if find_native_event(call) in NARROW_EVENTS:
            can = change(can, rewrite=False, context=False, ask=find_native_event(call) in ASKING_EVENTS)
        if len(join_context(decision)) > CONTEXT_LIMIT:
            can = change(can, context=False)
        return can if not can.rewrite or self._is_exact(call, decision) else change(can, rewrite=False)

    def encode(self, call: Call, decision: Decision) -> Answer:
        answer = super().encode(call, decision)
        return answer if answer.stdout else change(answer, stdout=b"{}")

    def _is_exact(self, call: Call, decision: Decision) -> bool:
        """Whether a new input changes only what may be changed."""
        if decision.input is None:
            return True
        new = to_native_input(call, DIALECT, decision.input) or {}
        was = call.payload.get(NATIVE_INPUT, call.payload.get("tool_input"))
        old = was if isinstance(was, dict) else {}
        # Compared as JSON: in Python, 1 equals true, and such a change would go unnoticed.
        same = {key for key in new.keys() & old.keys() if to_json(new[key]) == to_json(old[key])}
        changed = (new.keys() | old.keys()) - same
        return changed <= REWRITABLE_ARGUMENTS.get(_find_native_tool(call), frozenset()) & new.keys()


ADAPTER = CursorAdapter(DIALECT, add_timeouts(EVENT_CAPABILITIES, TIMEOUT, TIMEOUTS), _shape_answer)


def _build_hook(wiring: Wiring, event: str) -> dict[str, Any]:
    closed = wiring.plan.fail_closed and find_event_kind(wiring, event).TIMING is Timing.BEFORE
    return {**build_hook(wiring, event), **({"failClosed": True} if closed else {})}


REGISTERED_EVENTS = (
    "preToolUse", "postToolUse", "postToolUseFailure", "beforeSubmitPrompt", "stop", "sessionStart", "sessionEnd",
    "subagentStart", "subagentStop", "preCompact",
)  # fmt: skip
"""Without beforeShellExecution and its like: they come after preToolUse, and a call is to be judged once."""

KNOWN_EVENTS = frozenset({
    "beforeShellExecution", "beforeMCPExecution", "afterShellExecution", "afterMCPExecution", "beforeReadFile",
    "afterFileEdit", "beforeTabFileRead", "afterTabFileEdit", "stop", "beforeSubmitPrompt", "afterAgentResponse",
    "afterAgentThought", "sessionStart", "sessionEnd", "preCompact", "subagentStart", "subagentStop", "preToolUse",
    "postToolUse", "postToolUseFailure", "workspaceOpen",
})  # fmt: skip
"""Cursor takes no file that names another event."""

AGENT = Agent(
    name="cursor",
    title="Cursor",
    note="",
    adapter=ADAPTER,
    events=REGISTERED_EVENTS,
    unseen=(
        "completions of the Tab key",
        "the server of an MCP tool",
        "a question before a tool call, which is a refusal instead",
    ),
    absence=None,
    trail=CallTrail(
        proves_run=frozenset({"PostToolUse"}),  # a failure may be a missing permission
        after_refusal="PostToolUseFailure",
        read_line=None,
    ),
    reported_version=ReportedVersion("payload", ("cursor_version",)),
    sign=AgentSign(lambda seen: "cursor_version" in seen),
    reads_claude_settings=True,
    imitates="",
    folder=SettingsFolder("", ".cursor"),
    named_files={},
    files=build_json_files("hooks.json", _build_hook, SettingsShape(nested=False, head={"version": 1})),
    mark=ENTRY_ARGUMENT,
    strict_events=KNOWN_EVENTS,
    agreement=None,
    switches=(),
    guards=(),
    credentials=(".config/cursor/auth.json",),
    programs=("cursor-agent", "cursor"),
    processes=("cursor-agent", "/cursor-agent/"),  # not `cursor`: people type in the terminal of that editor
    version_arguments=("--version",),
    command_line=UNKNOWN_COMMAND_LINE,
    bypass=HookBypass(
        unasked=split_options("--force -f --yolo"), other_use=split_options("--install-extension --uninstall-extension")
    ),
    shell_variables=("CURSOR_AGENT",),
    session_variables=(),
)

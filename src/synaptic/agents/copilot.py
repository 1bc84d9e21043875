"""GitHub Copilot CLI on the wire: two dialects, and the answer in the one that asked.

Entries under camelCase events get camelCase payloads and answer in flat JSON. Entries under Claude Code's event names
get snake_case payloads with Copilot's keys in the tool input, and answer in Claude Code's shape. A permission request
is camelCase in both. What comes on stderr is lost, whatever the exit code.
"""

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from synaptic.agents.base import (
    RESULT_EVENTS,
    Absence,
    Agent,
    AgentSign,
    CallTrail,
    Capability,
    CommandLine,
    HookBypass,
    HookSwitch,
    SettingsFolder,
    SettingsShape,
    Wiring,
    is_stamped,
    sets_any,
    split_options,
)
from synaptic.agents.shared.adapter import DialectAdapter, add_timeouts
from synaptic.agents.shared.answers import (
    add_specific,
    build_block,
    build_consent,
    build_permission,
    join_context,
    mark_stop_block,
    refine_prompt,
)
from synaptic.agents.shared.degrade import change
from synaptic.agents.shared.entries import build_command_text, build_json_files, find_timeout
from synaptic.agents.shared.ours import ENTRY_ARGUMENT, is_ours
from synaptic.agents.shared.payload import DECODER, Payload
from synaptic.agents.shared.translate import Dialect, ToolForm, find_native_event, to_native_input
from synaptic.model.call import Call
from synaptic.model.decision import Decision, Kind
from synaptic.model.patch import BEGIN, find_patch, read_patch_call, write_patch
from synaptic.model.tool import Input, Tool

TIMEOUT = 600
TIMEOUTS: Mapping[str, int] = {"SessionEnd": 10, "UserPromptSubmit": 30}
"""Seconds."""

CONTEXT_ONLY = Capability(context=True, message=False)
OBSERVE_ONLY = Capability(message=False)
EVENT_CAPABILITIES: Mapping[str, Capability] = {
    "PreToolUse": Capability(deny=True, ask=True, allow=True, rewrite=True, context=True, message=False),
    "PermissionRequest": Capability(deny=True, ask=True, allow=True, message=False),
    "PostToolUse": CONTEXT_ONLY,
    "PostToolUseFailure": CONTEXT_ONLY,
    "UserPromptSubmit": Capability(deny=True, context=True, message=False),
    "SessionStart": CONTEXT_ONLY,
    "SubagentStart": CONTEXT_ONLY,
    "Stop": Capability(feedback=True, message=False),
    "SubagentStop": Capability(feedback=True, message=False),
    "PreCompact": OBSERVE_ONLY,
    "Notification": OBSERVE_ONLY,
    "StopFailure": OBSERVE_ONLY,
    "SessionEnd": OBSERVE_ONLY,
}
EXIT_CODE_LINE = re.compile(r"<(?:shellId|command)[^<>]* exit(?:ed)?(?: with)?(?: exit)? code (\d+)>\s*\Z")
"""The line that the client puts below a command's output."""
ARGUMENT_KEYS = ("toolArgs", "toolInput", "tool_input")
BARE_PATCH_KEY = "patch"
"""Our key for a patch that came without one: it is never sent back."""
SESSION_SOURCES = {"new": "startup"}
"""How a session starts, in canonical words."""


def _prepare_payload(payload: Payload) -> None:
    for key in ARGUMENT_KEYS:
        if isinstance(payload.get(key), str):
            payload[key] = _decode_arguments(payload[key])
            _take_patch(payload, key)
    # Copilot sends an error as an object; hooks and policies expect its text, as Claude Code sends it.
    error = payload.get("error")
    if isinstance(error, dict) and isinstance(error.get("message"), str):
        payload["error"], payload["error_details"] = error["message"], str(error.get("stack") or "")
    source = payload.get("source")
    if isinstance(source, str) and source in SESSION_SOURCES:
        payload["source"] = SESSION_SOURCES[source]


def _decode_arguments(text: str) -> object:
    """Decode arguments: some versions send them as JSON text instead of an object."""
    try:
        return DECODER.decode(text)
    except ValueError:
        return text


def _take_patch(payload: Payload, key: str) -> None:
    """Some models give a patch as bare text; under Claude Code's event names the tool is then called Edit."""
    if isinstance(text := payload[key], str) and BEGIN in text:
        payload[key] = {BARE_PATCH_KEY: text}
        payload.update({name: "apply_patch" for name in ("toolName", "tool_name") if name in payload})


def _refine_event(event: str, payload: Payload) -> str:
    """A command that ended with a code is a success to the client, and a failure to everybody else."""
    result = payload.get("tool_response")
    if event != "PostToolUse" or not isinstance(result, dict):
        return refine_prompt(event, payload)
    text = result.get("textResultForLlm", result.get("text_result_for_llm"))
    found = EXIT_CODE_LINE.search(text) if isinstance(text, str) else None
    if found is None or found[1] == "0":
        return event
    payload.setdefault("error", f"Exit code {found[1]}\n{text}")
    return "PostToolUseFailure"


def _name_mcp_tool(name: str, payload: Payload) -> str:
    """`server-tool`: where the server ends cannot be told, so it is taken to end at the first dash."""
    server, found, tool = name.partition("-")
    return f"mcp__{server}__{tool}" if found and server and tool else name


def _read_patch(given: Input) -> Tool:
    text = find_patch(given)[1]
    return read_patch_call(text) if text else Tool("Edit", given)


def _write_patch(native: Input, new: Input) -> dict[str, object] | None:
    text, key = write_patch(new), find_patch(native)[0]
    return None if text is None or key == BARE_PATCH_KEY else {**native, key: text}


def _make_search_form(name: str) -> ToolForm:
    return ToolForm(name, read=lambda given: Tool(name, _listify_paths(given)))


def _listify_paths(given: Input) -> Input:
    """Put a single path into a list, which is what readers of `paths` expect."""
    paths = given.get("paths")
    return {**given, "paths": [paths]} if isinstance(paths, str) else given


BASH = ToolForm("Bash")
CREATE = ToolForm("Write", {"path": "file_path", "file_text": "content"})
EDIT = ToolForm("Edit", {"path": "file_path", "old_str": "old_string", "new_str": "new_string"})
VIEW = ToolForm("Read", {"path": "file_path"})
GREP, GLOB = _make_search_form("Grep"), _make_search_form("Glob")
DIALECT = Dialect(
    agent="copilot",
    events={
        "preToolUse": "PreToolUse",
        "permissionRequest": "PermissionRequest",
        "postToolUse": "PostToolUse",
        "postToolUseFailure": "PostToolUseFailure",
        "userPromptSubmitted": "UserPromptSubmit",
        "sessionStart": "SessionStart",
        "sessionEnd": "SessionEnd",
        "agentStop": "Stop",
        "subagentStart": "SubagentStart",
        "subagentStop": "SubagentStop",
        "preCompact": "PreCompact",
        "notification": "Notification",
        "errorOccurred": "StopFailure",
    },
    fields={
        "hookName": "hook_event_name",
        "hookEventName": "hook_event_name",
        "sessionId": "session_id",
        "transcriptPath": "transcript_path",
        "toolName": "tool_name",
        "toolArgs": "tool_input",
        "toolInput": "tool_input",
        "toolResult": "tool_response",
        "tool_result": "tool_response",
        "permissionSuggestions": "permission_suggestions",
        "stopReason": "stop_reason",
        "initialPrompt": "initial_prompt",
        "agentName": "agent_type",
    },
    tools={
        "bash": BASH,
        "Bash": BASH,
        "write_bash": ToolForm("Bash", {"input": "command"}),  # what is typed into a shell is a command
        "powershell": ToolForm("PowerShell"),
        "create": CREATE,
        "Write": CREATE,
        "edit": EDIT,
        "Edit": EDIT,
        "apply_patch": ToolForm("Edit", read=_read_patch, write=_write_patch),
        "view": VIEW,
        "Read": VIEW,
        "grep": GREP,
        "Grep": GREP,
        "rg": GREP,
        "glob": GLOB,
        "Glob": GLOB,
        "web_fetch": ToolForm("WebFetch"),
        "web_search": ToolForm("WebSearch"),
        "task": ToolForm("Agent"),
        "skill": ToolForm("Skill"),
    },
    mcp=_name_mcp_tool,
    refine=_refine_event,
    prepare=_prepare_payload,
)


def _is_flat(call: Call) -> bool:
    """Whether the dialect is camelCase: by the event's name, and where nobody named it by the kind of timestamp."""
    return find_native_event(call) in DIALECT.events or isinstance(call.payload.get("timestamp"), int)


def _shape_answer(call: Call, decision: Decision) -> Payload:
    name = call.event.hook_event_name
    flat = _is_flat(call)
    if name == "PermissionRequest":
        return build_consent(decision)
    if name != "PreToolUse":
        return _add_advice(call, decision, _build_block(decision))
    said = build_permission(_rewrite_to_allow(decision))
    if decision.input is not None and decision.kind is not Kind.DENY:
        said["modifiedArgs" if flat else "updatedInput"] = to_native_input(call, DIALECT, decision.input)
    return _add_advice(call, decision, said) if flat else add_specific({}, call, said, decision)


def _build_block(decision: Decision) -> Payload:
    return {"decision": "block", "reason": mark_stop_block(decision)} if decision.feedback else build_block(decision)


def _rewrite_to_allow(decision: Decision) -> Decision:
    """Turn a rewrite into an allow only where a hook allowed it: a rewrite alone is no permission (decision 6)."""
    return change(decision, kind=Kind.ALLOW) if decision.kind is Kind.REWRITE and decision.allowed else decision


def _add_advice(call: Call, decision: Decision, body: Payload) -> Payload:
    if not _is_flat(call):
        return add_specific(body, call, {}, decision)
    return {**body, "additionalContext": join_context(decision)} if decision.context else body


ADAPTER = DialectAdapter(DIALECT, add_timeouts(EVENT_CAPABILITIES, TIMEOUT, TIMEOUTS), _shape_answer)


def _build_hook(wiring: Wiring, event: str) -> dict[str, Any]:
    return {"type": "command", "bash": build_command_text(wiring, event), "timeoutSec": find_timeout(wiring, event)}


COMMAND_LINE = CommandLine(
    flag="-i",
    prompts=split_options("-i --interactive -p --prompt"),
    words_are_prompts=False,
    resume=split_options("-r --resume --continue --session-id --connect"),
    switches=split_options(
        "--continue --yolo --allow-all --allow-all-tools --allow-all-paths --allow-all-urls -s --silent"
    ),
    several=split_options("--allow-tool --deny-tool --available-tools --excluded-tools --allow-url --deny-url"),
)


REGISTERED_EVENTS = (
    "preToolUse", "permissionRequest", "postToolUse", "postToolUseFailure", "userPromptSubmitted", "sessionStart",
    "sessionEnd", "agentStop", "subagentStart", "subagentStop", "preCompact", "notification", "errorOccurred",
)  # fmt: skip
"""Without preMcpToolCall and userPromptTransformed: preToolUse and userPromptSubmitted have been there before."""

AGENT = Agent(
    name="copilot",
    title="GitHub Copilot CLI",
    note="",
    adapter=ADAPTER,
    events=REGISTERED_EVENTS,
    unseen=(
        "which part of `server-tool` is the server, when its name holds a dash",
        "a reason on stderr, so a dispatcher that cannot answer denies without one",
    ),
    absence=Absence(options=split_options("-p --prompt")),
    trail=CallTrail(proves_run=RESULT_EVENTS, after_refusal="", read_line=None),
    reported_version=None,
    sign=AgentSign(is_stamped, sets_any("COPILOT_CLI")),
    reads_claude_settings=True,
    imitates="",
    folder=SettingsFolder("COPILOT_HOME", ".copilot"),
    named_files={},
    files=build_json_files(
        "hooks/synaptic.json",
        _build_hook,
        SettingsShape(nested=False, head={"version": 1}, is_ours=partial(is_ours, key="bash")),
    ),
    mark=ENTRY_ARGUMENT,
    strict_events=frozenset(),
    agreement=None,
    switches=(
        HookSwitch("settings.json", ("disableAllHooks",), True),
        HookSwitch("config.json", ("disableAllHooks",), True),
        HookSwitch("hooks/synaptic.json", ("disableAllHooks",), True),
    ),
    guards=("hooks",),
    credentials=(".config/github-copilot/apps.json", ".config/github-copilot/hosts.json"),
    programs=("copilot",),
    processes=("copilot", "@github/copilot/"),
    version_arguments=("--version",),
    command_line=COMMAND_LINE,
    bypass=HookBypass(
        options=split_options("--config-dir"), unasked=split_options("--yolo --allow-all --allow-all-tools")
    ),
    shell_variables=("COPILOT_CLI",),
    session_variables=("COPILOT_AGENT_SESSION_ID",),
)

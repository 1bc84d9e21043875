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
    Agent,
    Capability,
    CommandLine,
    HookSwitch,
    SettingsFolder,
    SettingsShape,
    Sign,
    Wiring,
    is_stamped,
    options,
    sets_any,
)
from synaptic.agents.shared.adapter import DialectAdapter, with_timeouts
from synaptic.agents.shared.answers import advice, block, consent, keep_going, permission, refine_prompt, with_specific
from synaptic.agents.shared.degrade import change
from synaptic.agents.shared.entries import command_text, json_file, timeout_of
from synaptic.agents.shared.ours import ENTRY, is_ours
from synaptic.agents.shared.payload import DECODER, Payload
from synaptic.agents.shared.translate import Dialect, Form, native_event, native_input
from synaptic.model.call import Call
from synaptic.model.decision import Decision, Kind
from synaptic.model.patch import BEGIN, patched, rewritten
from synaptic.model.tool import Input, Tool

TIMEOUT = 600
TIMEOUTS: Mapping[str, int] = {"SessionEnd": 10, "UserPromptSubmit": 30}
"""Seconds."""

TOLD = Capability(context=True, message=False)
HEARD = Capability(message=False)
TABLE: Mapping[str, Capability] = {
    "PreToolUse": Capability(deny=True, ask=True, allow=True, rewrite=True, context=True, message=False),
    "PermissionRequest": Capability(deny=True, ask=True, allow=True, message=False),
    "PostToolUse": TOLD,
    "PostToolUseFailure": TOLD,
    "UserPromptSubmit": Capability(deny=True, context=True, message=False),
    "SessionStart": TOLD,
    "SubagentStart": TOLD,
    "Stop": Capability(feedback=True, message=False),
    "SubagentStop": Capability(feedback=True, message=False),
    "PreCompact": HEARD,
    "Notification": HEARD,
    "StopFailure": HEARD,
    "SessionEnd": HEARD,
}
EXITED = re.compile(r"<(?:shellId|command)[^<>]* exit(?:ed)?(?: with)?(?: exit)? code (\d+)>\s*\Z")
"""The line that the client puts below a command's output."""
ARGUMENTS = ("toolArgs", "toolInput", "tool_input")
BARE = "patch"
"""Our key for a patch that came without one: it is never sent back."""
SOURCES = {"new": "startup"}
"""How a session starts, in canonical words."""


def _prepare(payload: Payload) -> None:
    for key in ARGUMENTS:
        if isinstance(payload.get(key), str):
            payload[key] = _object(payload[key])
            _take_patch(payload, key)
    # Copilot sends an error as an object; hooks and policies expect its text, as Claude Code sends it.
    error = payload.get("error")
    if isinstance(error, dict) and isinstance(error.get("message"), str):
        payload["error"], payload["error_details"] = error["message"], str(error.get("stack") or "")
    source = payload.get("source")
    if isinstance(source, str) and source in SOURCES:
        payload["source"] = SOURCES[source]


def _object(text: str) -> object:
    """Decode arguments: some versions send them as JSON text instead of an object."""
    try:
        return DECODER.decode(text)
    except ValueError:
        return text


def _take_patch(payload: Payload, key: str) -> None:
    """Some models give a patch as bare text; under Claude Code's event names the tool is then called Edit."""
    if isinstance(text := payload[key], str) and BEGIN in text:
        payload[key] = {BARE: text}
        payload.update({name: "apply_patch" for name in ("toolName", "tool_name") if name in payload})


def _refine(event: str, payload: Payload) -> str:
    """A command that ended with a code is a success to the client, and a failure to everybody else."""
    result = payload.get("tool_response")
    if event != "PostToolUse" or not isinstance(result, dict):
        return refine_prompt(event, payload)
    text = result.get("textResultForLlm", result.get("text_result_for_llm"))
    found = EXITED.search(text) if isinstance(text, str) else None
    if found is None or found[1] == "0":
        return event
    payload.setdefault("error", f"Exit code {found[1]}\n{text}")
    return "PostToolUseFailure"


def _mcp(name: str, payload: Payload) -> str:
    """`server-tool`: where the server ends cannot be told, so it is taken to end at the first dash."""
    server, found, tool = name.partition("-")
    return f"mcp__{server}__{tool}" if found and server and tool else name


def _read(given: Input) -> Tool:
    text = _patch(given)[1]
    return patched(text) if text else Tool("Edit", given)


def _write(native: Input, new: Input) -> dict[str, object] | None:
    text, key = rewritten(new), _patch(native)[0]
    return None if text is None or key == BARE else {**native, key: text}


def _search(name: str) -> Form:
    return Form(name, read=lambda given: Tool(name, _listed(given)))


def _listed(given: Input) -> Input:
    """Put a single path into a list, which is what readers of `paths` expect."""
    paths = given.get("paths")
    return {**given, "paths": [paths]} if isinstance(paths, str) else given


def _patch(given: Input) -> tuple[str, str]:
    if isinstance(text := given.get("input"), str):
        return "input", text
    found = ((key, value) for key, value in given.items() if isinstance(value, str) and BEGIN in value)
    return next(found, ("", ""))


BASH = Form("Bash")
CREATE = Form("Write", {"path": "file_path", "file_text": "content"})
EDIT = Form("Edit", {"path": "file_path", "old_str": "old_string", "new_str": "new_string"})
VIEW = Form("Read", {"path": "file_path"})
GREP, GLOB = _search("Grep"), _search("Glob")
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
        "write_bash": Form("Bash", {"input": "command"}),  # what is typed into a shell is a command
        "powershell": Form("PowerShell"),
        "create": CREATE,
        "Write": CREATE,
        "edit": EDIT,
        "Edit": EDIT,
        "apply_patch": Form("Edit", read=_read, write=_write),
        "view": VIEW,
        "Read": VIEW,
        "grep": GREP,
        "Grep": GREP,
        "rg": GREP,
        "glob": GLOB,
        "Glob": GLOB,
        "web_fetch": Form("WebFetch"),
        "web_search": Form("WebSearch"),
        "task": Form("Agent"),
        "skill": Form("Skill"),
    },
    mcp=_mcp,
    refine=_refine,
    prepare=_prepare,
)


def _is_flat(call: Call) -> bool:
    """Whether the dialect is camelCase: by the event's name, and where nobody named it by the kind of timestamp."""
    return native_event(call) in DIALECT.events or isinstance(call.payload.get("timestamp"), int)


def _shape(call: Call, decision: Decision) -> Payload:
    name = call.event.hook_event_name
    flat = _is_flat(call)
    if name == "PermissionRequest":
        return consent(decision)
    if name != "PreToolUse":
        return _advised(call, decision, _blocked(decision))
    said = permission(_word(decision))
    if decision.input is not None and decision.kind is not Kind.DENY:
        said["modifiedArgs" if flat else "updatedInput"] = native_input(call, DIALECT, decision.input)
    return _advised(call, decision, said) if flat else with_specific({}, call, said, decision)


def _blocked(decision: Decision) -> Payload:
    return {"decision": "block", "reason": keep_going(decision)} if decision.feedback else block(decision)


def _word(decision: Decision) -> Decision:
    """Turn a rewrite into an allow only where a hook allowed it: a rewrite alone is no permission (decision 6)."""
    return change(decision, kind=Kind.ALLOW) if decision.kind is Kind.REWRITE and decision.allowed else decision


def _advised(call: Call, decision: Decision, body: Payload) -> Payload:
    if not _is_flat(call):
        return with_specific(body, call, {}, decision)
    return {**body, "additionalContext": advice(decision)} if decision.context else body


ADAPTER = DialectAdapter(DIALECT, with_timeouts(TABLE, TIMEOUT, TIMEOUTS), _shape)


def _build_hook(wiring: Wiring, event: str) -> dict[str, Any]:
    return {"type": "command", "bash": command_text(wiring, event), "timeoutSec": timeout_of(wiring, event)}


COMMAND_LINE = CommandLine(
    flag="-i",
    prompts=options("-i --interactive -p --prompt"),
    words_are_prompts=False,
    resume=options("-r --resume --continue --session-id --connect"),
    switches=options("--continue --yolo --allow-all --allow-all-tools --allow-all-paths --allow-all-urls -s --silent"),
    several=options("--allow-tool --deny-tool --available-tools --excluded-tools --allow-url --deny-url"),
)


REGISTERED = (
    "preToolUse", "permissionRequest", "postToolUse", "postToolUseFailure", "userPromptSubmitted", "sessionStart",
    "sessionEnd", "agentStop", "subagentStart", "subagentStop", "preCompact", "notification", "errorOccurred",
)  # fmt: skip
"""Without preMcpToolCall and userPromptTransformed: preToolUse and userPromptSubmitted have been there before."""

AGENT = Agent(
    name="copilot",
    title="GitHub Copilot CLI",
    note="",
    adapter=ADAPTER,
    events=REGISTERED,
    unseen=(
        "which part of `server-tool` is the server, when its name holds a dash",
        "a reason on stderr, so a dispatcher that cannot answer denies without one",
    ),
    sign=Sign(is_stamped, sets_any("COPILOT_CLI")),
    reads_claude_settings=True,
    imitates="",
    folder=SettingsFolder("COPILOT_HOME", ".copilot"),
    named_files={},
    files=json_file(
        "hooks/synaptic.json",
        _build_hook,
        SettingsShape(nested=False, head={"version": 1}, is_ours=partial(is_ours, key="bash")),
    ),
    mark=ENTRY,
    strict_events=frozenset(),
    agreement=None,
    switches=(
        HookSwitch("settings.json", ("disableAllHooks",), True),
        HookSwitch("config.json", ("disableAllHooks",), True),
        HookSwitch("hooks/synaptic.json", ("disableAllHooks",), True),
    ),
    guards=("hooks",),
    programs=("copilot",),
    version_arguments=("--version",),
    command_line=COMMAND_LINE,
    shell_variables=("COPILOT_CLI",),
    session_variables=("COPILOT_AGENT_SESSION_ID",),
)

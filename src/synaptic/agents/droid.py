"""Factory's droid on the wire: Claude Code's events and answers with its own tools; nobody can be asked."""

from collections.abc import Mapping
from typing import Any

from synaptic.agents.base import (
    RESULT_EVENTS,
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
    has_transcript_below,
    sets_any,
    split_options,
)
from synaptic.agents.shared.adapter import UNIVERSAL_EXTRAS, DialectAdapter, add_timeouts
from synaptic.agents.shared.answers import (
    add_specific,
    build_block,
    build_permission,
    build_top_level,
    describe_reason,
    format_stderr,
)
from synaptic.agents.shared.degrade import change
from synaptic.agents.shared.entries import build_group, build_json_files, find_event_kind
from synaptic.agents.shared.ours import ENTRY_ARGUMENT
from synaptic.agents.shared.payload import Payload
from synaptic.agents.shared.translate import Dialect, ToolForm, refine_failure, to_native_input
from synaptic.model.call import Answer, Call
from synaptic.model.decision import Decision, Kind
from synaptic.model.event import ToolEvent
from synaptic.model.patch import find_patch, read_patch_call, write_patch
from synaptic.model.tool import Input, Tool

TIMEOUT = 600
TIMEOUTS: Mapping[str, int] = {"SessionEnd": 10, "UserPromptSubmit": 30}
"""Seconds."""
PROMPT_EVENT = "UserPromptSubmit"

ANY_EXTRAS = frozenset(UNIVERSAL_EXTRAS)
EVENT_CAPABILITIES: Mapping[str, Capability] = {
    "PreToolUse": Capability(deny=True, allow=True, rewrite=True, extras=ANY_EXTRAS),  # context is read and then lost
    "PostToolUse": Capability(context=True, extras=ANY_EXTRAS),  # a block has no effect
    "PostToolUseFailure": Capability(context=True, extras=ANY_EXTRAS),
    PROMPT_EVENT: Capability(deny=True, context=True, extras=ANY_EXTRAS),
    "SessionStart": Capability(context=True, extras=ANY_EXTRAS),
    "Stop": Capability(feedback=True, extras=ANY_EXTRAS),
    "SubagentStop": Capability(feedback=True, extras=ANY_EXTRAS),
    "PreCompact": Capability(extras=ANY_EXTRAS),
    "Notification": Capability(extras=ANY_EXTRAS),
    "SessionEnd": Capability(message=False),
}


def _read_patch(given: Input) -> Tool:
    key, text = find_patch(given)
    return read_patch_call(text) if key else Tool("Edit", given)


def _write_patch(native: Input, new: Input) -> dict[str, object] | None:
    text = write_patch(new)
    return None if text is None else {**native, find_patch(native)[0]: text}


def _name_mcp_tool(name: str, _: Payload) -> str:
    server, found, tool = name.partition("___")
    return f"mcp__{server}__{tool}" if found and server and tool else name


DIALECT = Dialect(
    agent="droid",
    tools={
        "Execute": ToolForm("Bash", {"summary": "description", "fireAndForget": "run_in_background"}),
        "Create": ToolForm("Write"),
        "Edit": ToolForm("Edit", {"old_str": "old_string", "new_str": "new_string", "change_all": "replace_all"}),
        "ApplyPatch": ToolForm("Edit", read=_read_patch, write=_write_patch),
        "Read": ToolForm("Read"),
        "LS": ToolForm("LS", {"directory_path": "path"}),
        "Grep": ToolForm("Grep"),
        "Glob": ToolForm("Glob", {"patterns": "pattern", "folder": "path"}),
        "FetchUrl": ToolForm("WebFetch"),
        "WebSearch": ToolForm("WebSearch"),
        "Task": ToolForm("Agent"),
    },
    mcp=_name_mcp_tool,
    refine=refine_failure,
)


def _shape_answer(call: Call, decision: Decision) -> Payload:
    body, specific = build_top_level(decision), {}
    if call.event.hook_event_name == "PreToolUse":
        specific = _shape_before_tool(call, decision)
    else:
        body.update(build_block(decision))
    return add_specific(body, call, specific, decision)


def _shape_before_tool(call: Call, decision: Decision) -> Payload:
    if decision.input is None or decision.kind is Kind.DENY:
        return build_permission(decision)
    said = build_permission(change(decision, kind=Kind.ALLOW)) if decision.allowed else {}
    return {**said, "updatedInput": to_native_input(call, DIALECT, decision.input)}


class DroidAdapter(DialectAdapter):
    """The adapter of droid."""

    def limit_capability(self, call: Call, decision: Decision) -> Capability:
        """No rewrite that removes a key: droid merges the new input into the old one, so the key would stay."""
        can = super().limit_capability(call, decision)
        if not can.rewrite or decision.input is None:
            return can
        new = to_native_input(call, DIALECT, decision.input) or {}
        was = call.payload.get("native_tool_input", call.payload.get("tool_input"))
        return can if isinstance(was, dict) and was.keys() <= new.keys() else change(can, rewrite=False)

    def narrow_capability(self, call: Call, decision: Decision, can: Capability) -> Capability:
        can = super().narrow_capability(call, decision, can)
        if decision.kind is Kind.DENY and call.event.hook_event_name == PROMPT_EVENT:
            return change(can, message=False, extras=frozenset())  # the refusal leaves no room for JSON
        return can

    def encode(self, call: Call, decision: Decision) -> Answer:
        """A prompt is refused by exit code and stderr: of the JSON only the end of the whole run would be read."""
        if decision.kind is not Kind.DENY or call.event.hook_event_name != PROMPT_EVENT:
            return super().encode(call, decision)
        why = f"{describe_reason(decision)}\n".encode("utf-8", "replace")
        return Answer(stderr=why + format_stderr(call, decision), exit=2)


ADAPTER = DroidAdapter(DIALECT, add_timeouts(EVENT_CAPABILITIES, TIMEOUT, TIMEOUTS), _shape_answer)


def _build_group(wiring: Wiring, event: str) -> dict[str, Any]:
    matcher = {"matcher": "*"} if issubclass(find_event_kind(wiring, event), ToolEvent) else {}
    return {**matcher, **build_group(wiring, event)}


COMMAND_LINE = CommandLine(
    resume=split_options("-r --resume --last --fork"),
    resume_verbs=split_options("resume"),
    switches=split_options("--last --use-spec --disable-builtin-skills"),
    verbs={
        "exec": CommandLine(
            resume=split_options("-s --session-id --fork"),
            other=split_options("-f --file"),
            switches=split_options("--skip-permissions-unsafe --disable-builtin-skills --use-spec --mission"),
        )
    },
)


REGISTERED_EVENTS = (
    "PreToolUse", "PostToolUse", "Notification", "UserPromptSubmit", "Stop", "SubagentStop", "PreCompact",
    "SessionStart", "SessionEnd",
)  # fmt: skip

AGENT = Agent(
    name="droid",
    title="Factory droid",
    note="",
    adapter=ADAPTER,
    events=REGISTERED_EVENTS,
    unseen=("prompts of `droid exec`, for which UserPromptSubmit does not come",),
    absence=None,
    trail=CallTrail(proves_run=RESULT_EVENTS, after_refusal="", read_line=None),
    reported_version=None,
    sign=AgentSign(has_transcript_below(b"/.factory/"), sets_any("FACTORY_PROJECT_DIR", "DROID_PROJECT_DIR")),
    reads_claude_settings=False,
    imitates="",
    folder=SettingsFolder("FACTORY_HOME_OVERRIDE", "", ".factory"),
    named_files={},
    files=build_json_files("hooks.json", _build_group, SettingsShape(inside="", comments=True)),
    mark=ENTRY_ARGUMENT,
    strict_events=frozenset(),
    agreement=None,
    switches=(
        HookSwitch("hooks.json", ("hooksDisabled",), True),
        HookSwitch("settings.json", ("hooks", "hooksDisabled"), True),
        HookSwitch("settings.json", ("hooksDisabled",), True),
    ),
    guards=(),
    credentials=(".factory/auth.json", ".factory/auth.v2.file", ".factory/auth.v2.key"),
    programs=("droid",),
    processes=("droid", "node_modules/droid/"),
    version_arguments=("--version",),
    command_line=COMMAND_LINE,
    bypass=HookBypass(
        options=split_options("--settings"), unasked=split_options("--skip-permissions-unsafe --auto=high")
    ),
    shell_variables=(),  # it sets none by which it could be told
    session_variables=(),
)

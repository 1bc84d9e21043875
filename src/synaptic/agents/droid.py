"""Factory's droid on the wire: Claude Code's events and answers with its own tools; nobody can be asked."""

from collections.abc import Mapping
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
    has_transcript_below,
    options,
    sets_any,
)
from synaptic.agents.shared.adapter import UNIVERSAL, DialectAdapter, with_timeouts
from synaptic.agents.shared.answers import block, permission, reason, to_stderr, top, with_specific
from synaptic.agents.shared.degrade import change
from synaptic.agents.shared.entries import build_group, json_file, kind_of_event
from synaptic.agents.shared.ours import ENTRY
from synaptic.agents.shared.payload import Payload
from synaptic.agents.shared.translate import Dialect, Form, native_input, refine_failure
from synaptic.model.call import Answer, Call
from synaptic.model.decision import Decision, Kind
from synaptic.model.event import ToolEvent
from synaptic.model.patch import BEGIN, patched, rewritten
from synaptic.model.tool import Input, Tool

TIMEOUT = 600
TIMEOUTS: Mapping[str, int] = {"SessionEnd": 10, "UserPromptSubmit": 30}
"""Seconds."""
PROMPT = "UserPromptSubmit"

ANY = frozenset(UNIVERSAL)
TABLE: Mapping[str, Capability] = {
    "PreToolUse": Capability(deny=True, allow=True, rewrite=True, extras=ANY),  # context is read and then lost
    "PostToolUse": Capability(context=True, extras=ANY),  # a block has no effect
    "PostToolUseFailure": Capability(context=True, extras=ANY),
    PROMPT: Capability(deny=True, context=True, extras=ANY),
    "SessionStart": Capability(context=True, extras=ANY),
    "Stop": Capability(feedback=True, extras=ANY),
    "SubagentStop": Capability(feedback=True, extras=ANY),
    "PreCompact": Capability(extras=ANY),
    "Notification": Capability(extras=ANY),
    "SessionEnd": Capability(message=False),
}


def _text(given: Input) -> tuple[str, str]:
    """The key that holds the patch, and the patch."""
    if isinstance(text := given.get("input"), str):
        return "input", text
    found = ((key, value) for key, value in given.items() if isinstance(value, str) and BEGIN in value)
    return next(found, ("", ""))


def _read(given: Input) -> Tool:
    key, text = _text(given)
    return patched(text) if key else Tool("Edit", given)


def _write(native: Input, new: Input) -> dict[str, object] | None:
    text = rewritten(new)
    return None if text is None else {**native, _text(native)[0]: text}


def _mcp(name: str, _: Payload) -> str:
    server, found, tool = name.partition("___")
    return f"mcp__{server}__{tool}" if found and server and tool else name


DIALECT = Dialect(
    agent="droid",
    tools={
        "Execute": Form("Bash", {"summary": "description", "fireAndForget": "run_in_background"}),
        "Create": Form("Write"),
        "Edit": Form("Edit", {"old_str": "old_string", "new_str": "new_string", "change_all": "replace_all"}),
        "ApplyPatch": Form("Edit", read=_read, write=_write),
        "Read": Form("Read"),
        "LS": Form("LS", {"directory_path": "path"}),
        "Grep": Form("Grep"),
        "Glob": Form("Glob", {"patterns": "pattern", "folder": "path"}),
        "FetchUrl": Form("WebFetch"),
        "WebSearch": Form("WebSearch"),
        "Task": Form("Agent"),
    },
    mcp=_mcp,
    refine=refine_failure,
)


def _shape(call: Call, decision: Decision) -> Payload:
    body, specific = top(decision), {}
    if call.event.hook_event_name == "PreToolUse":
        specific = _before_tool(call, decision)
    else:
        body.update(block(decision))
    return with_specific(body, call, specific, decision)


def _before_tool(call: Call, decision: Decision) -> Payload:
    if decision.input is None or decision.kind is Kind.DENY:
        return permission(decision)
    said = permission(change(decision, kind=Kind.ALLOW)) if decision.allowed else {}
    return {**said, "updatedInput": native_input(call, DIALECT, decision.input)}


class Droid(DialectAdapter):
    """The adapter of droid."""

    def possible(self, call: Call, decision: Decision) -> Capability:
        """No rewrite that removes a key: droid merges the new input into the old one, so the key would stay."""
        can = super().possible(call, decision)
        if not can.rewrite or decision.input is None:
            return can
        new = native_input(call, DIALECT, decision.input) or {}
        was = call.payload.get("native_tool_input", call.payload.get("tool_input"))
        return can if isinstance(was, dict) and was.keys() <= new.keys() else change(can, rewrite=False)

    def narrowed(self, call: Call, decision: Decision, can: Capability) -> Capability:
        can = super().narrowed(call, decision, can)
        if decision.kind is Kind.DENY and call.event.hook_event_name == PROMPT:
            return change(can, message=False, extras=frozenset())  # the refusal leaves no room for JSON
        return can

    def encode(self, call: Call, decision: Decision) -> Answer:
        """A prompt is refused by exit code and stderr: of the JSON only the end of the whole run would be read."""
        if decision.kind is not Kind.DENY or call.event.hook_event_name != PROMPT:
            return super().encode(call, decision)
        why = f"{reason(decision)}\n".encode("utf-8", "replace")
        return Answer(stderr=why + to_stderr(call, decision), exit=2)


ADAPTER = Droid(DIALECT, with_timeouts(TABLE, TIMEOUT, TIMEOUTS), _shape)


def _build_group(wiring: Wiring, event: str) -> dict[str, Any]:
    matcher = {"matcher": "*"} if issubclass(kind_of_event(wiring, event), ToolEvent) else {}
    return {**matcher, **build_group(wiring, event)}


COMMAND_LINE = CommandLine(
    resume=options("-r --resume --last --fork"),
    resume_verbs=options("resume"),
    switches=options("--last --use-spec --disable-builtin-skills"),
    verbs={
        "exec": CommandLine(
            resume=options("-s --session-id --fork"),
            other=options("-f --file"),
            switches=options("--skip-permissions-unsafe --disable-builtin-skills --use-spec --mission"),
        )
    },
)


REGISTERED = (
    "PreToolUse", "PostToolUse", "Notification", "UserPromptSubmit", "Stop", "SubagentStop", "PreCompact",
    "SessionStart", "SessionEnd",
)  # fmt: skip

AGENT = Agent(
    name="droid",
    title="Factory droid",
    note="",
    adapter=ADAPTER,
    events=REGISTERED,
    unseen=("prompts of `droid exec`, for which UserPromptSubmit does not come",),
    sign=Sign(has_transcript_below(b"/.factory/"), sets_any("FACTORY_PROJECT_DIR", "DROID_PROJECT_DIR")),
    reads_claude_settings=False,
    imitates="",
    folder=SettingsFolder("FACTORY_HOME_OVERRIDE", "", ".factory"),
    named_files={},
    files=json_file("hooks.json", _build_group, SettingsShape(inside="", comments=True)),
    mark=ENTRY,
    strict_events=frozenset(),
    agreement=None,
    switches=(
        HookSwitch("hooks.json", ("hooksDisabled",), True),
        HookSwitch("settings.json", ("hooks", "hooksDisabled"), True),
        HookSwitch("settings.json", ("hooksDisabled",), True),
    ),
    guards=(),
    programs=("droid",),
    version_arguments=("--version",),
    command_line=COMMAND_LINE,
    shell_variables=(),  # it sets none by which it could be told
    session_variables=(),
)

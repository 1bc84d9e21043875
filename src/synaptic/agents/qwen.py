"""Qwen Code on the wire: Claude Code's events and answers, Gemini's tools, and no way to change a call beforehand."""

from collections.abc import Mapping

from synaptic.agents.base import (
    RESULT_EVENTS,
    Absence,
    Agent,
    AgentSign,
    CallTrail,
    Capability,
    HookBypass,
    HookSwitch,
    SettingsFolder,
    SettingsShape,
    is_stamped,
    sets_any,
    split_options,
)
from synaptic.agents.shared.adapter import UNIVERSAL_EXTRAS, DialectAdapter, add_timeouts
from synaptic.agents.shared.answers import (
    add_specific,
    build_block,
    build_consent,
    build_permission,
    build_top_level,
    mark_stop_block,
    refine_prompt,
)
from synaptic.agents.shared.degrade import change
from synaptic.agents.shared.entries import build_json_files
from synaptic.agents.shared.gemini_family import COMMAND_LINE, FOLDER_TRUST, GEMINI_BYPASS, build_named_group
from synaptic.agents.shared.ours import ENTRY_ARGUMENT
from synaptic.agents.shared.payload import Payload
from synaptic.agents.shared.translate import Dialect, ToolForm, refine_failure, to_native_input
from synaptic.model.call import Call
from synaptic.model.decision import Decision, Kind

TIMEOUT = 600
TIMEOUTS: Mapping[str, int] = {"SessionEnd": 10, "UserPromptSubmit": 30, "MessageDisplay": 10}
"""Seconds; the settings file wants milliseconds."""
TOOL_ROUND_EVENT = "ToolRound"
"""What a UserPromptSubmit without a prompt is: the client sends one after every round of tools."""

ANY_EXTRAS = frozenset(UNIVERSAL_EXTRAS)
OUTSIDE_TURN_EXTRAS = frozenset({"systemMessage"})
EVENT_CAPABILITIES: Mapping[str, Capability] = {
    "PreToolUse": Capability(deny=True, ask=True, allow=True, extras=ANY_EXTRAS),  # context is read and then lost
    "PermissionRequest": Capability(deny=True, ask=True, allow=True, rewrite=True, extras=OUTSIDE_TURN_EXTRAS),
    "PostToolUse": Capability(context=True, extras=ANY_EXTRAS),  # a block has no effect
    "PostToolUseFailure": Capability(context=True, extras=OUTSIDE_TURN_EXTRAS),
    "PostToolBatch": Capability(context=True, extras=ANY_EXTRAS),  # a block would stop the whole turn
    "UserPromptSubmit": Capability(deny=True, context=True, extras=ANY_EXTRAS),
    "UserPromptExpansion": Capability(deny=True, context=True, extras=ANY_EXTRAS),
    "SessionStart": Capability(context=True, extras=ANY_EXTRAS),
    "SubagentStart": Capability(context=True, extras=OUTSIDE_TURN_EXTRAS),
    "Stop": Capability(feedback=True, extras=ANY_EXTRAS),
    "SubagentStop": Capability(feedback=True, extras=ANY_EXTRAS),
    "PreCompact": Capability(extras=OUTSIDE_TURN_EXTRAS),
    "PostCompact": Capability(extras=OUTSIDE_TURN_EXTRAS),
    "Notification": Capability(extras=OUTSIDE_TURN_EXTRAS),
    "PermissionDenied": Capability(extras=OUTSIDE_TURN_EXTRAS),
    "StopFailure": Capability(extras=OUTSIDE_TURN_EXTRAS),
    "InstructionsLoaded": Capability(extras=OUTSIDE_TURN_EXTRAS),
    "SessionEnd": Capability(extras=OUTSIDE_TURN_EXTRAS),
}


def _refine_event(event: str, payload: Payload) -> str:
    if event == "UserPromptSubmit" and payload.get("prompt") == "":
        return TOOL_ROUND_EVENT
    return refine_failure(refine_prompt(event, payload), payload)


DIALECT = Dialect(
    agent="qwen",
    fields={"crons": "session_crons"},
    tools={
        "run_shell_command": ToolForm("Bash", {"is_background": "run_in_background"}, directory="directory"),
        "monitor": ToolForm("Bash", directory="directory"),  # a command whose output comes as messages
        "write_file": ToolForm("Write"),
        "edit": ToolForm("Edit"),
        "notebook_edit": ToolForm("NotebookEdit"),
        "read_file": ToolForm("Read", {"file_path": "file_path", "absolute_path": "file_path"}),
        "list_directory": ToolForm("LS"),
        "grep_search": ToolForm("Grep"),
        "glob": ToolForm("Glob"),
        "web_fetch": ToolForm("WebFetch"),
        "web_search": ToolForm("WebSearch"),
        "agent": ToolForm("Agent"),
        "skill": ToolForm("Skill"),
    },
    refine=_refine_event,
)


def _shape_answer(call: Call, decision: Decision) -> Payload:
    name, body, specific = call.event.hook_event_name, build_top_level(decision), {}
    if name == "PreToolUse":
        specific = build_permission(decision)
    elif name == "PermissionRequest":
        specific = _shape_consent(call, decision)
    elif decision.feedback:
        body.update(decision="block", reason=mark_stop_block(decision))
    else:
        body.update(build_block(decision))
    return add_specific(body, call, specific, decision)


def _shape_consent(call: Call, decision: Decision) -> Payload:
    said = build_consent(decision)
    if said.get("behavior") == "allow" and decision.input is not None:
        said["updatedInput"] = to_native_input(call, DIALECT, decision.input)
    return {"decision": said} if said else {}


class QwenAdapter(DialectAdapter):
    """The adapter of Qwen Code."""

    def limit_capability(self, call: Call, decision: Decision) -> Capability:
        can = super().limit_capability(call, decision)
        name = call.event.hook_event_name
        if name == "PreCompact":
            return change(can, context=True)  # its own context becomes instructions for the summary
        if name == "PermissionRequest" and not (decision.allowed and decision.kind in (Kind.REWRITE, Kind.ALLOW)):
            return change(can, rewrite=False)  # a new input is taken only together with the permission
        return can


ADAPTER = QwenAdapter(DIALECT, add_timeouts(EVENT_CAPABILITIES, TIMEOUT, TIMEOUTS), _shape_answer)


REGISTERED_EVENTS = (
    "PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "Notification", "UserPromptSubmit",
    "UserPromptExpansion", "SessionStart", "Stop", "SubagentStart", "SubagentStop", "PreCompact", "PostCompact",
    "SessionEnd", "PermissionRequest", "PermissionDenied", "StopFailure", "InstructionsLoaded",
)  # fmt: skip
"""Without MessageDisplay, which comes with every piece of text, and those that stand for no event of ours."""

AGENT = Agent(
    name="qwen",
    title="Qwen Code",
    note="",
    adapter=ADAPTER,
    events=REGISTERED_EVENTS,
    unseen=(
        "a rewrite before a tool runs, which is a refusal that names the better call instead",
        "what Claude Code and Codex do when it hands them a task: their own hooks see that",
    ),
    absence=Absence(options=split_options("-p --prompt")),
    trail=CallTrail(proves_run=RESULT_EVENTS, after_refusal="PostToolBatch", read_line=None),
    reported_version=None,
    sign=AgentSign(is_stamped, sets_any("QWEN_PROJECT_DIR")),
    reads_claude_settings=False,
    imitates="gemini",
    folder=SettingsFolder("QWEN_HOME", ".qwen"),
    named_files={},
    files=build_json_files("settings.json", build_named_group, SettingsShape(comments=True)),
    mark=ENTRY_ARGUMENT,
    strict_events=frozenset(),
    agreement=None,
    switches=(HookSwitch("settings.json", ("disableAllHooks",), True), FOLDER_TRUST),
    guards=(),
    credentials=(".qwen/oauth_creds.json",),
    programs=("qwen",),
    processes=("qwen", "@qwen-code/qwen-code/"),
    version_arguments=("--version",),
    command_line=COMMAND_LINE,
    bypass=HookBypass(
        options=GEMINI_BYPASS.options,
        unasked=GEMINI_BYPASS.unasked,
        variables=frozenset({"QWEN_CODE_SYSTEM_SETTINGS_PATH", "QWEN_CODE_SYSTEM_DEFAULTS_PATH"}),
        verbs=GEMINI_BYPASS.verbs,
    ),
    shell_variables=("QWEN_CODE",),
    session_variables=("QWEN_CODE_SESSION_ID",),
)

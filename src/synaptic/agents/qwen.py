"""Qwen Code on the wire: Claude Code's events and answers, Gemini's tools, and no way to change a call beforehand."""

from collections.abc import Mapping

from synaptic.agents.base import (
    Agent,
    Capability,
    HookSwitch,
    SettingsFolder,
    SettingsShape,
    Sign,
    is_stamped,
    sets_any,
)
from synaptic.agents.shared.adapter import UNIVERSAL, DialectAdapter, with_timeouts
from synaptic.agents.shared.answers import block, consent, keep_going, permission, refine_prompt, top, with_specific
from synaptic.agents.shared.degrade import change
from synaptic.agents.shared.entries import json_file
from synaptic.agents.shared.gemini_family import COMMAND_LINE, FOLDER_TRUST, build_named_group
from synaptic.agents.shared.ours import ENTRY
from synaptic.agents.shared.payload import Payload
from synaptic.agents.shared.translate import Dialect, Form, native_input, refine_failure
from synaptic.model.call import Call
from synaptic.model.decision import Decision, Kind

TIMEOUT = 600
TIMEOUTS: Mapping[str, int] = {"SessionEnd": 10, "UserPromptSubmit": 30, "MessageDisplay": 10}
"""Seconds; the settings file wants milliseconds."""
ROUND = "ToolRound"
"""What a UserPromptSubmit without a prompt is: the client sends one after every round of tools."""

ANY = frozenset(UNIVERSAL)
OUTSIDE = frozenset({"systemMessage"})
TABLE: Mapping[str, Capability] = {
    "PreToolUse": Capability(deny=True, ask=True, allow=True, extras=ANY),  # context is read and then lost
    "PermissionRequest": Capability(deny=True, ask=True, allow=True, rewrite=True, extras=OUTSIDE),
    "PostToolUse": Capability(context=True, extras=ANY),  # a block has no effect
    "PostToolUseFailure": Capability(context=True, extras=OUTSIDE),
    "PostToolBatch": Capability(context=True, extras=ANY),  # a block would stop the whole turn
    "UserPromptSubmit": Capability(deny=True, context=True, extras=ANY),
    "UserPromptExpansion": Capability(deny=True, context=True, extras=ANY),
    "SessionStart": Capability(context=True, extras=ANY),
    "SubagentStart": Capability(context=True, extras=OUTSIDE),
    "Stop": Capability(feedback=True, extras=ANY),
    "SubagentStop": Capability(feedback=True, extras=ANY),
    "PreCompact": Capability(extras=OUTSIDE),
    "PostCompact": Capability(extras=OUTSIDE),
    "Notification": Capability(extras=OUTSIDE),
    "PermissionDenied": Capability(extras=OUTSIDE),
    "StopFailure": Capability(extras=OUTSIDE),
    "InstructionsLoaded": Capability(extras=OUTSIDE),
    "SessionEnd": Capability(extras=OUTSIDE),
}


def _refine(event: str, payload: Payload) -> str:
    if event == "UserPromptSubmit" and payload.get("prompt") == "":
        return ROUND
    return refine_failure(refine_prompt(event, payload), payload)


DIALECT = Dialect(
    agent="qwen",
    fields={"crons": "session_crons"},
    tools={
        "run_shell_command": Form("Bash", {"is_background": "run_in_background"}, directory="directory"),
        "monitor": Form("Bash", directory="directory"),  # a command whose output comes as messages
        "write_file": Form("Write"),
        "edit": Form("Edit"),
        "notebook_edit": Form("NotebookEdit"),
        "read_file": Form("Read", {"file_path": "file_path", "absolute_path": "file_path"}),
        "list_directory": Form("LS"),
        "grep_search": Form("Grep"),
        "glob": Form("Glob"),
        "web_fetch": Form("WebFetch"),
        "web_search": Form("WebSearch"),
        "agent": Form("Agent"),
        "skill": Form("Skill"),
    },
    refine=_refine,
)


def _shape(call: Call, decision: Decision) -> Payload:
    name, body, specific = call.event.hook_event_name, top(decision), {}
    if name == "PreToolUse":
        specific = permission(decision)
    elif name == "PermissionRequest":
        specific = _consent(call, decision)
    elif decision.feedback:
        body.update(decision="block", reason=keep_going(decision))
    else:
        body.update(block(decision))
    return with_specific(body, call, specific, decision)


def _consent(call: Call, decision: Decision) -> Payload:
    said = consent(decision)
    if said.get("behavior") == "allow" and decision.input is not None:
        said["updatedInput"] = native_input(call, DIALECT, decision.input)
    return {"decision": said} if said else {}


class Qwen(DialectAdapter):
    """The adapter of Qwen Code."""

    def possible(self, call: Call, decision: Decision) -> Capability:
        can = super().possible(call, decision)
        name = call.event.hook_event_name
        if name == "PreCompact":
            return change(can, context=True)  # its own context becomes instructions for the summary
        if name == "PermissionRequest" and not (decision.allowed and decision.kind in (Kind.REWRITE, Kind.ALLOW)):
            return change(can, rewrite=False)  # a new input is taken only together with the permission
        return can


ADAPTER = Qwen(DIALECT, with_timeouts(TABLE, TIMEOUT, TIMEOUTS), _shape)


REGISTERED = (
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
    events=REGISTERED,
    unseen=(
        "a rewrite before a tool runs, which is a refusal that names the better call instead",
        "what Claude Code and Codex do when it hands them a task: their own hooks see that",
    ),
    sign=Sign(is_stamped, sets_any("QWEN_PROJECT_DIR")),
    reads_claude_settings=False,
    imitates="gemini",
    folder=SettingsFolder("QWEN_HOME", ".qwen"),
    named_files={},
    files=json_file("settings.json", build_named_group, SettingsShape(comments=True)),
    mark=ENTRY,
    strict_events=frozenset(),
    agreement=None,
    switches=(HookSwitch("settings.json", ("disableAllHooks",), True), FOLDER_TRUST),
    guards=(),
    programs=("qwen",),
    version_arguments=("--version",),
    command_line=COMMAND_LINE,
    shell_variables=("QWEN_CODE",),
    session_variables=("QWEN_CODE_SESSION_ID",),
)

"""Qwen Code on the wire: Claude Code's events and answers, Gemini's tools, and no way to change a call beforehand."""

from collections.abc import Mapping

from synaptic.agents.base import Capability
from synaptic.agents.claude_shape import blocked, consent, permission, top, with_specific
from synaptic.agents.continuation import kept_on, of_prompt
from synaptic.agents.degrade import change
from synaptic.agents.failure import refined
from synaptic.agents.foreign import UNIVERSAL, Foreign, timed
from synaptic.agents.payload import Payload
from synaptic.agents.translate import Dialect, Form, native_input
from synaptic.model.call import Call
from synaptic.model.decision import Decision, Kind

TIMEOUT = 600
TIMEOUTS: Mapping[str, int] = {"SessionEnd": 10, "UserPromptSubmit": 30, "MessageDisplay": 10}
"""Seconds; the settings file wants milliseconds."""
REGISTERED = (
    "PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "Notification", "UserPromptSubmit",
    "UserPromptExpansion", "SessionStart", "Stop", "SubagentStart", "SubagentStop", "PreCompact", "PostCompact",
    "SessionEnd", "PermissionRequest", "PermissionDenied", "StopFailure", "InstructionsLoaded",
)  # fmt: skip
"""Without MessageDisplay, which comes with every piece of text, and those that stand for no event of ours."""
HOLES = (
    "a rewrite before a tool runs, which is a refusal that names the better call instead",
    "what Claude Code and Codex do when it hands them a task: their own hooks see that",
)
"""What no hook of Qwen Code sees or can do."""
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
    return refined(of_prompt(event, payload), payload)


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
        body.update(decision="block", reason=kept_on(decision))
    else:
        body.update(blocked(decision))
    return with_specific(body, call, specific, decision)


def _consent(call: Call, decision: Decision) -> Payload:
    said = consent(decision)
    if said.get("behavior") == "allow" and decision.input is not None:
        said["updatedInput"] = native_input(call, DIALECT, decision.input)
    return {"decision": said} if said else {}


class Qwen(Foreign):
    """The adapter of Qwen Code."""

    def possible(self, call: Call, decision: Decision) -> Capability:
        can = super().possible(call, decision)
        name = call.event.hook_event_name
        if name == "PreCompact":
            return change(can, context=True)  # its own context becomes instructions for the summary
        if name == "PermissionRequest" and not (decision.allowed and decision.kind in (Kind.REWRITE, Kind.ALLOW)):
            return change(can, rewrite=False)  # a new input is taken only together with the permission
        return can


ADAPTER = Qwen(DIALECT, timed(TABLE, TIMEOUT, TIMEOUTS), _shape)

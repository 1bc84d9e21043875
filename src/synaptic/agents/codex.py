"""Codex on the wire: Claude Code's names, and a strict reader that fails open.

An answer with an unknown key, an empty reason, an `ask`, an allow without a rewrite, or a field that the event does not
take counts as a failed hook, and the call runs. So nothing is written that its reader does not ask for.
"""

from collections.abc import Mapping

from synaptic.agents.base import Capability
from synaptic.agents.claude_shape import blocked, consent, permission, top, with_specific
from synaptic.agents.foreign import Foreign, timed
from synaptic.agents.payload import Payload
from synaptic.agents.translate import Dialect, Form, native_input
from synaptic.model.call import Call
from synaptic.model.decision import Decision, Kind
from synaptic.model.patch import patched, rewritten
from synaptic.model.tool import Input, Tool

TIMEOUT = 600
TIMEOUTS: Mapping[str, int] = {"SessionEnd": 3, "Interrupt": 3, "UserPromptSubmit": 30}
"""Seconds; Codex itself allows the first two no more."""
REGISTERED = (
    "PreToolUse", "PermissionRequest", "PostToolUse", "PreCompact", "PostCompact", "SessionStart", "SessionEnd",
    "UserPromptSubmit", "SubagentStart", "SubagentStop", "Stop", "Interrupt",
)  # fmt: skip
"""Every event of Codex but PreModelRequest, whose answer nobody reads."""
HOLES = (
    "write_stdin: what is typed into a program that already runs",
    "hosted web_search",
    "the result of a patch that a shell command applies",
)
"""What no hook of Codex sees."""

MESSAGE = frozenset({"systemMessage"})
HALT = MESSAGE | {"continue", "stopReason"}
TABLE: Mapping[str, Capability] = {
    "PreToolUse": Capability(deny=True, rewrite=True, context=True, extras=MESSAGE),
    "PermissionRequest": Capability(deny=True, ask=True, allow=True, extras=MESSAGE),
    "PostToolUse": Capability(context=True, extras=HALT),  # a block would replace what the tool said
    "UserPromptSubmit": Capability(deny=True, context=True, extras=HALT),
    "SessionStart": Capability(context=True, extras=HALT),
    "SubagentStart": Capability(context=True, extras=MESSAGE),
    "Stop": Capability(feedback=True, extras=HALT),
    "SubagentStop": Capability(feedback=True, extras=HALT),
    "PreCompact": Capability(extras=HALT),
    "PostCompact": Capability(extras=HALT),
    "Interrupt": Capability(extras=MESSAGE),
    "SessionEnd": Capability(message=False),
    "PreModelRequest": Capability(message=False),
}


def _read(given: Input) -> Tool:
    text = given.get("command")
    return patched(text) if isinstance(text, str) else Tool("Edit", given)


def _write(_: Input, new: Input) -> dict[str, object] | None:
    text = rewritten(new)
    return None if text is None else {"command": text}


def _command(_: Input, new: Input) -> dict[str, object] | None:
    """Of a shell call nothing but the command is taken over, and a description changes nothing."""
    command = new.get("command")
    return {"command": command} if isinstance(command, str) and new.keys() <= {"command", "description"} else None


DIALECT = Dialect(
    agent="codex",
    tools={
        "Bash": Form("Bash", write=_command),
        "apply_patch": Form("Edit", read=_read, write=_write),
        "spawn_agent": Form("Agent", {"message": "prompt"}),
        "view_image": Form("Read", {"path": "file_path"}),
    },
)


def _shape(call: Call, decision: Decision) -> Payload:
    name, body, specific = call.event.hook_event_name, top(decision), {}
    if name == "PreToolUse":
        specific = _before_tool(call, decision)
    elif name == "PermissionRequest":
        specific = {"decision": said} if (said := consent(decision)) else {}
    else:
        body.update(blocked(decision))
    return with_specific(body, call, specific, decision)


def _before_tool(call: Call, decision: Decision) -> Payload:
    if decision.kind is Kind.DENY:
        return permission(decision)
    if decision.input is None:
        return {}
    return {"permissionDecision": "allow", "updatedInput": native_input(call, DIALECT, decision.input)}


ADAPTER = Foreign(DIALECT, timed(TABLE, TIMEOUT, TIMEOUTS), _shape)

"""Cline on the wire: file hooks that print one JSON object; exit codes mean nothing, and no hook can refuse one call.

`cancel` ends the whole run. So a shell call is refused by another one in its place, which prints the reason and fails;
whatever cannot be replaced like that is cancelled.
"""

import re
from collections.abc import Mapping

from synaptic.agents.base import Capability
from synaptic.agents.cline_tools import LISTS, SHELL, TOOLS, is_refusal, refusal
from synaptic.agents.degrade import change
from synaptic.agents.foreign import Foreign, timed
from synaptic.agents.payload import Payload
from synaptic.agents.phrases import advice, reason
from synaptic.agents.translate import NATIVE_TOOL, Dialect, native_input
from synaptic.model.call import Call
from synaptic.model.decision import Decision, Kind

TIMEOUT = 30
TIMEOUTS: Mapping[str, int] = {}
"""Seconds that the editor's extension waits; the command line waits 120, and both run the same files."""
REGISTERED = (
    "PreToolUse", "PostToolUse", "UserPromptSubmit", "TaskStart", "TaskResume", "TaskComplete", "TaskError",
    "SessionShutdown",
)  # fmt: skip
"""Names of the hook files. Without TaskCancel, which stands for no event of ours, and PreCompact, which never comes."""
HOLES = (
    "prompts of one-shot runs of the command line, for which UserPromptSubmit does not come",
    "compaction, for which no file is run",
    "refusing a single edit or read: it ends the whole run",
)
"""What no hook of Cline sees or can do."""
EXITED = re.compile(r"Command exited with code (\d+)")
REFUSED = "ToolRefused"
"""What the result of our own refusal is: no tool ran, so no policy need look at it."""

TOLD = Capability(context=True, message=False)
HEARD = Capability(message=False)
TABLE: Mapping[str, Capability] = {
    "PreToolUse": Capability(deny=True, rewrite=True, context=True, message=False),
    "PostToolUse": TOLD,
    "PostToolUseFailure": TOLD,
    "UserPromptSubmit": HEARD,  # for these and all below nobody waits
    "SessionStart": HEARD,
    "Stop": HEARD,
    "StopFailure": HEARD,
    "SessionEnd": HEARD,
}


def _prepare(payload: Payload) -> None:
    roots = payload.get("workspaceRoots")
    _put(payload, "cwd", roots[0] if isinstance(roots, list) and roots else None)
    if not payload.get("parent_agent_id") and "agent_id" in payload:
        payload["native_agent_id"] = payload.pop("agent_id")  # to everybody else only a sub-agent has one
    for key in ("tool_call", "tool_result"):
        if isinstance(payload.get(key), dict):
            return _take_call(payload, payload[key])
    for key in ("preToolUse", "postToolUse"):
        if isinstance(payload.get(key), dict):
            return _take_parameters(payload, payload[key])
    return _take_texts(payload)


def _put(payload: Payload, key: str, value: object) -> None:
    if value is not None:
        payload.setdefault(key, value)


def _take_call(payload: Payload, call: Payload) -> None:
    """A tool call as the command line tells it."""
    name, given = call.get("name"), call.get("input")
    if isinstance(name, str) and name in LISTS and isinstance(given, str | list):
        given = {LISTS[name]: given}
    _put(payload, "tool_name", name)
    _put(payload, "tool_input", given)
    _put(payload, "tool_use_id", call.get("id"))
    _put(payload, "tool_response", call.get("output"))
    _put(payload, "duration_ms", call.get("durationMs"))
    _put(payload, "error", call.get("error"))


def _take_parameters(payload: Payload, said: Payload) -> None:
    """A tool call as the editor's extension tells it: every value is text."""
    _put(payload, "tool_name", said.get("toolName"))
    _put(payload, "tool_input", said.get("parameters"))
    _put(payload, "tool_response", said.get("result"))
    _put(payload, "duration_ms", said.get("executionTimeMs"))
    if said.get("success") is False:
        _put(payload, "error", str(said.get("result") or "the tool reports an error"))


def _take_texts(payload: Payload) -> None:
    submitted, turn, error = (payload.get(key) for key in ("userPromptSubmit", "turn", "error"))
    _put(payload, "prompt", submitted.get("prompt") if isinstance(submitted, dict) else None)
    _put(payload, "last_assistant_message", turn.get("outputText") if isinstance(turn, dict) else None)
    if isinstance(error, dict):
        payload["error"], payload["error_details"] = str(error.get("message")), str(error.get("stack") or "")
    if payload.get("hookName") in ("agent_start", "agent_resume"):
        _put(payload, "source", "startup" if payload["hookName"] == "agent_start" else "resume")


def _refine(event: str, payload: Payload) -> str:
    if event != "PostToolUse":
        return event
    if _was_refused(payload):
        return REFUSED
    output = payload.get("tool_response")
    for one in output if isinstance(output, list) else ():
        if isinstance(one, dict) and one.get("success") is False:
            _put(payload, "error", _error(one))
    return "PostToolUseFailure" if payload.get("error") else event


def _error(result: Payload) -> str:
    """Why one of several things failed, with a command's code where everybody else has it."""
    said, text = str(result.get("error") or "the tool reports an error"), str(result.get("result") or "")
    code = EXITED.match(said)
    return f"Exit code {code[1]}\n{text}" if code else f"{said}\n{text}".strip()


def _was_refused(payload: Payload) -> bool:
    given = payload.get("tool_input")
    commands = given.get("commands") if isinstance(given, dict) else None
    return isinstance(commands, list) and len(commands) == 1 and is_refusal(str(commands[0]))


def _mcp(name: str, payload: Payload) -> str:
    server, found, tool = name.partition("__")
    return f"mcp__{server}__{tool}" if found and server and tool and server != "mcp" else name


DIALECT = Dialect(
    agent="cline",
    events={
        "tool_call": "PreToolUse",
        "tool_result": "PostToolUse",
        "prompt_submit": "UserPromptSubmit",
        "agent_start": "SessionStart",
        "agent_resume": "SessionStart",
        "agent_end": "Stop",
        "agent_error": "StopFailure",
        "session_shutdown": "SessionEnd",
        "TaskStart": "SessionStart",
        "TaskResume": "SessionStart",
        "TaskComplete": "Stop",
        "TaskError": "StopFailure",
        "SessionShutdown": "SessionEnd",
    },
    fields={"hookName": "hook_event_name", "taskId": "session_id"},
    tools=TOOLS,
    mcp=_mcp,
    refine=_refine,
    prepare=_prepare,
)


def _shape(call: Call, decision: Decision) -> Payload:
    body: Payload = {}
    if decision.kind is Kind.DENY:
        body = _refusal(call, decision)
    elif decision.input is not None:
        body["overrideInput"] = native_input(call, DIALECT, decision.input)
    if decision.context:
        body["context"] = advice(decision)
    return body


def _refusal(call: Call, decision: Decision) -> Payload:
    if _is_soft(call):
        return {"overrideInput": refusal(reason(decision))}
    return {"cancel": True, "errorMessage": reason(decision)}


def _is_soft(call: Call) -> bool:
    """Whether a deny can be a failing command: that stops this call alone, and the model reads why."""
    return _is_replaceable(call) and call.payload.get(NATIVE_TOOL) == SHELL


def _is_replaceable(call: Call) -> bool:
    """Whether the call can become another one: the editor's extension takes no other input."""
    return "tool_call" in call.payload


class Cline(Foreign):
    """The adapter of Cline."""

    def possible(self, call: Call, decision: Decision) -> Capability:
        can = super().possible(call, decision)
        return can if _is_replaceable(call) else change(can, rewrite=False)

    def narrowed(self, call: Call, decision: Decision, can: Capability) -> Capability:
        """Nothing reaches the model beside a cancel."""
        if decision.kind is Kind.DENY and can.context and not _is_soft(call):
            return change(can, context=False)
        return can


ADAPTER = Cline(DIALECT, timed(TABLE, TIMEOUT, TIMEOUTS), _shape)

"""OpenCode on the wire: our own plugin speaks for it, with its payloads as they are and answers of four words.

`deny` is thrown, `args` replaces the call's arguments in place, `context` is added to what the model reads next, and
`message` is shown to the user. Nobody can be asked.
"""

import json
from collections.abc import Mapping
from pathlib import Path

from synaptic.agents.base import Agent, AgentFile, Capability, CommandLine, OwnFile, SettingsFolder, Wiring, options
from synaptic.agents.shared.adapter import DialectAdapter, with_timeouts
from synaptic.agents.shared.answers import advice, reason, to_user
from synaptic.agents.shared.ours import ENTRY, OWNED, Plan
from synaptic.agents.shared.payload import Payload
from synaptic.agents.shared.translate import Dialect, Form, native_input
from synaptic.model.call import Call
from synaptic.model.decision import Decision, Kind
from synaptic.model.patch import patched, rewritten
from synaptic.model.tool import Input, Tool

TIMEOUT = 600
TIMEOUTS: Mapping[str, int] = {"SessionEnd": 10, "UserPromptSubmit": 30}
"""Seconds; OpenCode itself waits for ever."""
PLUGIN = Path(__file__).with_name("opencode_plugin.js")

HEARD = Capability()
TABLE: Mapping[str, Capability] = {
    "PreToolUse": Capability(deny=True, rewrite=True),
    "PostToolUse": Capability(context=True),
    "PostToolUseFailure": Capability(context=True),
    "UserPromptSubmit": Capability(deny=True, context=True),
    "PreCompact": Capability(context=True),
    "PostCompact": HEARD,
    "SessionStart": HEARD,
    "SessionEnd": HEARD,
    "Stop": HEARD,
    "StopFailure": HEARD,
    "SubagentStart": HEARD,
    "SubagentStop": HEARD,
}


def build_plugin(plan: Plan) -> str:
    """The plugin's text for one installation."""
    values = {"@DISPATCH@": plan.dispatch, "@ENTRY@": f"{ENTRY}{plan.token}", "@CLOSED@": plan.fail_closed}
    text = PLUGIN.read_text()
    for name, value in values.items():
        text = text.replace(f'"{name}"', json.dumps(value))
    return text


def _prepare(payload: Payload) -> None:
    given, event = _dict(payload.get("input")), _dict(payload.get("event"))
    told = _dict(event.get("properties"))
    session = given.get("sessionID") or told.get("sessionID") or _dict(told.get("info")).get("id")
    parent = payload.get("parentID")
    if isinstance(session, str):
        payload["session_id"] = session
    # A sub-agent has a session of its own here; to everybody else it is an agent inside its parent's session.
    if isinstance(parent, str) and parent:
        payload["session_id"], payload["agent_id"] = parent, session
    if "directory" in payload:
        payload.setdefault("cwd", payload["directory"])
    _take_tool(payload, given, _dict(payload.get("output")))
    _take_texts(payload, told)


def _dict(value: object) -> Payload:
    return value if isinstance(value, dict) else {}


def _take_tool(payload: Payload, given: Payload, output: Payload) -> None:
    if "tool" in given:
        payload["tool_name"], payload["tool_use_id"] = given["tool"], given.get("callID")
        # Before a call the arguments are in the output, where a plugin may change them; afterwards in the input.
        payload["tool_input"] = output["args"] if "args" in output else given.get("args")
    if "output" in output:
        code = _dict(output.get("metadata")).get("exit")
        payload["tool_response"] = {**output, "exit_code": code} if isinstance(code, int) else output
    if isinstance(output.get("parts"), list):
        texts = [part.get("text") for part in output["parts"] if isinstance(part, dict) and part.get("type") == "text"]
        payload["prompt"] = "\n".join(text for text in texts if isinstance(text, str))


def _take_texts(payload: Payload, told: Payload) -> None:
    name, error = payload.get("hook_event_name"), _dict(told.get("error"))
    if error:
        payload["error"] = str(_dict(error.get("data")).get("message") or error.get("name"))
    if name in ("session.created", "event.session.created"):
        payload.setdefault("source", "startup")
    if name == "session.deleted":
        payload.setdefault("reason", "deleted")


def _refine(event: str, payload: Payload) -> str:
    response = _dict(payload.get("tool_response"))
    code = response.get("exit_code")
    if event != "PostToolUse" or not code:
        return event
    payload.setdefault("error", f"Exit code {code}\n{response.get('output', '')}")
    return "PostToolUseFailure"


def _mcp(name: str, payload: Payload) -> str:
    server = payload.get("mcp_server")
    if not isinstance(server, str) or len(name) <= len(server) + 1:
        return name
    return f"mcp__{server}__{name[len(server) + 1 :]}"


def _patch(given: Input) -> Tool:
    text = given.get("patchText")
    return patched(text) if isinstance(text, str) else Tool("Edit", given)


def _patch_again(native: Input, new: Input) -> dict[str, object] | None:
    text = rewritten(new)
    return None if text is None else {"patchText": text}


EDIT = {"filePath": "file_path", "oldString": "old_string", "newString": "new_string", "replaceAll": "replace_all"}
EVENTS = {
    "tool.execute.before": "PreToolUse",
    "tool.execute.after": "PostToolUse",
    "chat.message": "UserPromptSubmit",
    "experimental.session.compacting": "PreCompact",
    "session.created": "SessionStart",
    "session.idle": "Stop",
    "session.deleted": "SessionEnd",
    "session.error": "StopFailure",
    "session.compacted": "PostCompact",
    "subsession.created": "SubagentStart",
    "subsession.idle": "SubagentStop",
}
DIALECT = Dialect(
    agent="opencode",
    events=EVENTS | {f"event.{name}": told for name, told in EVENTS.items() if name.startswith("session.")},
    tools={
        "bash": Form("Bash", directory="workdir"),
        "write": Form("Write", {"filePath": "file_path"}),
        "edit": Form("Edit", EDIT),
        "apply_patch": Form("Edit", read=_patch, write=_patch_again),
        "read": Form("Read", {"filePath": "file_path"}),
        "list": Form("LS"),
        "grep": Form("Grep", {"include": "glob"}),
        "glob": Form("Glob"),
        "webfetch": Form("WebFetch"),
        "websearch": Form("WebSearch"),
        "task": Form("Agent"),
        "skill": Form("Skill", {"name": "skill"}),
        "todowrite": Form("TodoWrite"),
    },
    mcp=_mcp,
    refine=_refine,
    prepare=_prepare,
)


def _shape(call: Call, decision: Decision) -> Payload:
    body: Payload = {}
    if decision.kind is Kind.DENY:
        body["deny"] = reason(decision)
    elif decision.input is not None:
        body["args"] = native_input(call, DIALECT, decision.input)
    if decision.context:
        body["context"] = advice(decision)
    if told := to_user(decision):
        body["message"] = told
    return body


ADAPTER = DialectAdapter(DIALECT, with_timeouts(TABLE, TIMEOUT, TIMEOUTS), _shape)


def _make_files(wiring: Wiring) -> tuple[AgentFile, ...]:
    text = f"// synaptic, {OWNED}\n{build_plugin(wiring.plan)}"
    return (OwnFile(wiring.path("plugins/synaptic.js"), text),)


RESUME = options("-c --continue -s --session --fork")
SWITCHES = options("-c --continue --fork --print-logs --pure --mdns --auto --mini --no-replay")
COMMAND_LINE = CommandLine(
    flag="--prompt",
    prompts=options("--prompt"),
    words_are_prompts=False,
    resume=RESUME,
    switches=SWITCHES,
    verbs={
        "run": CommandLine(
            resume=RESUME,
            switches=SWITCHES | options("--share --thinking -i --interactive"),
            several=options("-f --file"),
        )
    },
)


REGISTERED = (
    "tool.execute.before", "tool.execute.after", "chat.message", "session.created", "session.idle", "session.deleted",
    "session.error", "session.compacted", "subsession.created", "subsession.idle", "experimental.session.compacting",
)  # fmt: skip
"""What the plugin sends. `subsession` is a session of a sub-agent."""

AGENT = Agent(
    name="opencode",
    title="OpenCode",
    note="",
    adapter=ADAPTER,
    events=REGISTERED,
    unseen=(
        "keeping an agent from stopping: what is said then is told with the next prompt",
        "permission prompts: no plugin is asked about them",
        "everything, when OpenCode runs with `--pure`",
    ),
    sign=None,  # our own plugin speaks for it
    reads_claude_settings=False,
    imitates="",
    folder=SettingsFolder("XDG_CONFIG_HOME", ".config", "opencode"),
    named_files={},
    files=_make_files,
    mark=ENTRY,
    strict_events=frozenset(),
    agreement=None,
    switches=(),
    guards=("plugins", "opencode.json"),
    programs=("opencode",),
    version_arguments=("--version",),
    command_line=COMMAND_LINE,
    shell_variables=("OPENCODE",),
    session_variables=(),
)

"""OpenCode on the wire: our own plugin speaks for it, with its payloads as they are and answers of four words.

`deny` is thrown, `args` replaces the call's arguments in place, `context` is added to what the model reads next, and
`message` is shown to the user. Nobody can be asked.
"""

import json
from collections.abc import Mapping
from pathlib import Path

from synaptic.agents.base import (
    RESULT_EVENTS,
    Agent,
    AgentFile,
    CallTrail,
    Capability,
    CommandLine,
    HookBypass,
    OwnFile,
    ReportedVersion,
    SettingsFolder,
    Wiring,
    split_options,
)
from synaptic.agents.shared.adapter import DialectAdapter, add_timeouts
from synaptic.agents.shared.answers import describe_reason, format_user_text, join_context
from synaptic.agents.shared.ours import ENTRY_ARGUMENT, OWN_FILE_NOTE, EntryPlan
from synaptic.agents.shared.payload import Payload
from synaptic.agents.shared.translate import Dialect, ToolForm, to_native_input
from synaptic.model.call import Call
from synaptic.model.decision import Decision, Kind
from synaptic.model.patch import read_patch_call, write_patch
from synaptic.model.tool import Input, Tool

TIMEOUT = 600
TIMEOUTS: Mapping[str, int] = {"SessionEnd": 10, "UserPromptSubmit": 30}
"""Seconds; OpenCode itself waits for ever."""
PLUGIN_FILE = Path(__file__).with_name("opencode_plugin.js")
CLIENT_FILE = Path(__file__).parent / "typescript" / "client.mjs"
CLIENT_IMPORT = 'import { Engine } from "./typescript/client.mjs"\n'

OBSERVE_ONLY = Capability()
EVENT_CAPABILITIES: Mapping[str, Capability] = {
    "PreToolUse": Capability(deny=True, rewrite=True),
    "PostToolUse": Capability(context=True),
    "PostToolUseFailure": Capability(context=True),
    "UserPromptSubmit": Capability(deny=True, context=True),
    "PreCompact": Capability(context=True),
    "PostCompact": OBSERVE_ONLY,
    "SessionStart": OBSERVE_ONLY,
    "SessionEnd": OBSERVE_ONLY,
    "Stop": OBSERVE_ONLY,
    "StopFailure": OBSERVE_ONLY,
    "SubagentStart": OBSERVE_ONLY,
    "SubagentStop": OBSERVE_ONLY,
}


def build_plugin(plan: EntryPlan) -> str:
    """The plugin's text for one installation."""
    values = {"@DISPATCH@": plan.dispatch, "@ENTRY@": f"{ENTRY_ARGUMENT}{plan.token}", "@CLOSED@": plan.fail_closed}
    # One file: OpenCode takes every file of its folder for a plugin.
    text = PLUGIN_FILE.read_text().replace(CLIENT_IMPORT, CLIENT_FILE.read_text().replace("export class", "class"))
    for name, value in values.items():
        text = text.replace(f'"{name}"', json.dumps(value))
    return text


def _prepare_payload(payload: Payload) -> None:
    given, event = _to_dict(payload.get("input")), _to_dict(payload.get("event"))
    told = _to_dict(event.get("properties"))
    session = given.get("sessionID") or told.get("sessionID") or _to_dict(told.get("info")).get("id")
    parent = payload.get("parentID")
    if isinstance(session, str):
        payload["session_id"] = session
    # A sub-agent has a session of its own here; to everybody else it is an agent inside its parent's session.
    if isinstance(parent, str) and parent:
        payload["session_id"], payload["agent_id"] = parent, session
    if "directory" in payload:
        payload.setdefault("cwd", payload["directory"])
    _take_tool(payload, given, _to_dict(payload.get("output")))
    _take_texts(payload, told)


def _to_dict(value: object) -> Payload:
    return value if isinstance(value, dict) else {}


def _take_tool(payload: Payload, given: Payload, output: Payload) -> None:
    if "tool" in given:
        payload["tool_name"], payload["tool_use_id"] = given["tool"], given.get("callID")
        # Before a call the arguments are in the output, where a plugin may change them; afterwards in the input.
        payload["tool_input"] = output["args"] if "args" in output else given.get("args")
    if "output" in output:
        code = _to_dict(output.get("metadata")).get("exit")
        payload["tool_response"] = {**output, "exit_code": code} if isinstance(code, int) else output
    if isinstance(output.get("parts"), list):
        texts = [part.get("text") for part in output["parts"] if isinstance(part, dict) and part.get("type") == "text"]
        payload["prompt"] = "\n".join(text for text in texts if isinstance(text, str))


def _take_texts(payload: Payload, told: Payload) -> None:
    name, error = payload.get("hook_event_name"), _to_dict(told.get("error"))
    if error:
        payload["error"] = str(_to_dict(error.get("data")).get("message") or error.get("name"))
    if name in ("session.created", "event.session.created"):
        payload.setdefault("source", "startup")
    if name == "session.deleted":
        payload.setdefault("reason", "deleted")


def _refine_event(event: str, payload: Payload) -> str:
    response = _to_dict(payload.get("tool_response"))
    code = response.get("exit_code")
    if event != "PostToolUse" or not code:
        return event
    payload.setdefault("error", f"Exit code {code}\n{response.get('output', '')}")
    return "PostToolUseFailure"


def _name_mcp_tool(name: str, payload: Payload) -> str:
    server = payload.get("mcp_server")
    if not isinstance(server, str) or len(name) <= len(server) + 1:
        return name
    return f"mcp__{server}__{name[len(server) + 1 :]}"


def _read_patch(given: Input) -> Tool:
    text = given.get("patchText")
    return read_patch_call(text) if isinstance(text, str) else Tool("Edit", given)


def _write_patch(native: Input, new: Input) -> dict[str, object] | None:
    text = write_patch(new)
    return None if text is None else {"patchText": text}


EDIT_KEYS = {"filePath": "file_path", "oldString": "old_string", "newString": "new_string", "replaceAll": "replace_all"}
NATIVE_EVENTS = {
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
    events=NATIVE_EVENTS
    | {f"event.{name}": told for name, told in NATIVE_EVENTS.items() if name.startswith("session.")},
    tools={
        "bash": ToolForm("Bash", directory="workdir"),
        "write": ToolForm("Write", {"filePath": "file_path"}),
        "edit": ToolForm("Edit", EDIT_KEYS),
        "apply_patch": ToolForm("Edit", read=_read_patch, write=_write_patch),
        "read": ToolForm("Read", {"filePath": "file_path"}),
        "list": ToolForm("LS"),
        "grep": ToolForm("Grep", {"include": "glob"}),
        "glob": ToolForm("Glob"),
        "webfetch": ToolForm("WebFetch"),
        "websearch": ToolForm("WebSearch"),
        "task": ToolForm("Agent"),
        "skill": ToolForm("Skill", {"name": "skill"}),
        "todowrite": ToolForm("TodoWrite"),
    },
    mcp=_name_mcp_tool,
    refine=_refine_event,
    prepare=_prepare_payload,
)


def _shape_answer(call: Call, decision: Decision) -> Payload:
    body: Payload = {}
    if decision.kind is Kind.DENY:
        body["deny"] = describe_reason(decision)
    elif decision.input is not None:
        body["args"] = to_native_input(call, DIALECT, decision.input)
    if decision.context:
        body["context"] = join_context(decision)
    if told := format_user_text(decision):
        body["message"] = told
    return body


ADAPTER = DialectAdapter(DIALECT, add_timeouts(EVENT_CAPABILITIES, TIMEOUT, TIMEOUTS), _shape_answer)


def _make_files(wiring: Wiring) -> tuple[AgentFile, ...]:
    text = f"// synaptic, {OWN_FILE_NOTE}\n{build_plugin(wiring.plan)}"
    return (OwnFile(wiring.locate_file("plugins/synaptic.js"), text),)


RESUME_OPTIONS = split_options("-c --continue -s --session --fork")
SWITCH_OPTIONS = split_options("-c --continue --fork --print-logs --pure --mdns --auto --mini --no-replay")
COMMAND_LINE = CommandLine(
    flag="--prompt",
    prompts=split_options("--prompt"),
    words_are_prompts=False,
    resume=RESUME_OPTIONS,
    switches=SWITCH_OPTIONS,
    verbs={
        "run": CommandLine(
            resume=RESUME_OPTIONS,
            switches=SWITCH_OPTIONS | split_options("--share --thinking -i --interactive"),
            several=split_options("-f --file"),
        )
    },
)


REGISTERED_EVENTS = (
    "tool.execute.before", "tool.execute.after", "chat.message", "session.created", "session.idle", "session.deleted",
    "session.error", "session.compacted", "subsession.created", "subsession.idle", "experimental.session.compacting",
)  # fmt: skip
"""What the plugin sends. `subsession` is a session of a sub-agent."""

AGENT = Agent(
    name="opencode",
    title="OpenCode",
    note="",
    adapter=ADAPTER,
    events=REGISTERED_EVENTS,
    unseen=(
        "keeping an agent from stopping: what is said then is told with the next prompt",
        "permission prompts: no plugin is asked about them",
        "everything, when OpenCode runs with `--pure`",
    ),
    absence=None,
    trail=CallTrail(proves_run=RESULT_EVENTS, after_refusal="", read_line=None),
    reported_version=ReportedVersion("payload", ("event", "properties", "info", "version")),
    sign=None,  # our own plugin speaks for it
    reads_claude_settings=False,
    imitates="",
    folder=SettingsFolder("XDG_CONFIG_HOME", ".config", "opencode"),
    named_files={},
    files=_make_files,
    mark=ENTRY_ARGUMENT,
    strict_events=frozenset(),
    agreement=None,
    switches=(),
    guards=("plugins", "opencode.json"),
    credentials=(".local/share/opencode/auth.json", ".local/share/opencode/mcp-auth.json"),
    programs=("opencode",),
    processes=("opencode", "/opencode-ai/"),
    version_arguments=("--version",),
    command_line=COMMAND_LINE,
    bypass=HookBypass(
        options=split_options("--pure"),
        unasked=frozenset({"--dangerously-skip-permissions"}),
        variables=frozenset({"OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR", "OPENCODE_CONFIG_CONTENT", "OPENCODE_PURE"}),
    ),
    shell_variables=("OPENCODE",),
    session_variables=(),
)

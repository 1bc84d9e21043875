"""Cline on the wire: file hooks that print one JSON object; exit codes mean nothing, and no hook can refuse one call.

`cancel` ends the whole run. So a shell call is refused by another one in its place, which prints the reason and fails;
whatever cannot be replaced like that is cancelled.
"""

import re
import shlex
from collections.abc import Iterator, Mapping

from synaptic.agents.base import (
    RESULT_EVENTS,
    UNKNOWN_COMMAND_LINE,
    Agent,
    AgentFile,
    AgentSign,
    CallTrail,
    Capability,
    HookBypass,
    ReportedVersion,
    SettingsFolder,
    Wiring,
    split_options,
)
from synaptic.agents.shared.adapter import DialectAdapter, add_timeouts
from synaptic.agents.shared.answers import describe_reason, join_context
from synaptic.agents.shared.degrade import change
from synaptic.agents.shared.entries import SCRIPT_HEAD, build_command_text, build_own_file, build_script
from synaptic.agents.shared.ours import ENTRY_ARGUMENT
from synaptic.agents.shared.payload import DECODER, Payload
from synaptic.agents.shared.translate import NATIVE_TOOL, Dialect, ToolForm, to_native_input
from synaptic.model.call import Call
from synaptic.model.decision import Decision, Kind
from synaptic.model.patch import read_patch_call, write_patch
from synaptic.model.tool import Input, Tool

TIMEOUT = 30
TIMEOUTS: Mapping[str, int] = {}
"""Seconds that the editor's extension waits; the command line waits 120, and both run the same files."""
EXIT_CODE_TEXT = re.compile(r"Command exited with code (\d+)")
REFUSED_EVENT = "ToolRefused"
"""What the result of our own refusal is: no tool ran, so no policy need look at it."""

SHELL_TOOL = "run_commands"
BARE_ARGUMENT_KEYS = {
    SHELL_TOOL: "commands",
    "read_files": "files",
    "search_codebase": "queries",
    "apply_patch": "input",
}
"""Tools that take their one argument bare as well."""
COMMAND_KEYS = ("commands", "cmd", "command", "args")
NATIVE_TO_CANONICAL = {"path": "file_path", "old_text": "old_string", "new_text": "new_string"}
CANONICAL_KEYS = frozenset({*NATIVE_TO_CANONICAL.values(), "content"})
"""Keys that Cline does not read: beside its own they could only mislead."""
CANONICAL_TO_NATIVE = {"file_path": "path", "old_string": "old_text", "new_string": "new_text", "content": "new_text"}
HERE_DOCUMENT = re.compile(r"""(?<!<)<<-?\s*(?:"([^"]+)"|'([^']+)'|([A-Za-z0-9_./-]+))""")
REFUSAL_COMMAND = re.compile(r"""printf '%s\\n' 'BLOCKED: (?:[^']|'"'"')*'; exit 1""")

CONTEXT_ONLY = Capability(context=True, message=False)
OBSERVE_ONLY = Capability(message=False)
EVENT_CAPABILITIES: Mapping[str, Capability] = {
    "PreToolUse": Capability(deny=True, rewrite=True, context=True, message=False),
    "PostToolUse": CONTEXT_ONLY,
    "PostToolUseFailure": CONTEXT_ONLY,
    "UserPromptSubmit": OBSERVE_ONLY,  # for these and all below nobody waits
    "SessionStart": OBSERVE_ONLY,
    "Stop": OBSERVE_ONLY,
    "StopFailure": OBSERVE_ONLY,
    "SessionEnd": OBSERVE_ONLY,
}


def build_refusal(reason: str) -> dict[str, object]:
    """Build the command that runs in place of a refused one: it prints the reason and fails (decision 70)."""
    return {"commands": [f"printf '%s\\n' {shlex.quote(f'BLOCKED: {reason}')}; exit 1"]}


def is_refusal(command: str) -> bool:
    """Whether a command is such a call, and nothing else."""
    return REFUSAL_COMMAND.fullmatch(command) is not None


def _iter_commands(given: Input) -> Iterator[str]:
    """Iterate over the commands under every key that may hold one: which key Cline runs depends on the types of the
    others, so all of them are judged."""
    for listed in (given.get("commands"), given, given.get("cmd")):
        found = map(_to_shell_text, listed if isinstance(listed, list) else [listed])
        yield from _join_here_documents([one for one in found if one is not None])


def _to_shell_text(one: object) -> str | None:
    """As shell text; what is given word by word runs without a shell, and means the same in one."""
    if not isinstance(one, Mapping):
        return one if isinstance(one, str) else None
    first, words = one.get("command"), one.get("args")
    if not isinstance(first, str):
        return None
    return " ".join(map(shlex.quote, [first, *map(str, words)])) if isinstance(words, list) and words else first


def _join_here_documents(commands: list[str]) -> Iterator[str]:
    """As the client does it: the lines of a here-document that are sent one by one are one command."""
    at = 0
    while at < len(commands):
        found = HERE_DOCUMENT.search(commands[at])
        word = next(filter(None, found.groups()), None) if found else None
        end = next((later for later in range(at + 1, len(commands)) if commands[later].strip() == word), at)
        yield "\n".join(commands[at : end + 1])
        at = end + 1


def _read_commands(given: Input) -> Tool:
    """Each of several commands has a shell of its own: a `cd` in one moves no other, a quote in one hides no other."""
    found = list(_iter_commands(given))
    text = found[0] if len(found) == 1 else "\n".join(f"bash -c {shlex.quote(one)}" for one in found)
    return Tool("Bash", {**{key: value for key, value in given.items() if key not in COMMAND_KEYS}, "command": text})


def _write_commands(native: Input, new: Input) -> dict[str, object] | None:
    command = new.get("command")
    if len(list(_iter_commands(native))) != 1 or not isinstance(command, str):
        return None
    again: dict[str, object] = {**{key: value for key, value in new.items() if key != "command"}, "commands": [command]}
    return _keep_if_exact(again, _read_commands(again), new)


def _keep_if_exact(again: dict[str, object], read: Tool, new: Input) -> dict[str, object] | None:
    """Keep a rewrite only if reading it back gives exactly what was decided: else Cline would run something else."""
    return again if dict(read.input) == dict(new) else None


def _list_paths(given: Input) -> list[str]:
    """Every path under any of the keys."""
    several = (given.get(key) for key in ("files", "file_paths", "paths", "path"))
    listed = [one for found in several for one in (found if isinstance(found, list) else [found])]
    paths = (one.get("path") if isinstance(one, Mapping) else one for one in listed)
    return list(dict.fromkeys(path for path in paths if isinstance(path, str)))


def _read_files_call(given: Input) -> Tool:
    paths = _list_paths(given)
    return Tool("Read", {**given, "file_path": paths[0], "paths": paths} if paths else given)


def _read_edit(given: Input) -> Tool:
    """Without a text to replace and a line to insert at, the file is made."""
    read = {key: value for key, value in given.items() if value is not None and key not in CANONICAL_KEYS}
    found = {NATIVE_TO_CANONICAL.get(key, key): value for key, value in read.items()}
    if "old_string" in found or "insert_line" in found:
        return Tool("Edit", found)
    return Tool("Write", {"content" if key == "new_string" else key: value for key, value in found.items()})


def _write_edit(native: Input, new: Input) -> dict[str, object] | None:
    again: dict[str, object] = {CANONICAL_TO_NATIVE.get(key, key): value for key, value in new.items()}
    return _keep_if_exact(again, _read_edit(again), new)


def _read_patch(given: Input) -> Tool:
    text = given.get("input")
    return read_patch_call(text) if isinstance(text, str) else Tool("Edit", given)


def _write_patch(native: Input, new: Input) -> dict[str, object] | None:
    text = write_patch(new)
    return None if text is None else {"input": text}


def _read_search(given: Input) -> Tool:
    queries = given.get("queries")
    listed = queries if isinstance(queries, list) else [queries]
    return Tool("Grep", {**given, "pattern": "|".join(map(str, listed))})


def _read_fetch(given: Input) -> Tool:
    asked = given.get("requests")
    first = asked[0] if isinstance(asked, list) and asked and isinstance(asked[0], Mapping) else {}
    return Tool("WebFetch", {**given, **first})


def _read_mcp_call(given: Input) -> Tool:
    """The extension's one tool for all servers."""
    arguments = given.get("arguments")
    try:
        found = DECODER.decode(arguments) if isinstance(arguments, str) else arguments
    except ValueError:
        found = None
    name = f"mcp__{given.get('server_name', '')}__{given.get('tool_name', '')}"
    return Tool(name, found if isinstance(found, dict) else given)


def _refuse_rewrite(native: Input, new: Input) -> None:
    return None


def _make_extension_form(name: str) -> ToolForm:
    """An edit by the editor's extension, which takes the file's path from either of two keys."""

    def read(given: Input) -> Tool:
        path = given.get("path") or given.get("absolutePath")
        rest = {key: value for key, value in given.items() if key not in ("path", "absolutePath", "file_path")}
        if "diff" in rest:
            rest["new_string"] = rest.pop("diff")
        return Tool(name, {"file_path": path, **rest} if path else rest)

    return ToolForm(name, read=read, write=_refuse_rewrite)


TOOL_FORMS: Mapping[str, ToolForm] = {
    SHELL_TOOL: ToolForm("Bash", read=_read_commands, write=_write_commands),
    "editor": ToolForm("Edit", read=_read_edit, write=_write_edit),
    "apply_patch": ToolForm("Edit", read=_read_patch, write=_write_patch),
    "read_files": ToolForm("Read", read=_read_files_call, write=_refuse_rewrite),
    "search_codebase": ToolForm("Grep", read=_read_search, write=_refuse_rewrite),
    "fetch_web_content": ToolForm("WebFetch", read=_read_fetch, write=_refuse_rewrite),
    "web_search": ToolForm("WebSearch"),
    "spawn_agent": ToolForm("Agent", {"task": "prompt"}),
    "skills": ToolForm("Skill"),
    "execute_command": ToolForm("Bash"),
    "write_to_file": _make_extension_form("Write"),
    "new_rule": _make_extension_form("Write"),
    "replace_in_file": _make_extension_form("Edit"),
    "read_file": ToolForm("Read", {"path": "file_path"}),
    "search_files": ToolForm("Grep", {"regex": "pattern", "file_pattern": "glob"}),
    "list_files": ToolForm("LS"),
    "web_fetch": ToolForm("WebFetch"),
    "new_task": ToolForm("Agent", {"context": "prompt"}),
    "use_mcp_tool": ToolForm("mcp", read=_read_mcp_call, write=_refuse_rewrite),
}


def _prepare_payload(payload: Payload) -> None:
    roots = payload.get("workspaceRoots")
    _put_default(payload, "cwd", roots[0] if isinstance(roots, list) and roots else None)
    if not payload.get("parent_agent_id") and "agent_id" in payload:
        payload["native_agent_id"] = payload.pop("agent_id")  # to everybody else only a sub-agent has one
    for key in ("tool_call", "tool_result"):
        if isinstance(payload.get(key), dict):
            return _take_call(payload, payload[key])
    for key in ("preToolUse", "postToolUse"):
        if isinstance(payload.get(key), dict):
            return _take_parameters(payload, payload[key])
    return _take_texts(payload)


def _put_default(payload: Payload, key: str, value: object) -> None:
    if value is not None:
        payload.setdefault(key, value)


def _take_call(payload: Payload, call: Payload) -> None:
    """A tool call as the command line tells it."""
    name, given = call.get("name"), call.get("input")
    if isinstance(name, str) and name in BARE_ARGUMENT_KEYS and isinstance(given, str | list):
        given = {BARE_ARGUMENT_KEYS[name]: given}
    _put_default(payload, "tool_name", name)
    _put_default(payload, "tool_input", given)
    _put_default(payload, "tool_use_id", call.get("id"))
    _put_default(payload, "tool_response", call.get("output"))
    _put_default(payload, "duration_ms", call.get("durationMs"))
    _put_default(payload, "error", call.get("error"))


def _take_parameters(payload: Payload, said: Payload) -> None:
    """A tool call as the editor's extension tells it: every value is text."""
    _put_default(payload, "tool_name", said.get("toolName"))
    _put_default(payload, "tool_input", said.get("parameters"))
    _put_default(payload, "tool_response", said.get("result"))
    _put_default(payload, "duration_ms", said.get("executionTimeMs"))
    if said.get("success") is False:
        _put_default(payload, "error", str(said.get("result") or "the tool reports an error"))


def _take_texts(payload: Payload) -> None:
    submitted, turn, error = (payload.get(key) for key in ("userPromptSubmit", "turn", "error"))
    _put_default(payload, "prompt", submitted.get("prompt") if isinstance(submitted, dict) else None)
    _put_default(payload, "last_assistant_message", turn.get("outputText") if isinstance(turn, dict) else None)
    if isinstance(error, dict):
        payload["error"], payload["error_details"] = str(error.get("message")), str(error.get("stack") or "")
    if payload.get("hookName") in ("agent_start", "agent_resume"):
        _put_default(payload, "source", "startup" if payload["hookName"] == "agent_start" else "resume")


def _refine_event(event: str, payload: Payload) -> str:
    if event != "PostToolUse":
        return event
    if _was_refused(payload):
        return REFUSED_EVENT
    output = payload.get("tool_response")
    for one in output if isinstance(output, list) else ():
        if isinstance(one, dict) and one.get("success") is False:
            _put_default(payload, "error", _describe_error(one))
    return "PostToolUseFailure" if payload.get("error") else event


def _describe_error(result: Payload) -> str:
    """Why one of several things failed, with a command's code where everybody else has it."""
    said, text = str(result.get("error") or "the tool reports an error"), str(result.get("result") or "")
    code = EXIT_CODE_TEXT.match(said)
    return f"Exit code {code[1]}\n{text}" if code else f"{said}\n{text}".strip()


def _was_refused(payload: Payload) -> bool:
    given = payload.get("tool_input")
    commands = given.get("commands") if isinstance(given, dict) else None
    return isinstance(commands, list) and len(commands) == 1 and is_refusal(str(commands[0]))


def _name_mcp_tool(name: str, payload: Payload) -> str:
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
    tools=TOOL_FORMS,
    mcp=_name_mcp_tool,
    refine=_refine_event,
    prepare=_prepare_payload,
)


def _shape_answer(call: Call, decision: Decision) -> Payload:
    body: Payload = {}
    if decision.kind is Kind.DENY:
        body = _shape_refusal(call, decision)
    elif decision.input is not None:
        body["overrideInput"] = to_native_input(call, DIALECT, decision.input)
    if decision.context:
        body["context"] = join_context(decision)
    return body


def _shape_refusal(call: Call, decision: Decision) -> Payload:
    if _is_softly_refusable(call):
        return {"overrideInput": build_refusal(describe_reason(decision))}
    return {"cancel": True, "errorMessage": describe_reason(decision)}


def _is_softly_refusable(call: Call) -> bool:
    """Whether a deny can be a failing command: that stops this call alone, and the model reads why."""
    return _is_replaceable(call) and call.payload.get(NATIVE_TOOL) == SHELL_TOOL


def _is_replaceable(call: Call) -> bool:
    """Whether the call can become another one: the editor's extension takes no other input."""
    return "tool_call" in call.payload


class ClineAdapter(DialectAdapter):
    """The adapter of Cline."""

    def limit_capability(self, call: Call, decision: Decision) -> Capability:
        can = super().limit_capability(call, decision)
        return can if _is_replaceable(call) else change(can, rewrite=False)

    def narrow_capability(self, call: Call, decision: Decision, can: Capability) -> Capability:
        """Nothing reaches the model beside a cancel."""
        if decision.kind is Kind.DENY and can.context and not _is_softly_refusable(call):
            return change(can, context=False)
        return can


ADAPTER = ClineAdapter(DIALECT, add_timeouts(EVENT_CAPABILITIES, TIMEOUT, TIMEOUTS), _shape_answer)


def _make_files(wiring: Wiring) -> tuple[AgentFile, ...]:
    events = wiring.agent.events
    return tuple(build_own_file(wiring, f"hooks/{event}", _build_script(wiring, event)) for event in events)


def _build_script(wiring: Wiring, event: str) -> str:
    """Cline goes by what is printed, never by the exit code with which a dispatcher without an engine refuses."""
    if event != "PreToolUse":
        return build_script(wiring, event)
    refused = '{"cancel":true,"errorMessage":"synaptic: blocked, because it could not be checked"}'
    return f"{SCRIPT_HEAD}{build_command_text(wiring, event)}\n[ $? -ne 2 ] || echo '{refused}'\n"


REGISTERED_EVENTS = (
    "PreToolUse", "PostToolUse", "UserPromptSubmit", "TaskStart", "TaskResume", "TaskComplete", "TaskError",
    "SessionShutdown",
)  # fmt: skip
"""Names of the hook files. Without TaskCancel, which stands for no event of ours, and PreCompact, which never comes."""

AGENT = Agent(
    name="cline",
    title="Cline CLI",
    note="",
    adapter=ADAPTER,
    events=REGISTERED_EVENTS,
    unseen=(
        "prompts of one-shot runs of the command line, for which UserPromptSubmit does not come",
        "compaction, for which no file is run",
        "refusing a single edit or read: it ends the whole run",
    ),
    absence=None,
    trail=CallTrail(proves_run=RESULT_EVENTS, after_refusal=REFUSED_EVENT, read_line=None),
    reported_version=ReportedVersion("payload", ("clineVersion",)),
    sign=AgentSign(lambda seen: "hookName" in seen and "clineVersion" in seen),
    reads_claude_settings=False,
    imitates="",
    folder=SettingsFolder("CLINE_DIR", ".cline"),
    named_files={},
    files=_make_files,
    mark=ENTRY_ARGUMENT,
    strict_events=frozenset(),
    agreement=None,
    switches=(),
    guards=("hooks",),
    credentials=(".cline/data/secrets.json",),
    programs=("cline",),
    processes=("cline", "node_modules/cline/", "@cline/"),
    version_arguments=("--version",),
    command_line=UNKNOWN_COMMAND_LINE,
    bypass=HookBypass(options=split_options("--config --dir"), unasked=split_options("--yolo -y")),
    shell_variables=("CLINE_CONNECTOR_CLI_LAUNCH",),
    session_variables=(),
)

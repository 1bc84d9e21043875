"""Cline on the wire: file hooks that print one JSON object; exit codes mean nothing, and no hook can refuse one call.

`cancel` ends the whole run. So a shell call is refused by another one in its place, which prints the reason and fails;
whatever cannot be replaced like that is cancelled.
"""

import re
import shlex
from collections.abc import Iterator, Mapping

from synaptic.agents.base import UNKNOWN_COMMAND_LINE, Agent, AgentFile, Capability, SettingsFolder, Sign, Wiring
from synaptic.agents.shared.adapter import DialectAdapter, with_timeouts
from synaptic.agents.shared.answers import advice, reason
from synaptic.agents.shared.degrade import change
from synaptic.agents.shared.entries import SCRIPT_HEAD, build_own_file, build_script, command_text
from synaptic.agents.shared.ours import ENTRY
from synaptic.agents.shared.payload import DECODER, Payload
from synaptic.agents.shared.translate import NATIVE_TOOL, Dialect, Form, native_input
from synaptic.model.call import Call
from synaptic.model.decision import Decision, Kind
from synaptic.model.patch import patched, rewritten
from synaptic.model.tool import Input, Tool

TIMEOUT = 30
TIMEOUTS: Mapping[str, int] = {}
"""Seconds that the editor's extension waits; the command line waits 120, and both run the same files."""
EXITED = re.compile(r"Command exited with code (\d+)")
REFUSED = "ToolRefused"
"""What the result of our own refusal is: no tool ran, so no policy need look at it."""

SHELL = "run_commands"
LISTS = {SHELL: "commands", "read_files": "files", "search_codebase": "queries", "apply_patch": "input"}
"""Tools that take their one argument bare as well."""
BARE = ("commands", "cmd", "command", "args")
NAMES = {"path": "file_path", "old_text": "old_string", "new_text": "new_string"}
OURS = frozenset({*NAMES.values(), "content"})
"""Keys that Cline does not read: beside its own they could only mislead."""
BACK = {"file_path": "path", "old_string": "old_text", "new_string": "new_text", "content": "new_text"}
HERE = re.compile(r"""(?<!<)<<-?\s*(?:"([^"]+)"|'([^']+)'|([A-Za-z0-9_./-]+))""")
REFUSAL = re.compile(r"""printf '%s\\n' 'BLOCKED: (?:[^']|'"'"')*'; exit 1""")

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


def build_refusal(reason: str) -> dict[str, object]:
    """Build the command that runs in place of a refused one: it prints the reason and fails (decision 70)."""
    return {"commands": [f"printf '%s\\n' {shlex.quote(f'BLOCKED: {reason}')}; exit 1"]}


def is_refusal(command: str) -> bool:
    """Whether a command is such a call, and nothing else."""
    return REFUSAL.fullmatch(command) is not None


def _commands(given: Input) -> Iterator[str]:
    """Iterate over the commands under every key that may hold one: which key Cline runs depends on the types of the
    others, so all of them are judged."""
    for listed in (given.get("commands"), given, given.get("cmd")):
        found = map(_command, listed if isinstance(listed, list) else [listed])
        yield from _joined([one for one in found if one is not None])


def _command(one: object) -> str | None:
    """As shell text; what is given word by word runs without a shell, and means the same in one."""
    if not isinstance(one, Mapping):
        return one if isinstance(one, str) else None
    first, words = one.get("command"), one.get("args")
    if not isinstance(first, str):
        return None
    return " ".join(map(shlex.quote, [first, *map(str, words)])) if isinstance(words, list) and words else first


def _joined(commands: list[str]) -> Iterator[str]:
    """As the client does it: the lines of a here-document that are sent one by one are one command."""
    at = 0
    while at < len(commands):
        found = HERE.search(commands[at])
        word = next(filter(None, found.groups()), None) if found else None
        end = next((later for later in range(at + 1, len(commands)) if commands[later].strip() == word), at)
        yield "\n".join(commands[at : end + 1])
        at = end + 1


def _run(given: Input) -> Tool:
    """Each of several commands has a shell of its own: a `cd` in one moves no other, a quote in one hides no other."""
    found = list(_commands(given))
    text = found[0] if len(found) == 1 else "\n".join(f"bash -c {shlex.quote(one)}" for one in found)
    return Tool("Bash", {**{key: value for key, value in given.items() if key not in BARE}, "command": text})


def _run_again(native: Input, new: Input) -> dict[str, object] | None:
    command = new.get("command")
    if len(list(_commands(native))) != 1 or not isinstance(command, str):
        return None
    again: dict[str, object] = {**{key: value for key, value in new.items() if key != "command"}, "commands": [command]}
    return _exact(again, _run(again), new)


def _exact(again: dict[str, object], read: Tool, new: Input) -> dict[str, object] | None:
    """Keep a rewrite only if reading it back gives exactly what was decided: else Cline would run something else."""
    return again if dict(read.input) == dict(new) else None


def _files(given: Input) -> list[str]:
    """Every path under any of the keys."""
    several = (given.get(key) for key in ("files", "file_paths", "paths", "path"))
    listed = [one for found in several for one in (found if isinstance(found, list) else [found])]
    paths = (one.get("path") if isinstance(one, Mapping) else one for one in listed)
    return list(dict.fromkeys(path for path in paths if isinstance(path, str)))


def _look(given: Input) -> Tool:
    paths = _files(given)
    return Tool("Read", {**given, "file_path": paths[0], "paths": paths} if paths else given)


def _edit(given: Input) -> Tool:
    """Without a text to replace and a line to insert at, the file is made."""
    read = {key: value for key, value in given.items() if value is not None and key not in OURS}
    found = {NAMES.get(key, key): value for key, value in read.items()}
    if "old_string" in found or "insert_line" in found:
        return Tool("Edit", found)
    return Tool("Write", {"content" if key == "new_string" else key: value for key, value in found.items()})


def _edit_again(native: Input, new: Input) -> dict[str, object] | None:
    again: dict[str, object] = {BACK.get(key, key): value for key, value in new.items()}
    return _exact(again, _edit(again), new)


def _patch(given: Input) -> Tool:
    text = given.get("input")
    return patched(text) if isinstance(text, str) else Tool("Edit", given)


def _patch_again(native: Input, new: Input) -> dict[str, object] | None:
    text = rewritten(new)
    return None if text is None else {"input": text}


def _search(given: Input) -> Tool:
    queries = given.get("queries")
    listed = queries if isinstance(queries, list) else [queries]
    return Tool("Grep", {**given, "pattern": "|".join(map(str, listed))})


def _fetch(given: Input) -> Tool:
    asked = given.get("requests")
    first = asked[0] if isinstance(asked, list) and asked and isinstance(asked[0], Mapping) else {}
    return Tool("WebFetch", {**given, **first})


def _read_served(given: Input) -> Tool:
    """The extension's one tool for all servers."""
    arguments = given.get("arguments")
    try:
        found = DECODER.decode(arguments) if isinstance(arguments, str) else arguments
    except ValueError:
        found = None
    name = f"mcp__{given.get('server_name', '')}__{given.get('tool_name', '')}"
    return Tool(name, found if isinstance(found, dict) else given)


def _never(native: Input, new: Input) -> None:
    return None


def _in_extension(name: str) -> Form:
    """An edit by the editor's extension, which takes the file's path from either of two keys."""

    def read(given: Input) -> Tool:
        path = given.get("path") or given.get("absolutePath")
        rest = {key: value for key, value in given.items() if key not in ("path", "absolutePath", "file_path")}
        if "diff" in rest:
            rest["new_string"] = rest.pop("diff")
        return Tool(name, {"file_path": path, **rest} if path else rest)

    return Form(name, read=read, write=_never)


TOOLS: Mapping[str, Form] = {
    SHELL: Form("Bash", read=_run, write=_run_again),
    "editor": Form("Edit", read=_edit, write=_edit_again),
    "apply_patch": Form("Edit", read=_patch, write=_patch_again),
    "read_files": Form("Read", read=_look, write=_never),
    "search_codebase": Form("Grep", read=_search, write=_never),
    "fetch_web_content": Form("WebFetch", read=_fetch, write=_never),
    "web_search": Form("WebSearch"),
    "spawn_agent": Form("Agent", {"task": "prompt"}),
    "skills": Form("Skill"),
    "execute_command": Form("Bash"),
    "write_to_file": _in_extension("Write"),
    "new_rule": _in_extension("Write"),
    "replace_in_file": _in_extension("Edit"),
    "read_file": Form("Read", {"path": "file_path"}),
    "search_files": Form("Grep", {"regex": "pattern", "file_pattern": "glob"}),
    "list_files": Form("LS"),
    "web_fetch": Form("WebFetch"),
    "new_task": Form("Agent", {"context": "prompt"}),
    "use_mcp_tool": Form("mcp", read=_read_served, write=_never),
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
        return {"overrideInput": build_refusal(reason(decision))}
    return {"cancel": True, "errorMessage": reason(decision)}


def _is_soft(call: Call) -> bool:
    """Whether a deny can be a failing command: that stops this call alone, and the model reads why."""
    return _is_replaceable(call) and call.payload.get(NATIVE_TOOL) == SHELL


def _is_replaceable(call: Call) -> bool:
    """Whether the call can become another one: the editor's extension takes no other input."""
    return "tool_call" in call.payload


class Cline(DialectAdapter):
    """The adapter of Cline."""

    def possible(self, call: Call, decision: Decision) -> Capability:
        can = super().possible(call, decision)
        return can if _is_replaceable(call) else change(can, rewrite=False)

    def narrowed(self, call: Call, decision: Decision, can: Capability) -> Capability:
        """Nothing reaches the model beside a cancel."""
        if decision.kind is Kind.DENY and can.context and not _is_soft(call):
            return change(can, context=False)
        return can


ADAPTER = Cline(DIALECT, with_timeouts(TABLE, TIMEOUT, TIMEOUTS), _shape)


def _make_files(wiring: Wiring) -> tuple[AgentFile, ...]:
    events = wiring.agent.events
    return tuple(build_own_file(wiring, f"hooks/{event}", _build_script(wiring, event)) for event in events)


def _build_script(wiring: Wiring, event: str) -> str:
    """Cline goes by what is printed, never by the exit code with which a dispatcher without an engine refuses."""
    if event != "PreToolUse":
        return build_script(wiring, event)
    refused = '{"cancel":true,"errorMessage":"synaptic: blocked, because it could not be checked"}'
    return f"{SCRIPT_HEAD}{command_text(wiring, event)}\n[ $? -ne 2 ] || echo '{refused}'\n"


REGISTERED = (
    "PreToolUse", "PostToolUse", "UserPromptSubmit", "TaskStart", "TaskResume", "TaskComplete", "TaskError",
    "SessionShutdown",
)  # fmt: skip
"""Names of the hook files. Without TaskCancel, which stands for no event of ours, and PreCompact, which never comes."""

AGENT = Agent(
    name="cline",
    title="Cline CLI",
    note="",
    adapter=ADAPTER,
    events=REGISTERED,
    unseen=(
        "prompts of one-shot runs of the command line, for which UserPromptSubmit does not come",
        "compaction, for which no file is run",
        "refusing a single edit or read: it ends the whole run",
    ),
    sign=Sign(lambda seen: "hookName" in seen and "clineVersion" in seen),
    reads_claude_settings=False,
    imitates="",
    folder=SettingsFolder("CLINE_DIR", ".cline"),
    named_files={},
    files=_make_files,
    mark=ENTRY,
    strict_events=frozenset(),
    agreement=None,
    switches=(),
    guards=("hooks",),
    programs=("cline",),
    version_arguments=("--version",),
    command_line=UNKNOWN_COMMAND_LINE,
    shell_variables=("CLINE_CONNECTOR_CLI_LAUNCH",),
    session_variables=(),
)

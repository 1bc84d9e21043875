"""Gemini CLI: its own names of events, tools and answer fields; it reads JSON and ignores exit codes.

`ask` is never said: it overrules even the mode in which nobody is asked, and without a terminal the client then waits
for ever.
"""

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
from synaptic.agents.shared.answers import advice, keep_going, reason, refine_prompt, top
from synaptic.agents.shared.entries import json_file
from synaptic.agents.shared.gemini_family import COMMAND_LINE, FOLDER_TRUST, build_named_group
from synaptic.agents.shared.ours import ENTRY
from synaptic.agents.shared.payload import Payload
from synaptic.agents.shared.translate import Dialect, Form, native_event, native_input, refine_failure
from synaptic.model.call import Call
from synaptic.model.decision import Decision, Kind

TIMEOUT = 600
TIMEOUTS: Mapping[str, int] = {"SessionEnd": 10, "UserPromptSubmit": 30}
"""Seconds; the settings file wants milliseconds."""

ANY = frozenset(UNIVERSAL)
TABLE: Mapping[str, Capability] = {
    "PreToolUse": Capability(deny=True, rewrite=True, extras=ANY),
    "PostToolUse": Capability(context=True, extras=ANY),  # a block would replace what the tool said
    "PostToolUseFailure": Capability(context=True, extras=ANY),
    "UserPromptSubmit": Capability(deny=True, context=True, extras=ANY),
    "Stop": Capability(feedback=True, extras=ANY),
    "SessionStart": Capability(context=True, extras=ANY),
    "SessionEnd": Capability(message=False),  # nobody waits for the answer
    "PreCompact": Capability(extras=frozenset({"suppressOutput", "systemMessage"})),
    "Notification": Capability(extras=frozenset({"suppressOutput", "systemMessage"})),
}


def _mcp(name: str, payload: Payload) -> str:
    context = payload.get("mcp_context")
    if not isinstance(context, dict):
        return name
    server, tool = context.get("server_name"), context.get("tool_name")
    return f"mcp__{server}__{tool}" if isinstance(server, str) and isinstance(tool, str) else name


def _refine(event: str, payload: Payload) -> str:
    if event == "PreCompact" and payload.get("trigger") == "auto":
        return "PreCompress"  # it comes before every request, whether anything is compressed or not
    return refine_failure(refine_prompt(event, payload), payload)


DIALECT = Dialect(
    agent="gemini",
    events={
        "BeforeTool": "PreToolUse",
        "AfterTool": "PostToolUse",
        "BeforeAgent": "UserPromptSubmit",
        "AfterAgent": "Stop",
        "PreCompress": "PreCompact",
    },
    fields={"prompt_response": "last_assistant_message"},
    tools={
        "run_shell_command": Form("Bash", {"is_background": "run_in_background"}, directory="dir_path"),
        "write_file": Form("Write"),
        "replace": Form("Edit", {"allow_multiple": "replace_all"}),
        "read_file": Form("Read", {"file_path": "file_path", "absolute_path": "file_path"}),
        "read_many_files": Form("Read", {"include": "paths"}),
        "list_directory": Form("LS", {"dir_path": "path"}),
        "grep_search": Form("Grep", {"dir_path": "path"}),
        "search_file_content": Form("Grep", {"dir_path": "path"}),
        "glob": Form("Glob", {"dir_path": "path"}),
        "web_fetch": Form("WebFetch"),
        "google_web_search": Form("WebSearch"),
        "invoke_agent": Form("Agent"),
    },
    mcp=_mcp,
    refine=_refine,
)


def _shape(call: Call, decision: Decision) -> Payload:
    body, specific = top(decision), Payload()
    if decision.feedback:
        body.update(decision="deny", reason=keep_going(decision))
    elif decision.kind is Kind.DENY:
        body.update(decision="deny", reason=reason(decision))
    elif decision.input is not None:
        specific["tool_input"] = native_input(call, DIALECT, decision.input)
    if decision.context:
        specific["additionalContext"] = advice(decision)
    if specific:
        body["hookSpecificOutput"] = {"hookEventName": native_event(call), **specific}
    return body


ADAPTER = DialectAdapter(DIALECT, with_timeouts(TABLE, TIMEOUT, TIMEOUTS), _shape)


REGISTERED = (
    "BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "SessionStart", "SessionEnd", "PreCompress", "Notification",
)  # fmt: skip
"""Without BeforeModel, AfterModel and BeforeToolSelection: they come several times a turn and stand for no event."""

AGENT = Agent(
    name="gemini",
    title="Gemini CLI",
    note="",
    adapter=ADAPTER,
    events=REGISTERED,
    unseen=("function calls in BeforeModel and AfterModel", "advice before a tool call, which is given after it"),
    sign=Sign(is_stamped, sets_any("GEMINI_SESSION_ID")),
    reads_claude_settings=False,
    imitates="",
    folder=SettingsFolder("GEMINI_CLI_HOME", "", ".gemini"),
    named_files={},
    files=json_file("settings.json", build_named_group, SettingsShape(comments=True)),
    mark=ENTRY,
    strict_events=frozenset(),
    agreement=None,
    switches=(
        HookSwitch("settings.json", ("hooksConfig", "enabled"), False),
        HookSwitch("settings.json", ("hooksConfig", "disabled"), "synaptic"),
        FOLDER_TRUST,
    ),
    guards=(),
    programs=("gemini",),
    version_arguments=("--version",),
    command_line=COMMAND_LINE,
    shell_variables=("GEMINI_CLI",),
    session_variables=(),
)

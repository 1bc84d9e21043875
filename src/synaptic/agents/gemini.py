"""Gemini CLI: its own names of events, tools and answer fields; it reads JSON and ignores exit codes.

`ask` is never said: it overrules even the mode in which nobody is asked, and without a terminal the client then waits
for ever.
"""

from collections.abc import Mapping

from synaptic.agents.base import (
    RESULT_EVENTS,
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
)
from synaptic.agents.shared.adapter import UNIVERSAL_EXTRAS, DialectAdapter, add_timeouts
from synaptic.agents.shared.answers import (
    build_top_level,
    describe_reason,
    join_context,
    mark_stop_block,
    refine_prompt,
)
from synaptic.agents.shared.entries import build_json_files
from synaptic.agents.shared.gemini_family import COMMAND_LINE, FOLDER_TRUST, GEMINI_BYPASS, build_named_group
from synaptic.agents.shared.ours import ENTRY_ARGUMENT
from synaptic.agents.shared.payload import Payload
from synaptic.agents.shared.translate import Dialect, ToolForm, find_native_event, refine_failure, to_native_input
from synaptic.model.call import Call
from synaptic.model.decision import Decision, Kind

TIMEOUT = 600
TIMEOUTS: Mapping[str, int] = {"SessionEnd": 10, "UserPromptSubmit": 30}
"""Seconds; the settings file wants milliseconds."""

ANY_EXTRAS = frozenset(UNIVERSAL_EXTRAS)
EVENT_CAPABILITIES: Mapping[str, Capability] = {
    "PreToolUse": Capability(deny=True, rewrite=True, extras=ANY_EXTRAS),
    "PostToolUse": Capability(context=True, extras=ANY_EXTRAS),  # a block would replace what the tool said
    "PostToolUseFailure": Capability(context=True, extras=ANY_EXTRAS),
    "UserPromptSubmit": Capability(deny=True, context=True, extras=ANY_EXTRAS),
    "Stop": Capability(feedback=True, extras=ANY_EXTRAS),
    "SessionStart": Capability(context=True, extras=ANY_EXTRAS),
    "SessionEnd": Capability(message=False),  # nobody waits for the answer
    "PreCompact": Capability(extras=frozenset({"suppressOutput", "systemMessage"})),
    "Notification": Capability(extras=frozenset({"suppressOutput", "systemMessage"})),
}


def _name_mcp_tool(name: str, payload: Payload) -> str:
    context = payload.get("mcp_context")
    if not isinstance(context, dict):
        return name
    server, tool = context.get("server_name"), context.get("tool_name")
    return f"mcp__{server}__{tool}" if isinstance(server, str) and isinstance(tool, str) else name


def _refine_event(event: str, payload: Payload) -> str:
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
        "run_shell_command": ToolForm("Bash", {"is_background": "run_in_background"}, directory="dir_path"),
        "write_file": ToolForm("Write"),
        "replace": ToolForm("Edit", {"allow_multiple": "replace_all"}),
        "read_file": ToolForm("Read", {"file_path": "file_path", "absolute_path": "file_path"}),
        "read_many_files": ToolForm("Read", {"include": "paths"}),
        "list_directory": ToolForm("LS", {"dir_path": "path"}),
        "grep_search": ToolForm("Grep", {"dir_path": "path"}),
        "search_file_content": ToolForm("Grep", {"dir_path": "path"}),
        "glob": ToolForm("Glob", {"dir_path": "path"}),
        "web_fetch": ToolForm("WebFetch"),
        "google_web_search": ToolForm("WebSearch"),
        "invoke_agent": ToolForm("Agent"),
    },
    mcp=_name_mcp_tool,
    refine=_refine_event,
)


def _shape_answer(call: Call, decision: Decision) -> Payload:
    body, specific = build_top_level(decision), Payload()
    if decision.feedback:
        body.update(decision="deny", reason=mark_stop_block(decision))
    elif decision.kind is Kind.DENY:
        body.update(decision="deny", reason=describe_reason(decision))
    elif decision.input is not None:
        specific["tool_input"] = to_native_input(call, DIALECT, decision.input)
    if decision.context:
        specific["additionalContext"] = join_context(decision)
    if specific:
        body["hookSpecificOutput"] = {"hookEventName": find_native_event(call), **specific}
    return body


ADAPTER = DialectAdapter(DIALECT, add_timeouts(EVENT_CAPABILITIES, TIMEOUT, TIMEOUTS), _shape_answer)


REGISTERED_EVENTS = (
    "BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "SessionStart", "SessionEnd", "PreCompress", "Notification",
)  # fmt: skip
"""Without BeforeModel, AfterModel and BeforeToolSelection: they come several times a turn and stand for no event."""

AGENT = Agent(
    name="gemini",
    title="Gemini CLI",
    note="",
    adapter=ADAPTER,
    events=REGISTERED_EVENTS,
    unseen=("function calls in BeforeModel and AfterModel", "advice before a tool call, which is given after it"),
    absence=None,
    trail=CallTrail(proves_run=RESULT_EVENTS, after_refusal="", read_line=None),
    reported_version=None,
    sign=AgentSign(is_stamped, sets_any("GEMINI_SESSION_ID")),
    reads_claude_settings=False,
    imitates="",
    folder=SettingsFolder("GEMINI_CLI_HOME", "", ".gemini"),
    named_files={},
    files=build_json_files("settings.json", build_named_group, SettingsShape(comments=True)),
    mark=ENTRY_ARGUMENT,
    strict_events=frozenset(),
    agreement=None,
    switches=(
        HookSwitch("settings.json", ("hooksConfig", "enabled"), False),
        HookSwitch("settings.json", ("hooksConfig", "disabled"), "synaptic"),
        FOLDER_TRUST,
    ),
    guards=(),
    credentials=(".gemini/oauth_creds.json", ".gemini/mcp-oauth-tokens.json"),
    programs=("gemini",),
    processes=("gemini", "@google/gemini-cli/"),
    version_arguments=("--version",),
    command_line=COMMAND_LINE,
    bypass=HookBypass(
        options=GEMINI_BYPASS.options,
        unasked=GEMINI_BYPASS.unasked,
        variables=frozenset({"GEMINI_CLI_SYSTEM_SETTINGS_PATH", "GEMINI_CLI_SYSTEM_DEFAULTS_PATH"}),
        verbs=GEMINI_BYPASS.verbs,
    ),
    shell_variables=("GEMINI_CLI",),
    session_variables=(),
)

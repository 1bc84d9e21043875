"""Amp on the wire: a permission delegate, whose answer is its exit code: 0 allows, 1 asks, 2 refuses with stderr.

On stdin is the tool's input and nothing else; the tool's name and the directory come by the environment. There is no
exit code for "no opinion": see `_choose_exit_code`.
"""

from collections.abc import Mapping
from pathlib import Path

from synaptic.agents.base import (
    UNKNOWN_COMMAND_LINE,
    Agent,
    AgentFile,
    AgentSign,
    CallTrail,
    Capability,
    HookBypass,
    HookSwitch,
    OwnFile,
    SettingsFile,
    SettingsFolder,
    SettingsShape,
    TopLevel,
    Variables,
    WantedEntries,
    Wiring,
    split_options,
)
from synaptic.agents.shared.adapter import DialectAdapter, add_timeouts
from synaptic.agents.shared.answers import describe_reason, format_stderr
from synaptic.agents.shared.entries import build_script
from synaptic.agents.shared.ours import is_dispatcher
from synaptic.agents.shared.payload import Payload, read_object, to_line
from synaptic.agents.shared.translate import Dialect, ToolForm, translate_payload
from synaptic.model.call import Answer, Call, Request
from synaptic.model.decision import Decision, Kind
from synaptic.model.event import ToolEvent
from synaptic.model.tool import EDITS, READS

TIMEOUT = 60
TIMEOUTS: Mapping[str, int] = {}
"""Seconds."""
DELEGATE_PROGRAM = "amp-delegate"
"""The program beside the dispatcher: Amp passes no arguments."""
EVENT_CAPABILITIES: Mapping[str, Capability] = {
    "PreToolUse": Capability(deny=True, ask=True, allow=True, message=False)
}
UNASKED_TOOLS = READS | EDITS | {"WebSearch", "WebFetch", "Agent", "TodoWrite", "TodoRead"}
"""Tools about which Amp asks nobody by itself."""
ALLOW, ASK, REFUSE = 0, 1, 2

DIALECT = Dialect(
    agent="amp",
    tools={
        "Bash": ToolForm("Bash", {"cmd": "command"}, directory="cwd"),
        "shell_command": ToolForm("Bash", {"cmd": "command"}, directory="workdir"),
        "create_file": ToolForm("Write", {"path": "file_path"}),
        "edit_file": ToolForm("Edit", {"path": "file_path", "old_str": "old_string", "new_str": "new_string"}),
        "undo_edit": ToolForm("Edit", {"path": "file_path"}),
        "Read": ToolForm("Read", {"path": "file_path"}),
        "Grep": ToolForm("Grep"),
        "glob": ToolForm("Glob", {"filePattern": "pattern"}),
        "finder": ToolForm("Grep", {"query": "pattern"}),
        "web_search": ToolForm("WebSearch", {"objective": "query"}),
        "read_web_page": ToolForm("WebFetch"),
        "Task": ToolForm("Agent"),
        "todo_write": ToolForm("TodoWrite"),
        "todo_read": ToolForm("TodoRead"),
    },
)


class AmpAdapter(DialectAdapter):
    """The adapter of Amp."""

    def decode(self, request: Request) -> Call:
        given, repaired = read_object(request)
        # Amp sends the bare tool input, so a key named like one of our fields must not end up at the top.
        payload: Payload = {"tool_input": given}
        if tool := request.env.get("AGENT_TOOL_NAME"):
            payload["tool_name"] = tool
        else:
            repaired += ("amp: AGENT_TOOL_NAME is missing, so nobody knows which tool this is",)
        if cwd := request.env.get("PWD"):
            payload["cwd"] = cwd
        return translate_payload(request, self.dialect, payload, repaired)

    def encode(self, call: Call, decision: Decision) -> Answer:
        code = _choose_exit_code(call, decision)
        why = f"{describe_reason(decision)}\n" if decision.kind in (Kind.DENY, Kind.ASK) else ""
        return Answer(stderr=why.encode("utf-8", "replace") + format_stderr(call, decision), exit=code)

    def refuse(self, event: str, reason: str) -> Answer:
        return Answer(stderr=to_line(reason), exit=REFUSE)


def _choose_exit_code(call: Call, decision: Decision) -> int:
    """Choose the exit code. No opinion must not become an allow: what Amp would ask about by itself is asked."""
    if decision.kind is Kind.DENY:
        return REFUSE
    if decision.kind is Kind.ALLOW:
        return ALLOW
    unasked = isinstance(call.event, ToolEvent) and call.event.tool_name in UNASKED_TOOLS
    return ALLOW if unasked and decision.kind is not Kind.ASK else ASK


def _shape_nothing(call: Call, decision: Decision) -> Payload:
    return {}


ADAPTER = AmpAdapter(DIALECT, add_timeouts(EVENT_CAPABILITIES, TIMEOUT, TIMEOUTS), _shape_nothing)


def _is_bare(seen: TopLevel) -> bool:
    """Nothing but the tool's input, which the environment then has to say is Amp's."""
    return "session_id" not in seen and "hook_event_name" not in seen


def _is_amps_environment(env: Variables) -> bool:
    return env.get("AGENT") == "amp" and bool(env.get("AGENT_TOOL_NAME"))


def _is_ours(rule: object, dispatch: str) -> bool:
    if not isinstance(rule, dict) or rule.get("action") != "delegate":
        return False
    folder, _, name = str(rule.get("to", "")).rpartition("/")
    return name == DELEGATE_PROGRAM and is_dispatcher(f"{folder}/dispatch", dispatch)


def _make_files(wiring: Wiring) -> tuple[AgentFile, ...]:
    """Delegate program and permission rule. Amp takes the first rule that fits, so ours is last: put first, it would
    overrule refusals that the user wrote."""
    program = Path(wiring.plan.dispatch).with_name(DELEGATE_PROGRAM)
    rule = {"tool": "*", "action": "delegate", "to": str(program)}
    shape = SettingsShape(inside="", nested=False, comments=True, is_ours=_is_ours)
    wanted = WantedEntries(shape, wiring.plan.dispatch, {"amp.permissions": rule})
    script = OwnFile(program, build_script(wiring, "PreToolUse"), 0o755)
    return (script, SettingsFile(wiring.locate_file("settings.json"), wanted))


AGENT = Agent(
    name="amp",
    title="Amp",
    note="asks about every shell command that no rule of yours names; its own list of harmless ones is not reached",
    adapter=ADAPTER,
    events=("PreToolUse",),
    unseen=(
        "prompts, results, the end of a turn and of a session: a delegate is asked about tools only",
        "the session: every call stands alone",
        "calls that a rule before ours, or `amp.dangerouslyAllowAll`, has decided",
    ),
    absence=None,
    trail=CallTrail(proves_run=frozenset(), after_refusal="", read_line=None),
    reported_version=None,
    sign=AgentSign(_is_bare, _is_amps_environment),
    reads_claude_settings=False,
    imitates="",
    folder=SettingsFolder("XDG_CONFIG_HOME", ".config", "amp"),
    named_files={"AMP_SETTINGS_FILE": "settings.json"},
    files=_make_files,
    mark=DELEGATE_PROGRAM,
    strict_events=frozenset(),
    agreement=None,
    switches=(
        HookSwitch(
            "settings.json",
            ("amp.dangerouslyAllowAll",),
            True,
            "warn",
            "may let calls pass before a rule is asked",
        ),
    ),
    guards=(),
    credentials=(".local/share/amp/secrets.json",),
    programs=("amp",),
    processes=("amp", "@sourcegraph/amp/"),
    version_arguments=("--version",),
    command_line=UNKNOWN_COMMAND_LINE,
    bypass=HookBypass(options=split_options("--settings-file"), unasked=frozenset({"--dangerously-allow-all"})),
    shell_variables=(),
    session_variables=(),
)

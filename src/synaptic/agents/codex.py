"""Codex on the wire: Claude Code's names, and a strict reader that fails open.

An answer with an unknown key, an empty reason, an `ask`, an allow without a rewrite, or a field that the event does not
take counts as a failed hook, and the call runs. So nothing is written that its reader does not ask for.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

from synaptic.agents.base import (
    RESULT_EVENTS,
    Agent,
    AgentSign,
    Agreements,
    CallTrail,
    Capability,
    CommandLine,
    HookBypass,
    HookSwitch,
    ReportedVersion,
    SettingsFile,
    SettingsFolder,
    SettingsShape,
    TopLevel,
    TranscriptStep,
    split_options,
)
from synaptic.agents.shared.adapter import DialectAdapter, add_timeouts
from synaptic.agents.shared.answers import add_specific, build_block, build_consent, build_permission, build_top_level
from synaptic.agents.shared.degrade import change
from synaptic.agents.shared.entries import build_group, build_json_files
from synaptic.agents.shared.ours import ENTRY_ARGUMENT
from synaptic.agents.shared.payload import Payload
from synaptic.agents.shared.transcripts import as_object, read_json_line, read_stamp
from synaptic.agents.shared.translate import Dialect, ToolForm, to_native_input
from synaptic.files.toml import parse_toml
from synaptic.model.call import Call
from synaptic.model.decision import Decision, Kind
from synaptic.model.patch import read_patch_call, write_patch
from synaptic.model.tool import Input, Tool

TIMEOUT = 600
TIMEOUTS: Mapping[str, int] = {"SessionEnd": 3, "Interrupt": 3, "UserPromptSubmit": 30}
"""Seconds; Codex itself allows the first two no more."""
AGREEMENT_HEADER = "# synaptic: agreed to with `synaptic bootstrap --trust`\n"
"""Before every agreement that we write."""

TRANSCRIPT_CALLS = frozenset({"function_call", "custom_tool_call"})
TRANSCRIPT_RESULTS = frozenset({"CommandExecution", "FileChange", "McpToolCall"})
TRANSCRIPT_ENDS = frozenset({"completed", "failed"})
"""Of what has run; another end is a refusal."""
MESSAGE_EXTRAS = frozenset({"systemMessage"})
HALT_EXTRAS = MESSAGE_EXTRAS | {"continue", "stopReason"}
EVENT_CAPABILITIES: Mapping[str, Capability] = {
    "PreToolUse": Capability(deny=True, rewrite=True, context=True, extras=MESSAGE_EXTRAS),
    "PermissionRequest": Capability(deny=True, ask=True, allow=True, extras=MESSAGE_EXTRAS),
    "PostToolUse": Capability(context=True, extras=HALT_EXTRAS),  # a block would replace what the tool said
    "UserPromptSubmit": Capability(deny=True, context=True, extras=HALT_EXTRAS),
    "SessionStart": Capability(context=True, extras=HALT_EXTRAS),
    "SubagentStart": Capability(context=True, extras=MESSAGE_EXTRAS),
    "Stop": Capability(feedback=True, extras=HALT_EXTRAS),
    "SubagentStop": Capability(feedback=True, extras=HALT_EXTRAS),
    "PreCompact": Capability(extras=HALT_EXTRAS),
    "PostCompact": Capability(extras=HALT_EXTRAS),
    "Interrupt": Capability(extras=MESSAGE_EXTRAS),
    "SessionEnd": Capability(message=False),
    "PreModelRequest": Capability(message=False),
}


def _read_patch(given: Input) -> Tool:
    text = given.get("command")
    return read_patch_call(text) if isinstance(text, str) else Tool("Edit", given)


def _write_patch(_: Input, new: Input) -> dict[str, object] | None:
    text = write_patch(new)
    return None if text is None else {"command": text}


def _write_command(_: Input, new: Input) -> dict[str, object] | None:
    """Rewrite the command only: Codex ignores any other changed argument, so such a rewrite is refused instead."""
    command = new.get("command")
    return {"command": command} if isinstance(command, str) and new.keys() <= {"command", "description"} else None


DIALECT = Dialect(
    agent="codex",
    tools={
        "Bash": ToolForm("Bash", write=_write_command),
        "apply_patch": ToolForm("Edit", read=_read_patch, write=_write_patch),
        "spawn_agent": ToolForm("Agent", {"message": "prompt"}),
        "view_image": ToolForm("Read", {"path": "file_path"}),
    },
)


def _shape_answer(call: Call, decision: Decision) -> Payload:
    name, body, specific = call.event.hook_event_name, build_top_level(decision), {}
    if name == "PreToolUse":
        specific = _shape_before_tool(call, decision)
    elif name == "PermissionRequest":
        specific = {"decision": said} if (said := build_consent(decision)) else {}
    else:
        body.update(build_block(decision))
    return add_specific(body, call, specific, decision)


def _shape_before_tool(call: Call, decision: Decision) -> Payload:
    if decision.kind is Kind.DENY:
        return build_permission(decision)
    if decision.input is None:
        return {}
    return {"permissionDecision": "allow", "updatedInput": to_native_input(call, DIALECT, decision.input)}


ADAPTER = DialectAdapter(DIALECT, add_timeouts(EVENT_CAPABILITIES, TIMEOUT, TIMEOUTS), _shape_answer)


def _is_codex(seen: TopLevel) -> bool:
    """Recognise Codex by `turn_id`, which Claude Code has on MessageDisplay only, or by its transcript folder."""
    turn = "turn_id" in seen and seen.get("hook_event_name") != b'"MessageDisplay"'
    return turn or b"/.codex/" in seen.get("transcript_path", b"")


class CodexAgreement:
    """Codex runs an entry only if its config.toml holds an agreement to exactly that entry, where it stands."""

    file = "config.toml"
    how = "type `codex`, then `/hooks`, and agree to the entries of synaptic"

    def list_wanted(self, hooks: SettingsFile, text: str) -> Agreements:
        groups = json.loads(text or "{}").get("hooks", {})
        return {
            f"{hooks.path}:{_to_snake_case(event)}:{number}:{index}": _hash_entry(event, group, hook)
            for event in hooks.wanted.groups
            for number, group in enumerate(groups.get(event, ()))
            for index, hook in enumerate(group.get("hooks", ()) if isinstance(group, dict) else ())
            if hooks.wanted.has_written(hook)
        }

    def read_known(self, text: str) -> Agreements:
        state = parse_toml(text).get("hooks", {}).get("state", {})
        return {key: str(one.get("trusted_hash")) for key, one in state.items() if isinstance(one, dict)}

    def add(self, text: str, missing: Agreements) -> str:
        gap = "\n" if text and not text.endswith("\n") else ""
        added = gap + AGREEMENT_HEADER + "".join(_format_table(key, value) for key, value in missing.items())
        if not _says_only(text + added, text, missing):
            raise ValueError("it has another one for the same entry, or keeps `hooks` on one line")
        return added

    def remove(self, text: str, added: str) -> str:
        # Codex may have rewritten its config in between; then the tables are removed one by one, wherever they are now.
        if added in text:
            before, _, after = text.rpartition(added)
            return before + after
        tables = re.findall(r"\[hooks\.state\.[^\n]*\ntrusted_hash = [^\n]*\n", added)
        for piece in (AGREEMENT_HEADER, *tables):
            text = text.replace(piece, "", 1)
        return text


def _hash_entry(event: str, group: Mapping[str, Any], hook: Mapping[str, Any]) -> str:
    """Hash an entry as Codex does, with its defaults filled in: with another hash the entry counts as not agreed to."""
    handler = {"type": "command", "command": hook["command"], "timeout": hook["timeout"], "async": False}
    matcher = {"matcher": group["matcher"]} if "matcher" in group else {}
    identity = {"event_name": _to_snake_case(event), "hooks": [handler], **matcher}
    data = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(data.encode()).hexdigest()}"


def _to_snake_case(event: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()


def _format_table(key: str, value: str) -> str:
    return f'[hooks.state.{json.dumps(key, ensure_ascii=False)}]\ntrusted_hash = "{value}"\n'


def _says_only(after: str, before: str, added: Agreements) -> bool:
    """Prove that appending changes nothing but the agreements, by parsing the text before and after."""
    try:
        old, new = parse_toml(before), parse_toml(after)
        state = new["hooks"]["state"]
        exact = all(state.pop(key) == {"trusted_hash": value} for key, value in added.items())
    except ValueError:
        return False
    return exact and _drop_empty_tables(new) == _drop_empty_tables(old)


def _drop_empty_tables(config: dict[str, Any]) -> dict[str, Any]:
    """Without tables of which nothing is left."""
    hooks = {key: value for key, value in config.get("hooks", {}).items() if key != "state" or value}
    others = {key: value for key, value in config.items() if key != "hooks"}
    return {**others, "hooks": hooks} if hooks else others


def _read_transcript_line(line: bytes) -> tuple[TranscriptStep, ...]:
    """A step of a call: how it begins, or the result of a command or a patch that has ended."""
    found = read_json_line(line, b'"call_id"', b'"item_completed"')
    payload, at = as_object(found.get("payload")), read_stamp(found.get("timestamp"))
    number, item = payload.get("call_id"), as_object(payload.get("item"))
    if payload.get("type") in TRANSCRIPT_CALLS and isinstance(number, str):
        return (TranscriptStep(number, str(payload.get("name", "")), at),)
    if item.get("type") in TRANSCRIPT_RESULTS and item.get("status") in TRANSCRIPT_ENDS:
        return (TranscriptStep(str(item.get("id", "")), at=at, has_run=True),)
    return ()


COMMAND_LINE = CommandLine(
    resume=split_options("--last --all"),
    resume_verbs=split_options("resume fork"),
    switches=split_options(
        "--last --all --strict-config --oss --approve-for-me --dangerously-bypass-approvals-and-sandbox --full-auto "
        "--dangerously-bypass-hook-trust --worktree --search --no-alt-screen --no-daemon --skip-git-repo-check "
        "--ephemeral --ignore-user-config --ignore-rules --json"
    ),
    several=split_options("-i --image"),
)


REGISTERED_EVENTS = (
    "PreToolUse", "PermissionRequest", "PostToolUse", "PreCompact", "PostCompact", "SessionStart", "SessionEnd",
    "UserPromptSubmit", "SubagentStart", "SubagentStop", "Stop", "Interrupt",
)  # fmt: skip
"""Every event of Codex but PreModelRequest, whose answer nobody reads."""

AGENT = Agent(
    name="codex",
    title="Codex CLI",
    note="",
    adapter=ADAPTER,
    events=REGISTERED_EVENTS,
    unseen=(
        "write_stdin: what is typed into a program that already runs",
        "hosted web_search",
        "the result of a patch that a shell command applies",
    ),
    absence=None,
    trail=CallTrail(proves_run=RESULT_EVENTS, after_refusal="", read_line=_read_transcript_line),
    reported_version=ReportedVersion("transcript", ("payload", "cli_version")),
    sign=AgentSign(_is_codex),
    reads_claude_settings=False,
    imitates="",
    folder=SettingsFolder("CODEX_HOME", ".codex"),
    named_files={},
    files=build_json_files("hooks.json", build_group, SettingsShape()),
    mark=ENTRY_ARGUMENT,
    strict_events=frozenset(),
    agreement=CodexAgreement(),
    switches=(
        HookSwitch("config.toml", ("features", "hooks"), False),
        HookSwitch("config.toml", ("features", "codex_hooks"), False),
    ),
    guards=("shell_snapshots",),  # sourced in front of its commands
    credentials=(".codex/auth.json",),
    programs=("codex",),
    processes=("codex", "@openai/codex/"),
    version_arguments=("--version",),
    command_line=change(COMMAND_LINE, verbs={"exec": COMMAND_LINE, "e": COMMAND_LINE}),
    bypass=HookBypass(
        options=split_options("--ignore-user-config --ignore-rules"),
        switches=split_options("-c --config --disable --enable"),
        unasked=split_options(
            "--dangerously-bypass-approvals-and-sandbox --yolo --sandbox=danger-full-access -s=danger-full-access "
            "--config=sandbox_mode=danger-full-access -c=sandbox_mode=danger-full-access"
        ),
        verbs=frozenset({"features disable", "features enable"}),
    ),
    shell_variables=("CODEX_THREAD_ID", "CODEX_SESSION_ID", "CODEX_SANDBOX"),
    session_variables=("CODEX_THREAD_ID",),
)

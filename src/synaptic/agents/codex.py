"""Codex on the wire: Claude Code's names, and a strict reader that fails open.

An answer with an unknown key, an empty reason, an `ask`, an allow without a rewrite, or a field that the event does not
take counts as a failed hook, and the call runs. So nothing is written that its reader does not ask for.
"""

import hashlib
import json
import re
import tomllib
from collections.abc import Mapping
from typing import Any

from synaptic.agents.base import (
    Agent,
    Agreements,
    Capability,
    CommandLine,
    HookSwitch,
    SettingsFile,
    SettingsFolder,
    SettingsShape,
    Sign,
    TopLevel,
    options,
)
from synaptic.agents.shared.adapter import DialectAdapter, with_timeouts
from synaptic.agents.shared.answers import block, consent, permission, top, with_specific
from synaptic.agents.shared.degrade import change
from synaptic.agents.shared.entries import build_group, json_file
from synaptic.agents.shared.ours import ENTRY
from synaptic.agents.shared.payload import Payload
from synaptic.agents.shared.translate import Dialect, Form, native_input
from synaptic.model.call import Call
from synaptic.model.decision import Decision, Kind
from synaptic.model.patch import patched, rewritten
from synaptic.model.tool import Input, Tool

TIMEOUT = 600
TIMEOUTS: Mapping[str, int] = {"SessionEnd": 3, "Interrupt": 3, "UserPromptSubmit": 30}
"""Seconds; Codex itself allows the first two no more."""
HEAD = "# synaptic: agreed to with `synaptic bootstrap --trust`\n"
"""Before every agreement that we write."""

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
    """Rewrite the command only: Codex ignores any other changed argument, so such a rewrite is refused instead."""
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
        body.update(block(decision))
    return with_specific(body, call, specific, decision)


def _before_tool(call: Call, decision: Decision) -> Payload:
    if decision.kind is Kind.DENY:
        return permission(decision)
    if decision.input is None:
        return {}
    return {"permissionDecision": "allow", "updatedInput": native_input(call, DIALECT, decision.input)}


ADAPTER = DialectAdapter(DIALECT, with_timeouts(TABLE, TIMEOUT, TIMEOUTS), _shape)


def _is_codex(seen: TopLevel) -> bool:
    """Recognise Codex by `turn_id`, which Claude Code has on MessageDisplay only, or by its transcript folder."""
    turn = "turn_id" in seen and seen.get("hook_event_name") != b'"MessageDisplay"'
    return turn or b"/.codex/" in seen.get("transcript_path", b"")


class CodexAgreement:
    """Codex runs an entry only if its config.toml holds an agreement to exactly that entry, where it stands."""

    file = "config.toml"
    how = "type `codex`, then `/hooks`, and agree to the entries of synaptic"

    def wanted(self, hooks: SettingsFile, text: str) -> Agreements:
        groups = json.loads(text or "{}").get("hooks", {})
        return {
            f"{hooks.path}:{_snake(event)}:{number}:{index}": _hash(event, group, hook)
            for event in hooks.wanted.groups
            for number, group in enumerate(groups.get(event, ()))
            for index, hook in enumerate(group.get("hooks", ()) if isinstance(group, dict) else ())
            if hooks.wanted.has_written(hook)
        }

    def known(self, text: str) -> Agreements:
        state = tomllib.loads(text).get("hooks", {}).get("state", {})
        return {key: str(one.get("trusted_hash")) for key, one in state.items() if isinstance(one, dict)}

    def add(self, text: str, missing: Agreements) -> str:
        gap = "\n" if text and not text.endswith("\n") else ""
        added = gap + HEAD + "".join(_table(key, value) for key, value in missing.items())
        if not _says_only(text + added, text, missing):
            raise ValueError("it has another one for the same entry, or keeps `hooks` on one line")
        return added

    def remove(self, text: str, added: str) -> str:
        # Codex may have rewritten its config in between; then the tables are removed one by one, wherever they are now.
        if added in text:
            before, _, after = text.rpartition(added)
            return before + after
        tables = re.findall(r"\[hooks\.state\.[^\n]*\ntrusted_hash = [^\n]*\n", added)
        for piece in (HEAD, *tables):
            text = text.replace(piece, "", 1)
        return text


def _hash(event: str, group: Mapping[str, Any], hook: Mapping[str, Any]) -> str:
    """Hash an entry as Codex does, with its defaults filled in: with another hash the entry counts as not agreed to."""
    handler = {"type": "command", "command": hook["command"], "timeout": hook["timeout"], "async": False}
    matcher = {"matcher": group["matcher"]} if "matcher" in group else {}
    identity = {"event_name": _snake(event), "hooks": [handler], **matcher}
    data = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(data.encode()).hexdigest()}"


def _snake(event: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()


def _table(key: str, value: str) -> str:
    return f'[hooks.state.{json.dumps(key, ensure_ascii=False)}]\ntrusted_hash = "{value}"\n'


def _says_only(after: str, before: str, added: Agreements) -> bool:
    """Prove that appending changes nothing but the agreements, by parsing the text before and after."""
    try:
        old, new = tomllib.loads(before), tomllib.loads(after)
        state = new["hooks"]["state"]
        exact = all(state.pop(key) == {"trusted_hash": value} for key, value in added.items())
    except ValueError:
        return False
    return exact and _without_empty(new) == _without_empty(old)


def _without_empty(config: dict[str, Any]) -> dict[str, Any]:
    """Without tables of which nothing is left."""
    hooks = {key: value for key, value in config.get("hooks", {}).items() if key != "state" or value}
    others = {key: value for key, value in config.items() if key != "hooks"}
    return {**others, "hooks": hooks} if hooks else others


COMMAND_LINE = CommandLine(
    resume=options("--last --all"),
    resume_verbs=options("resume fork"),
    switches=options(
        "--last --all --strict-config --oss --approve-for-me --dangerously-bypass-approvals-and-sandbox --full-auto "
        "--dangerously-bypass-hook-trust --worktree --search --no-alt-screen --no-daemon --skip-git-repo-check "
        "--ephemeral --ignore-user-config --ignore-rules --json"
    ),
    several=options("-i --image"),
)


REGISTERED = (
    "PreToolUse", "PermissionRequest", "PostToolUse", "PreCompact", "PostCompact", "SessionStart", "SessionEnd",
    "UserPromptSubmit", "SubagentStart", "SubagentStop", "Stop", "Interrupt",
)  # fmt: skip
"""Every event of Codex but PreModelRequest, whose answer nobody reads."""

AGENT = Agent(
    name="codex",
    title="Codex CLI",
    note="",
    adapter=ADAPTER,
    events=REGISTERED,
    unseen=(
        "write_stdin: what is typed into a program that already runs",
        "hosted web_search",
        "the result of a patch that a shell command applies",
    ),
    sign=Sign(_is_codex),
    reads_claude_settings=False,
    imitates="",
    folder=SettingsFolder("CODEX_HOME", ".codex"),
    named_files={},
    files=json_file("hooks.json", build_group, SettingsShape()),
    mark=ENTRY,
    strict_events=frozenset(),
    agreement=CodexAgreement(),
    switches=(
        HookSwitch("config.toml", ("features", "hooks"), False),
        HookSwitch("config.toml", ("features", "codex_hooks"), False),
    ),
    guards=(),
    programs=("codex",),
    version_arguments=("--version",),
    command_line=change(COMMAND_LINE, verbs={"exec": COMMAND_LINE, "e": COMMAND_LINE}),
    shell_variables=("CODEX_THREAD_ID", "CODEX_SESSION_ID", "CODEX_SANDBOX"),
    session_variables=("CODEX_THREAD_ID",),
)

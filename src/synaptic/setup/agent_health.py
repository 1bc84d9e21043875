"""Why an agent other than Claude Code might run no hook, as far as its own files tell. Reads only."""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec

from synaptic.agents.claude_entries import Plan
from synaptic.agents.jsontext import plain
from synaptic.agents.wiring import WIRINGS, Entries, files, folder, holes
from synaptic.files.replace import read
from synaptic.model.errors import SettingsError
from synaptic.setup import codex_trust
from synaptic.setup.agents import difference, hooks_of
from synaptic.setup.options import Options

BOOTSTRAP = "synaptic bootstrap"


class Remark(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was looked at."""

    state: Literal["ok", "warn", "fail"]
    seen: str
    fix: str = ""
    ours: bool = False
    """Whether bootstrap repairs it."""


class Switch(msgspec.Struct, frozen=True):
    """A setting with which a user or an agent stops hooks."""

    file: str
    """Below the agent's folder; "" is the file that holds our entries."""
    keys: tuple[str, ...]
    value: object
    """What the setting is, or holds, when hooks are off."""
    state: Literal["warn", "fail"] = "fail"
    told: str = "stops every hook"


TRUSTED = "hooks run only in folders that you have told it to trust"
SWITCHES: dict[str, tuple[Switch, ...]] = {
    "codex": (
        Switch("config.toml", ("features", "hooks"), False),
        Switch("config.toml", ("features", "codex_hooks"), False),
    ),
    "gemini": (
        Switch("settings.json", ("hooksConfig", "enabled"), False),
        Switch("settings.json", ("hooksConfig", "disabled"), "synaptic"),
        Switch("settings.json", ("security", "folderTrust", "enabled"), True, "warn", TRUSTED),
    ),
    "qwen": (
        Switch("settings.json", ("disableAllHooks",), True),
        Switch("settings.json", ("security", "folderTrust", "enabled"), True, "warn", TRUSTED),
    ),
    "copilot": (
        Switch("settings.json", ("disableAllHooks",), True),
        Switch("config.json", ("disableAllHooks",), True),
        Switch("hooks/synaptic.json", ("disableAllHooks",), True),
    ),
    "droid": (
        Switch("hooks.json", ("hooksDisabled",), True),
        Switch("settings.json", ("hooks", "hooksDisabled"), True),
        Switch("settings.json", ("hooksDisabled",), True),
    ),
    "amp": (Switch("", ("amp.dangerouslyAllowAll",), True, "warn", "may let calls pass before a rule is asked"),),
}
CURSOR_EVENTS = {
    "beforeShellExecution", "beforeMCPExecution", "afterShellExecution", "afterMCPExecution", "beforeReadFile",
    "afterFileEdit", "beforeTabFileRead", "afterTabFileEdit", "stop", "beforeSubmitPrompt", "afterAgentResponse",
    "afterAgentThought", "sessionStart", "sessionEnd", "preCompact", "subagentStart", "subagentStop", "preToolUse",
    "postToolUse", "postToolUseFailure", "workspaceOpen",
}  # fmt: skip
"""Cursor takes no file that names another one."""


def examine(options: Options, agent: str, plan: Plan) -> Iterator[Remark]:
    """Everything between an agent and the dispatcher."""
    problems = [*_files(options, agent, plan), *_switches(options, agent, plan), *_special(options, agent, plan)]
    yield from problems
    if not any(remark.state == "fail" for remark in problems):
        where = ", ".join(dict.fromkeys(str(file.path.parent) for file in files(agent, options.place, plan)))
        yield Remark(state="ok", seen=f"{WIRINGS[agent].title} is told: {where}")
    if unseen := holes(agent):
        yield Remark(state="ok", seen=f"what no hook of {WIRINGS[agent].title} sees or can do: {'; '.join(unseen)}")


def _files(options: Options, agent: str, plan: Plan) -> Iterator[Remark]:
    for file in files(agent, options.place, plan):
        try:
            found = difference(file)
        except SettingsError as error:
            yield Remark(state="fail", seen=f"{file.path}: {error.message}", fix=error.hint)
            continue
        for what, names in (("nothing of ours for", found.missing), ("an outdated entry for", found.stale)):
            if names:
                seen = f"{file.path}: {what} {', '.join(names)}"
                yield Remark(state="fail", seen=seen, fix=BOOTSTRAP, ours=True)


def _switches(options: Options, agent: str, plan: Plan) -> Iterator[Remark]:
    for switch in SWITCHES.get(agent, ()):
        path = folder(agent, options.place) / switch.file if switch.file else _entries(options, agent, plan)
        value = _setting(path, switch.keys)
        if value == switch.value or (isinstance(value, list) and switch.value in value):
            seen = f"{path}: `{'.'.join(switch.keys)}` {switch.told}"
            yield Remark(state=switch.state, seen=seen, fix="change it there" if switch.state == "fail" else "")


def _entries(options: Options, agent: str, plan: Plan) -> Path:
    return next(file.path for file in files(agent, options.place, plan) if isinstance(file, Entries))


def _setting(path: Path, keys: tuple[str, ...]) -> object:
    value: object = _load(path)
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _load(path: Path) -> dict[str, Any]:
    """A settings file; one that the agent itself cannot read has its own complaint."""
    try:
        text = (read(path) or b"{}").decode("utf-8-sig")
        found = tomllib.loads(text) if path.suffix == ".toml" else json.loads(plain(text))
    except (ValueError, SettingsError):
        return {}
    return found if isinstance(found, dict) else {}


def _special(options: Options, agent: str, plan: Plan) -> Iterator[Remark]:
    if agent == "codex":
        yield from _codex(hooks_of(options, plan))
    if agent == "cursor":
        yield from _cursor(folder(agent, options.place) / "hooks.json")


def _codex(hooks: Entries) -> Iterator[Remark]:
    try:
        now = codex_trust.standing(hooks)
    except (ValueError, SettingsError) as error:
        yield Remark(state="fail", seen=str(error), fix="correct the file")
        return
    if now.entries and not now.trusted:
        seen = f"Codex skips {now.entries - now.agreed} of {now.entries} entries, because nobody has agreed to them"
        yield Remark(state="fail", seen=seen, fix=f"{codex_trust.AGREE}; or {BOOTSTRAP} --agent codex --trust")


def _cursor(path: Path) -> Iterator[Remark]:
    hooks = _load(path).get("hooks")
    unknown = sorted(set(hooks) - CURSOR_EVENTS) if isinstance(hooks, dict) else []
    if unknown:
        seen = f"{path}: Cursor knows no event {unknown[0]!r} and ignores the whole file"
        yield Remark(state="fail", seen=seen, fix="take it out")

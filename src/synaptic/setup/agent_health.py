"""Find out why an agent other than Claude Code might run no hooks, from its own files. Reads only."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec

from synaptic.agents.base import Agent
from synaptic.agents.shared.jsontext import blank_comments
from synaptic.agents.shared.ours import EntryPlan
from synaptic.files.replace import read_file
from synaptic.files.toml import parse_toml
from synaptic.model.errors import SettingsError
from synaptic.setup.agents import compare_file, iter_agreement_files
from synaptic.setup.options import SetupOptions

BOOTSTRAP_COMMAND = "synaptic bootstrap"


class HealthRemark(msgspec.Struct, frozen=True, kw_only=True):
    """One result of the health check."""

    state: Literal["ok", "warn", "fail"]
    seen: str
    fix: str = ""
    ours: bool = False
    """Whether bootstrap repairs it."""


def examine_agent(options: SetupOptions, agent: Agent, plan: EntryPlan) -> Iterator[HealthRemark]:
    """Check everything between an agent and the dispatcher."""
    problems = [
        *_examine_files(options, agent, plan),
        *_examine_switches(options, agent),
        *_examine_agreements(options, agent, plan),
        *_examine_events(options, agent, plan),
    ]
    yield from problems
    if not any(remark.state == "fail" for remark in problems):
        folders = dict.fromkeys(str(file.path.parent) for file in agent.list_files(options.environment, plan))
        yield HealthRemark(state="ok", seen=f"{agent.title} is told: {', '.join(folders)}")
    if agent.unseen:
        yield HealthRemark(state="ok", seen=f"what no hook of {agent.title} sees or can do: {'; '.join(agent.unseen)}")


def _examine_files(options: SetupOptions, agent: Agent, plan: EntryPlan) -> Iterator[HealthRemark]:
    for file in agent.list_files(options.environment, plan):
        try:
            found = compare_file(file)
        except SettingsError as error:
            yield HealthRemark(state="fail", seen=f"{file.path}: {error.message}", fix=error.hint)
            continue
        for what, names in (("nothing of ours for", found.missing), ("an outdated entry for", found.stale)):
            if names:
                seen = f"{file.path}: {what} {', '.join(names)}"
                yield HealthRemark(state="fail", seen=seen, fix=BOOTSTRAP_COMMAND, ours=True)


def _examine_switches(options: SetupOptions, agent: Agent) -> Iterator[HealthRemark]:
    for switch in agent.switches:
        path = agent.locate_file(switch.file, options.environment)
        value = _read_setting(path, switch.keys)
        if value == switch.value or (isinstance(value, list) and switch.value in value):
            seen = f"{path}: `{'.'.join(switch.keys)}` {switch.told}"
            yield HealthRemark(state=switch.state, seen=seen, fix="change it there" if switch.state == "fail" else "")


def _read_setting(path: Path, keys: tuple[str, ...]) -> object:
    value: object = _load_settings(path)
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _load_settings(path: Path) -> dict[str, Any]:
    """Load a settings file; an unreadable one is empty, since the agent itself complains about it."""
    try:
        text = (read_file(path) or b"{}").decode("utf-8-sig")
        found = parse_toml(text) if path.suffix == ".toml" else json.loads(blank_comments(text))
    except (ValueError, SettingsError):
        return {}
    return found if isinstance(found, dict) else {}


def _examine_agreements(options: SetupOptions, agent: Agent, plan: EntryPlan) -> Iterator[HealthRemark]:
    for file in iter_agreement_files(options, agent, plan):
        try:
            now = file.read_standing()
        except (ValueError, SettingsError) as error:
            yield HealthRemark(state="fail", seen=str(error), fix="correct the file")
            continue
        if now.entries and not now.is_trusted:
            skipped = f"{now.entries - now.agreed} of {now.entries} entries"
            seen = f"{agent.title} skips {skipped}, because nobody has agreed to them"
            fix = f"{file.agreement.how}; or {BOOTSTRAP_COMMAND} --agent {agent.name} --trust"
            yield HealthRemark(state="fail", seen=seen, fix=fix)


def _examine_events(options: SetupOptions, agent: Agent, plan: EntryPlan) -> Iterator[HealthRemark]:
    if not agent.strict_events:
        return
    for file in agent.iter_settings_files(options.environment, plan):
        hooks = _load_settings(file.path).get(file.wanted.shape.inside)
        unknown = sorted(set(hooks) - agent.strict_events) if isinstance(hooks, dict) else []
        if unknown:
            seen = f"{file.path}: {agent.title} knows no event {unknown[0]!r} and ignores the whole file"
            yield HealthRemark(state="fail", seen=seen, fix="take it out")

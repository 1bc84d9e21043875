"""Make hooks of what a file with policies says it holds. That comes from somebody else's process: all is looked at."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

import msgspec

from synaptic.hooks.catalog import HookCatalog, clean_problems, make_ids_unique, order_hooks
from synaptic.hooks.config import Config, describe_unknown, list_own_groups, may_be_outside
from synaptic.model.event import EVENTS
from synaptic.model.hook import Builtin, Hook, Mode, OutsidePolicy, Scope
from synaptic.model.outside import (
    MAX_SECONDS,
    PRIORITIES,
    DescribedPolicy,
    PolicyEntry,
    PolicySource,
    name_section,
)
from synaptic.policies.facts import Facts
from synaptic.shell.globs import matches_glob

MAX_POLICIES = 100
"""Policies of one file."""
MAX_SECTIONS, MAX_FIELDS = 10, 100
TOOL_NAME = re.compile(r"[\w.-]+")
SECTION_NAME = re.compile(r"[A-Za-z_]\w*")
ALWAYS_THERE = frozenset({"root", "home", "now", "agent", "command", "failed", "state"})
FACT_NAMES = frozenset(Facts.__struct_fields__) - ALWAYS_THERE
"""What `needs` may name."""


class FileFinding(msgspec.Struct, frozen=True):
    """What is known of one file: its policies, or why it has none; without both it has not been asked."""

    source: PolicySource
    policies: tuple[DescribedPolicy, ...] = ()
    problems: tuple[str, ...] = ()
    is_asked: bool = True
    known: tuple[DescribedPolicy, ...] = ()
    """What it held when it was loaded last. Of these, the ones that cannot be asked now fail."""
    broken: str = ""
    """Why none of its policies can be asked."""


@lru_cache(maxsize=256)
def make_placeholder(source: PolicySource) -> Hook:
    """The hook that stands for a file which nobody has asked: it concerns no event, and can be agreed to."""
    return Hook(
        id=source.label,
        events=(),
        handler=OutsidePolicy(source.file),
        scope=_get_scope(source),
        skill=source.skill,
        source=source.file,
    )


def join_findings(catalog: HookCatalog, findings: tuple[FileFinding, ...]) -> HookCatalog:
    """The same catalog with these policies: behind ours of the same priority, and before what is declared."""
    problems: list[str] = []
    found = _iter_entries(findings, catalog, problems)
    entries = tuple(msgspec.structs.replace(one, mode=find_outside_mode(one, catalog, problems)) for one in found)
    problems += (_tell_broken(one, entries) for one in findings if one.broken and one.is_asked)
    added = (
        *(make_policy_hook(entry) for entry in entries if entry.is_on),
        *(make_placeholder(one.source) for one in findings if not one.is_asked),
    )
    declared = sorted(catalog.hooks, key=lambda hook: hook.order)
    own = [hook for hook in declared if isinstance(hook.handler, Builtin) and hook.scope == "builtin"]
    names = {entry.policy.id for entry in entries}
    if all(one.is_asked for one in findings):
        problems += (text for file in catalog.policy_settings for text in describe_unknown(file, names))
    return msgspec.structs.replace(
        catalog,
        hooks=order_hooks(make_ids_unique((*own, *added, *(hook for hook in declared if hook not in own)))),
        problems=clean_problems((*catalog.problems, *problems)),
        outside=entries,
        unknown_policies=clean_problems(tuple(_tell_broken(one, ()) for one in findings if is_unknown(one))),
    )


def is_unknown(finding: FileFinding) -> bool:
    """Whether a file that should be asked has never been loaded: nobody knows what it guards."""
    return bool(finding.broken) and finding.is_asked and not finding.known


def _tell_broken(finding: FileFinding, entries: tuple[PolicyEntry, ...]) -> str:
    """Why a file cannot be asked, and what that means for each of its policies."""
    held = [entry.policy for entry in entries if entry.is_on and entry.source == finding.source]
    denying = [policy.id for policy in held if policy.on_error == "deny"]
    others = [policy.id for policy in held if policy.on_error != "deny"]
    told = [f"{', '.join(denying)} denies what it is about"] if denying else []
    told += [f"{', '.join(others)} is told as failing in each answer"] if others else []
    if not finding.known:
        told = ["it was never loaded before, so no policy of this file runs and none is known"]
    return f"{finding.broken}; {'until it can be loaded, ' if held else ''}{'; '.join(told) or 'none of it was on'}"


def make_policy_hook(entry: PolicyEntry) -> Hook:
    """The hook of one policy."""
    policy, source = entry.policy, entry.source
    stored = {one.name: name_section(source.origin, policy.id, one) for one in policy.sections}
    return Hook(
        id=policy.id,
        events=policy.events,
        handler=OutsidePolicy(
            file=source.file,
            policy=policy.id,
            broken=entry.broken,
            module=source.module,
            digest=source.digest,
            needs=frozenset((*policy.needs, *stored.values())),
            sections=tuple((one.name, stored[one.name], one.fields) for one in policy.sections),
            speaks_of=None if policy.speaks_of is None else frozenset(policy.speaks_of),
            options=msgspec.json.encode({option.name: option.value for option in policy.options}),
        ),
        matcher="|".join(policy.tools),
        priority=policy.priority,
        timeout=policy.timeout,
        on_error=policy.on_error if entry.mode == "enforce" else "allow",
        mode=entry.mode,
        protocol="native",
        scope=_get_scope(source),
        skill=source.skill,
        source=f"{source.file}:{policy.line}",
        recheck=policy.recheck,
    )


def _iter_entries(
    findings: tuple[FileFinding, ...], catalog: HookCatalog, problems: list[str]
) -> Iterator[PolicyEntry]:
    taken: dict[str, str] = {}
    for finding in findings:
        problems += finding.problems
        known = {policy.id: policy for policy in finding.known if not find_fault(policy)}
        if finding.broken:
            for policy in known.values():
                place = f"{finding.source.file}:{policy.line}"
                if policy.id not in taken:
                    taken[policy.id] = place
                    yield PolicyEntry(policy, finding.source, _is_on(policy, catalog, problems), finding.broken)
            continue
        if len(finding.policies) > MAX_POLICIES:
            count = len(finding.policies)
            problems.append(f"{finding.source.file}: holds {count} policies; only the first {MAX_POLICIES} count")
        for policy in finding.policies[:MAX_POLICIES]:
            place = f"{finding.source.file}:{policy.line}"
            fault = find_fault(policy)
            if not fault and policy.id in taken:
                fault = f"{taken[policy.id]} has a policy of that id already"
            broken = f"{place}: {fault}" if fault and policy.id in known and policy.id not in taken else ""
            if fault:
                means = "it fails as it was last known" if broken else "it is disabled"
                problems.append(f"{place}: {policy.id[:80]}: {fault}; {means}")
            if broken or not fault:
                taken[policy.id] = place
                usable = known[policy.id] if broken else policy
                yield PolicyEntry(usable, finding.source, _is_on(usable, catalog, problems), broken)


def find_fault(policy: DescribedPolicy) -> str:
    """Why a policy cannot be used; empty when it can."""
    if not may_be_outside(policy.id):
        return f"an id looks like `acme.no-friday-deploys`, and {', '.join(sorted(list_own_groups()))} are built in"
    if not policy.events:
        return "listens to no event"
    if unknown := [name for name in policy.events if name not in EVENTS]:
        return f"listens to unknown events: {unknown}"
    if unknown := [name for name in policy.tools if not TOOL_NAME.fullmatch(name)]:
        return f"these are no names of tools: {unknown}"
    if unknown := [name for name in policy.needs if name not in FACT_NAMES]:
        return f"needs what is no fact: {', '.join(unknown)[:200]}"
    if policy.priority not in PRIORITIES or not 0 < policy.timeout <= MAX_SECONDS:
        return f"its priority must be 1 to {PRIORITIES[-1]} and its timeout at most {MAX_SECONDS:g} seconds"
    return _find_section_fault(policy)


def _find_section_fault(policy: DescribedPolicy) -> str:
    names = [section.name for section in policy.sections]
    if len(names) > MAX_SECTIONS or len(set(names)) < len(names):
        return f"a policy remembers at most {MAX_SECTIONS} sections, each of another name"
    for section in policy.sections:
        if not SECTION_NAME.fullmatch(section.name) or len(section.fields) > MAX_FIELDS:
            return (
                f"{section.name[:80]} is no section: its name is one of a class, and it has up to {MAX_FIELDS} fields"
            )
    return ""


def _is_on(policy: DescribedPolicy, catalog: HookCatalog, problems: list[str]) -> bool:
    """By its own switch, else by its preset; one without a preset is on. A project may only switch it on."""
    said = [(_read_switch(file.outside, policy.id), file.where) for file in catalog.policy_settings]
    user, projects = said[:1], said[1:]
    for switch, where in projects:
        if switch is False:
            problems.append(
                f'{where}: policies."{policy.id}".enabled: a project cannot switch a policy off; it is ignored'
            )
    if any(switch for switch, _ in projects):
        return True
    if user and user[0][0] is not None:
        return user[0][0]
    return not policy.preset or _is_preset_on(policy.preset, catalog.config)


def find_outside_mode(entry: PolicyEntry, catalog: HookCatalog, problems: list[str]) -> Mode:
    """The user's word, by id or by preset; a project can only enforce. None of them can be in shadow."""
    policy = entry.policy
    said = [(file.outside.get(policy.id, {}).get("mode"), file.where) for file in catalog.policy_settings]
    wanted = (said[0][0] if said else None) or _find_preset_mode(policy, catalog.config)
    for mode, where in said[1:]:
        if mode == "enforce":
            wanted = "enforce"
        elif mode:
            problems.append(f'{where}: policies."{policy.id}".mode: a project can only enforce; it is ignored')
    if wanted == "shadow" and entry.is_on:
        problems.append(
            f'policies."{policy.id}": a policy of your own cannot be in shadow, so it is enforced; it can be set to '
            f'advise: write `mode = "advise"` into [policies."{policy.id}"] of ~/.synaptic/config.toml'
        )
    return "advise" if wanted == "advise" else "enforce"


def _find_preset_mode(policy: DescribedPolicy, config: Config) -> Mode | None:
    is_never = any(matches_glob(policy.id, pattern) for pattern in config.grants.never)
    if is_never or not policy.preset:
        return None
    return config.modes.get(f"@{policy.preset}", config.modes.get("@strict"))


def _read_switch(tables: Mapping[str, Mapping[str, object]], name: str) -> bool | None:
    value = tables.get(name, {}).get("enabled")
    return value if isinstance(value, bool) else None


def _is_preset_on(preset: str, config: Config) -> bool:
    return preset in config.presets or "strict" in config.presets


def _get_scope(source: PolicySource) -> Scope:
    return "project" if source.is_local else "user"

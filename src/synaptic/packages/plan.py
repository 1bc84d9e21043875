"""The plan of an installation as a value: shown before anything is written, then carried out unchanged."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Literal

import msgspec

from synaptic.hooks.edit_registry import parse_entries, upsert_entries
from synaptic.hooks.pins import PinnedPackage
from synaptic.hooks.policy_files import is_policy_path
from synaptic.model.errors import SettingsError
from synaptic.model.refusal import Refusal
from synaptic.packages import lock
from synaptic.packages.lock import ExternalNeed, InstallRecord, LockedHook, Requirements, Tracking
from synaptic.packages.materialise import PackageMaterial, hash_or_refuse, resolve_target
from synaptic.packages.shown import AGENT_FOLDER, ShownFile, list_shown, read_shown
from synaptic.packages.site import Site, read_site_file
from synaptic.packages.versions import KnownInstall, is_older

REGISTRY_LIMIT = 4 << 20
"""Bytes of a registry.toml."""
PlanAction = Literal["install", "upgrade", "downgrade", "reinstall", "remove"]
FileState = Literal["new", "changed", "same", "modified", "obsolete", "kept"]
"""`modified`: somebody changed it since it was installed; `kept`: so did they, and the new version has no such file."""


class FileLine(msgspec.Struct, frozen=True):
    """One file of the plan."""

    path: str
    state: FileState
    mode: str
    preview: str = ""


class HookLine(msgspec.Struct, frozen=True, kw_only=True):
    """One hook of the plan, as it will stand in the registry."""

    event: str
    matcher: str
    script: str
    priority: int
    blocking: bool
    change: Literal["new", "changed", "same", "removed"]
    note: str = ""


class PlanItem(msgspec.Struct, frozen=True, kw_only=True):
    """One package at one site, as planned."""

    site: Site
    material: PackageMaterial
    before: InstallRecord | None
    pinned: PinnedPackage | None = None
    """What this machine agreed to before."""
    requirements: Requirements
    tracking: Tracking = "registry"
    url: str = ""

    @property
    def name(self) -> str:
        return self.material.bundle.package.name

    @property
    def shown(self) -> tuple[ShownFile, ...]:
        """Its skills, commands and agents for the agent's own folder."""
        package = self.material.bundle.package
        if package.agent_variant != "claude":
            return ()
        return list_shown(self.site, self.name, package.version, {one.path: one.data for one in self.material.files})

    @property
    def action(self) -> PlanAction:
        version = self.material.bundle.package.version
        if is_older(version, self.was):
            return "downgrade"
        if self.before is None:
            return "install"
        return "reinstall" if self.before.version == version else "upgrade"

    @property
    def was(self) -> str:
        """The version that is there, by the lockfile or by what this machine agreed to."""
        return KnownInstall(self.before, self.pinned).highest_version


class PlanSummary(msgspec.Struct, frozen=True, kw_only=True):
    """Summary of one planned package, for people and scripts."""

    action: PlanAction
    package: str
    version: str
    was: str = ""
    channel: str = ""
    scope: str
    root: str
    files: tuple[FileLine, ...] = ()
    hooks: tuple[HookLine, ...] = ()
    tools: tuple[ExternalNeed, ...] = ()
    commands: tuple[ExternalNeed, ...] = ()
    """What will be executed to bring programs that are missing."""
    warnings: tuple[str, ...] = ()


def summarise_item(item: PlanItem) -> PlanSummary:
    """Summarise the plan for one package. Reads only."""
    package = item.material.bundle.package
    return PlanSummary(
        action=item.action,
        package=item.name,
        version=package.version,
        was=item.was,
        channel=item.material.bundle.channel,
        scope=item.site.scope,
        root=str(item.site.root),
        files=tuple(_iter_files(item)),
        hooks=list_hook_lines(item.site, item.name, item.material.hooks, item.before),
        tools=item.requirements.tools,
        commands=tuple(one for one in item.requirements.cli if one.provenance == "installed"),
        warnings=(*item.material.warnings, *_iter_warnings(item)),
    )


def make_record(item: PlanItem, at: str = "") -> InstallRecord:
    """Make the lockfile's record of a planned package."""
    bundle = item.material.bundle
    return InstallRecord(
        id=lock.make_record_id(item.name, item.site.scope),
        package=item.name,
        version=bundle.package.version,
        scope=item.site.scope,
        commit=bundle.commit,
        sha256=bundle.package.sha256,
        branch=bundle.channel,
        variant=bundle.package.agent_variant,
        installed_at=at or datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        root="." if item.site.scope == "project" else "~",
        tracking=item.tracking,
        template=any(file.template for file in item.material.files),
        files={file.path: file.sha256 for file in item.material.files},
        hooks=item.material.hooks,
        answers=item.material.answers,
        questions=tuple(question.question_id for question in bundle.questions),
        requirements=item.requirements,
        profile=item.material.profile,
        template_warnings=item.material.warnings,
    )


def read_registry_text(site: Site) -> str:
    """Read the text of a site's registry."""
    try:
        return (read_site_file(site, site.registry, REGISTRY_LIMIT) or b"").decode()
    except UnicodeDecodeError as error:
        problem = f"is not UTF-8 (byte {error.start})"
        raise SettingsError(problem, where=str(site.registry), hint="correct it first") from None


def edit_registry_text(text: str, item: PlanItem) -> str:
    """Edit the registry's text: this package's entries are renewed, changes that users made stay."""
    base = [hook.make_line(item.site) for hook in item.before.hooks] if item.before else []
    lines = [hook.make_line(item.site) for hook in item.material.hooks]
    return upsert_entries(text, item.site.make_owner(item.name), lines, base, str(item.site.registry))


def list_hook_lines(
    site: Site, name: str, hooks: tuple[LockedHook, ...], before: InstallRecord | None
) -> tuple[HookLine, ...]:
    """List how the package's registry entries will change, removed ones last."""
    text, owner = read_registry_text(site), site.make_owner(name)
    base = [hook.make_line(site) for hook in before.hooks] if before else []
    asked = {owner.make_key(hook.event, str(site.base / hook.script)): hook for hook in hooks}
    after = upsert_entries(text, owner, [hook.make_line(site) for hook in hooks], base, str(site.registry))
    old = {owner.make_key(one.get("event"), one.get("script")): one for one in parse_entries(text) if owner.owns(one)}
    new = {owner.make_key(one.get("event"), one.get("script")): one for one in parse_entries(after) if owner.owns(one)}
    kept = [_make_hook_line(entry, old.get(key), asked.get(key)) for key, entry in new.items()]
    gone = [_make_hook_line(entry, entry, None, removed=True) for key, entry in old.items() if key not in new]
    return (*kept, *gone)


def _make_hook_line(
    entry: Mapping[str, Any], old: Mapping[str, Any] | None, asked: LockedHook | None, removed: bool = False
) -> HookLine:
    notes = []
    if old is not None and old != entry:
        notes += [f"{key} was {old.get(key)!r}" for key in entry if old.get(key) != entry[key]]
    if asked is not None:
        wanted = msgspec.structs.asdict(asked)
        own = [key for key in ("matcher", "priority", "blocking") if entry.get(key) != wanted[key]]
        notes += [f"your {key} stays, the package asks for {wanted[key]!r}" for key in own]
    return HookLine(
        event=str(entry.get("event")),
        matcher=str(entry.get("matcher", ".*")),
        script=str(entry.get("script")),
        priority=int(entry.get("priority", 50)),
        blocking=bool(entry.get("blocking", False)),
        change="removed" if removed else "new" if old is None else "changed" if old != entry else "same",
        note="; ".join(notes),
    )


def _iter_files(item: PlanItem) -> Iterator[FileLine]:
    tracked = item.before.files if item.before else {}
    for file in item.material.files:
        found = _hash_target(item.site, file.path)
        state: FileState = "changed"
        if found is None:
            state = "new"
        elif found == file.sha256:
            state = "same"
        # Changed since the install; a file that only differs from the new version is `changed`.
        elif file.path in tracked and found != tracked[file.path]:
            state = "modified"
        yield FileLine(file.path, state, f"{file.mode:o}", file.preview)
    yield from (_make_shown_line(item.site, one) for one in item.shown if not one.problem)
    wanted = {file.path for file in item.material.files}
    for path, sha in tracked.items():
        if path not in wanted:
            yield FileLine(path, "obsolete" if is_vouched_for(item.site, path, sha) else "kept", "")


def _make_shown_line(site: Site, one: ShownFile) -> FileLine:
    there = read_shown(site, one.path)
    state: FileState = "new" if there is None else "same" if there == one.data else "changed"
    return FileLine(f"{AGENT_FOLDER}/{one.path}", state, "644", "for the agent to read")


def is_vouched_for(site: Site, path: str, sha: str) -> bool:
    """Whether an installed file is as the lockfile says, or gone: only then it is ours to delete."""
    try:
        return hash_or_refuse(site, path) in (None, sha)
    except Refusal:
        return False


def _hash_target(site: Site, path: str) -> str | None:
    resolve_target(site, path)
    return hash_or_refuse(site, path)


def _iter_warnings(item: PlanItem) -> Iterator[str]:
    before = item.before
    for name in (file.path for file in item.material.files if is_policy_path(file.path)):
        yield f"{name} is a policy: it is asked about events of every project that the package is installed in"
    for one in item.shown:
        if one.problem:
            yield f"{AGENT_FOLDER}/{one.path} is not written, and the agent does not see it: {one.problem}"
    if item.pinned and item.pinned.source not in ("", item.url):
        yield f"it was installed from {item.pinned.source}, and now comes from {item.url}"
    if before is None:
        return
    if item.pinned is None:
        for name, answer in item.material.answers.items():
            if isinstance(answer, str) and before.answers.get(name) == answer:
                yield f"the answer `{name}` = {answer!r} comes from manifest.lock"
    for file in _iter_files(item):
        if file.state == "kept":
            yield f"{file.path}: is no part of it any more, and stays because it was changed here"
        if file.state == "modified":
            yield f"{file.path}: your changes are overwritten (a copy is kept)"
    for question in item.material.bundle.questions:
        if question.question_id not in before.questions:
            yield f"new question `{question.question_id}`"
    known = {one.name for one in (*before.requirements.tools, *before.requirements.cli, *before.requirements.skills)}
    for dep in item.material.bundle.deps:
        if dep.dep_name not in known:
            yield f"new requirement: {dep.dep_name} {dep.dep_spec}".rstrip()
    for key in ("name", "primary_language"):
        if key in before.profile and before.profile[key] != item.material.profile.get(key):
            yield f"the repository's profile changed: {key} was {before.profile[key]!r}"

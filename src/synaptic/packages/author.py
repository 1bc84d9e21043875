"""Author commands of a registry: import a package, promote it to a channel, undo the last commit."""

from datetime import UTC, datetime
from typing import cast

import msgspec

from synaptic.model.refusal import Refusal
from synaptic.packages.compare import compare_bundles
from synaptic.packages.contents import check_bundle
from synaptic.packages.database import BranchedDatabase, RegistryChange, check_ref, hide_password
from synaptic.packages.folder import FolderPackage
from synaptic.packages.hashes import refuse_corrupt
from synaptic.packages.published import PublishedRegistry
from synaptic.packages.rendering import lint_bundle
from synaptic.packages.rows import Bundle
from synaptic.packages.tables import TABLE_NAMES, Statement, make_copy, make_delete, make_insert

RAISE_VERSION_HINT = "raise `version` in package.toml; what is published never changes"
INITIAL_COMMITS = 2
"""Commits that every registry starts with: its own first one and the tables."""


class ImportResult(msgspec.Struct, frozen=True):
    """Result of an import: the commit ("" when nothing changed) and warnings."""

    commit: str
    changed: bool
    warnings: tuple[str, ...] = ()


def import_package(registry: PublishedRegistry, read: FolderPackage, channel: str) -> ImportResult:
    """Put a folder's package into a channel. The same version with other contents is refused before any write."""
    new = read.bundle
    findings = tuple(f"{finding.where}: {finding.message}" for finding in lint_bundle(new))
    warnings = (*read.warnings, *findings)
    before = registry.find_bundle(new.package.id, channel)
    # An unchanged import makes no commit: authors run it from scripts, and history should show changes only.
    if before and _strip_bundle(before) == _strip_bundle(new):
        return ImportResult("", False, warnings)
    refuse_other_content(registry, new, channel)
    stamped = _stamp_bundle(new, before)
    message = f"import {new.package.name} {new.package.version}"
    commit = registry.database.write(
        RegistryChange(channel, make_put_statements(stamped), message, _format_author(new))
    )
    return ImportResult(commit, True, warnings)


def make_put_statements(bundle: Bundle) -> list[Statement]:
    """Build the statements that replace the package of this id."""
    owned = (*bundle.files, *bundle.deps, *bundle.variants, *bundle.hooks, *bundle.questions)
    return [make_delete(bundle.package.id), *(make_insert(row) for row in (bundle.package, *owned))]


def refuse_other_content(registry: PublishedRegistry, new: Bundle, channel: str) -> None:
    """Refuse another content for a version that the channel's history already has."""
    known = registry.find_bundle(new.package.id, channel, new.package.version)
    if known is None or _strip_bundle(known) == _strip_bundle(new):
        return
    place = f"{new.package.name} {new.package.version} in {channel}"
    there = {file.dest_path: file.sha256 for file in known.files}
    ours = {file.dest_path: file.sha256 for file in new.files}
    for difference in compare_bundles(known, new).files:
        path = difference.path
        told = f"`{path}` is published with {there.get(path, 'no such file')} and is now {ours.get(path, 'gone')}"
        raise Refusal("conflict", told, where=place, hint=RAISE_VERSION_HINT)
    raise Refusal(
        "conflict", "it is published with other hooks, dependencies or words", where=place, hint=RAISE_VERSION_HINT
    )


def promote_package(registry: PublishedRegistry, name: str, source: str, target: str) -> str:
    """Promote one package after all checks; returns the commit, "" where the target has it already."""
    bundle = check_gates(registry, name, source, target)
    # From the commit that was checked, not from the channel's end: an import in between would skip the checks.
    tables = {table: registry.database.make_table_sql(table, bundle.commit or source) for table in TABLE_NAMES.values()}
    message = f"promote {name} {bundle.package.version} from {source}"
    return registry.database.write(
        RegistryChange(target, make_copy(bundle.package.id, tables), message, _format_author(bundle))
    )


def promote_channel(registry: PublishedRegistry, source: str, target: str) -> str:
    """Promote a whole channel by a merge, after all checks for every package; returns the commit."""
    _refuse_same_channel(source, target)
    for package in registry.list_packages(source):
        check_gates(registry, package.id, source, target)
    return _require_history(registry).merge(source, target)


def undo_commit(registry: PublishedRegistry, channel: str) -> str:
    """Undo a channel's last commit; returns the commit it is at now."""
    if len(registry.read_log(channel)) <= INITIAL_COMMITS:
        raise Refusal("blocked", f"`{channel}` has no commit to take back", where=hide_password(registry.url))
    return _require_history(registry).undo(channel)


def check_gates(registry: PublishedRegistry, name: str, source: str, target: str) -> Bundle:
    """Return the package if it passes every check for promotion; each refusal names its reason."""
    _refuse_same_channel(source, target)
    bundle = registry.find_bundle(name, source)
    if bundle is None:
        raise Refusal("not_found", f"there is no package `{name}` in `{source}`", where=hide_password(registry.url))
    if not bundle.package.sha256:
        raise Refusal("blocked", f"`{name}` has no hash over its files", hint="import it again")
    refuse_corrupt(bundle)
    scripts = {file.dest_path.removesuffix(".j2") for file in bundle.files if file.file_type == "hook"}
    # Checked again although the import did: rows can also come by a merge or push, past our import.
    if lost := [hook.script_path for hook in bundle.hooks if hook.script_path not in scripts]:
        raise Refusal("blocked", f"`{name}` has hooks without a file: {', '.join(lost)}", hint="import it again")
    if errors := [f"{one.where}: {one.message}" for one in lint_bundle(bundle) if one.is_error]:
        raise Refusal("blocked", f"templates of `{name}` cannot be filled in: {'; '.join(errors)}")
    refuse_other_content(registry, bundle, target)
    return check_bundle(bundle)


def _refuse_same_channel(source: str, target: str) -> None:
    if check_ref(source) == check_ref(target):
        raise Refusal("invalid_args", f"source and target are both `{source}`", hint="name another with --to")


def _strip_bundle(bundle: Bundle) -> Bundle:
    """Strip time, channel and commit, so that two bundles compare by content."""
    package = msgspec.structs.replace(bundle.package, created_at="", updated_at="")
    return msgspec.structs.replace(bundle, package=package, channel="", commit="")


def _stamp_bundle(new: Bundle, before: Bundle | None) -> Bundle:
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    created = before.package.created_at if before else now
    return msgspec.structs.replace(
        new, package=msgspec.structs.replace(new.package, created_at=created, updated_at=now)
    )


def _format_author(bundle: Bundle) -> str:
    name, _, mail = bundle.package.author.partition("<")
    return f"{name.strip() or 'synaptic'} <{mail.strip(' >') or 'synaptic@localhost'}>"


def _require_history(registry: PublishedRegistry) -> BranchedDatabase:
    # By the method, not by the class: a MySQL server turns out to be Dolt's only after connecting.
    if not hasattr(registry.database, "merge"):
        problem = "this registry is plain tables without channels"
        raise Refusal("unsupported_backend", problem, where=hide_password(registry.url), hint="use a Dolt database")
    return cast(BranchedDatabase, registry.database)

"""Differences of an installed package: local changes, and what an upgrade would change."""

import difflib
from collections.abc import Iterator

import msgspec

from synaptic.packages.install import InstallPlan
from synaptic.packages.lock import InstallRecord
from synaptic.packages.materialise import PlannedFile, hash_or_refuse, read_if_possible
from synaptic.packages.plan import HookLine, PlanItem, list_hook_lines, summarise_item
from synaptic.packages.site import Site

MAX_DIFF_LINES = 200
"""Upper bound of diff lines shown for one file."""


class FileDrift(msgspec.Struct, frozen=True):
    """One file: ADDED, REMOVED, MODIFIED or MISSING, and its lines where both texts are at hand."""

    path: str
    change: str
    lines: tuple[str, ...] = ()


class PackageDrift(msgspec.Struct, frozen=True, kw_only=True):
    """One package: which entries and files are, or would be, different."""

    package: str
    scope: str
    version: str
    hooks: tuple[HookLine, ...] = ()
    files: tuple[FileDrift, ...] = ()


def find_local_drift(site: Site, record: InstallRecord, published: InstallPlan | None = None) -> PackageDrift:
    """Find local changes; diff lines are included when the published files of this version are given."""
    originals = {file.path: file for item in published.items for file in item.material.files} if published else {}
    hooks = list_hook_lines(site, record.package, record.hooks, record)
    return PackageDrift(
        package=record.package,
        scope=site.scope,
        version=record.version,
        hooks=tuple(line for line in hooks if line.change != "same" or line.note),
        files=tuple(sorted(_iter_local_files(site, record, originals), key=lambda drift: drift.path)),
    )


def find_upcoming_drift(item: PlanItem) -> PackageDrift:
    """Find what an upgrade would change."""
    return PackageDrift(
        package=item.name,
        scope=item.site.scope,
        version=item.material.bundle.package.version,
        hooks=tuple(line for line in summarise_item(item).hooks if line.change != "same" or line.note),
        files=tuple(sorted(_iter_upcoming_files(item), key=lambda drift: drift.path)),
    )


def _iter_local_files(site: Site, record: InstallRecord, originals: dict[str, PlannedFile]) -> Iterator[FileDrift]:
    for path, sha in record.files.items():
        found = hash_or_refuse(site, path)
        if found is None:
            yield FileDrift(path, "MISSING")
        elif found != sha:
            old = originals[path].data if path in originals else None
            yield FileDrift(path, "MODIFIED", _diff_lines(old, read_if_possible(site, path), path))


def _iter_upcoming_files(item: PlanItem) -> Iterator[FileDrift]:
    for line in summarise_item(item).files:
        if line.state in ("obsolete", "new"):
            yield FileDrift(line.path, "ADDED" if line.state == "new" else "REMOVED")
    for file in item.material.files:
        if hash_or_refuse(item.site, file.path) not in (None, file.sha256):
            there = read_if_possible(item.site, file.path)
            yield FileDrift(file.path, "MODIFIED", _diff_lines(there, file.data, file.path))


def _diff_lines(old: bytes | None, new: bytes | None, path: str) -> tuple[str, ...]:
    if old is None or new is None:
        return ()
    before, after = (data.decode("utf-8", "replace").splitlines() for data in (old, new))
    return tuple(difflib.unified_diff(before, after, path, path, lineterm=""))[:MAX_DIFF_LINES]

"""Differences of an installed package: local changes, and what an upgrade would change."""

import difflib
from collections.abc import Iterator

import msgspec

from synaptic.packages.install import Prepared
from synaptic.packages.lock import Record
from synaptic.packages.materialise import Artefact, digest_of
from synaptic.packages.plan import HookLine, Item, hook_lines, show
from synaptic.packages.site import Site

LINES = 200
"""Upper bound of diff lines shown for one file."""


class FileDrift(msgspec.Struct, frozen=True):
    """One file: ADDED, REMOVED, MODIFIED or MISSING, and its lines where both texts are at hand."""

    path: str
    change: str
    lines: tuple[str, ...] = ()


class Drift(msgspec.Struct, frozen=True, kw_only=True):
    """One package: which entries and files are, or would be, different."""

    package: str
    scope: str
    version: str
    hooks: tuple[HookLine, ...] = ()
    files: tuple[FileDrift, ...] = ()


def local(site: Site, record: Record, published: Prepared | None = None) -> Drift:
    """Find local changes; diff lines are included when the published files of this version are given."""
    originals = {file.path: file for item in published.items for file in item.material.files} if published else {}
    hooks = hook_lines(site, record.package, record.hooks, record)
    return Drift(
        package=record.package,
        scope=site.scope,
        version=record.version,
        hooks=tuple(line for line in hooks if line.change != "same" or line.note),
        files=tuple(sorted(_local(site, record, originals), key=lambda drift: drift.path)),
    )


def upcoming(item: Item) -> Drift:
    """Find what an upgrade would change."""
    return Drift(
        package=item.name,
        scope=item.site.scope,
        version=item.material.bundle.package.version,
        hooks=tuple(line for line in show(item).hooks if line.change != "same" or line.note),
        files=tuple(sorted(_upcoming(item), key=lambda drift: drift.path)),
    )


def _local(site: Site, record: Record, originals: dict[str, Artefact]) -> Iterator[FileDrift]:
    for path, sha in record.files.items():
        found = digest_of(site.base / path)
        if found is None:
            yield FileDrift(path, "MISSING")
        elif found != sha:
            old = originals[path].data if path in originals else None
            yield FileDrift(path, "MODIFIED", _lines(old, (site.base / path).read_bytes(), path))


def _upcoming(item: Item) -> Iterator[FileDrift]:
    for line in show(item).files:
        if line.state in ("obsolete", "new"):
            yield FileDrift(line.path, "ADDED" if line.state == "new" else "REMOVED")
    for file in item.material.files:
        path = item.site.base / file.path
        if digest_of(path) not in (None, file.sha256):
            yield FileDrift(file.path, "MODIFIED", _lines(path.read_bytes(), file.data, file.path))


def _lines(old: bytes | None, new: bytes, path: str) -> tuple[str, ...]:
    if old is None:
        return ()
    before, after = (data.decode("utf-8", "replace").splitlines() for data in (old, new))
    return tuple(difflib.unified_diff(before, after, path, path, lineterm=""))[:LINES]

"""Remove packages: registry entries first, then the installed files, then the record."""

from collections.abc import Iterator, Sequence

import msgspec

from synaptic.hooks.edit_registry import withdraw_entries
from synaptic.hooks.pins import Pins
from synaptic.model.home import Home
from synaptic.model.refusal import Refusal
from synaptic.packages import lock
from synaptic.packages.install import loaded_pins, pins_text, snapshots
from synaptic.packages.lock import Lock, Record
from synaptic.packages.materialise import digest_of, target
from synaptic.packages.plan import FileLine, Shown, State, hook_lines, registry_text
from synaptic.packages.site import Site
from synaptic.packages.steps import After, Change, Drop, Put, Work, commit_changes, hold_install_lock, watch_nothing


class Removal(msgspec.Struct, frozen=True):
    """Records to remove at one site; the first is the one that was asked for."""

    site: Site
    records: tuple[Record, ...]

    def shown(self) -> tuple[Shown, ...]:
        return tuple(_show(self.site, record) for record in self.records)

    @property
    def modified(self) -> tuple[str, ...]:
        """Files that somebody changed since they were installed, or that cannot be read."""
        lines = (line for shown in self.shown() for line in shown.files)
        return tuple(line.path for line in lines if line.state == "modified")


def prepare_removal(site: Site, package: str) -> Removal:
    """Prepare the removal of a package and of packages installed only because of it. Nothing is written."""
    known = lock.load(site)
    record = known.get(package)
    if record is None:
        there = ", ".join(known.names()) or "nothing"
        raise Refusal("not_found", f"{package} is not installed", where=str(site), hint=f"installed: {there}")
    if needed := [other.package for other in known.install if _needs(other, package)]:
        hint = f"remove {needed[0]} first"
        raise Refusal("blocked", f"{package} is needed by {', '.join(needed)}", where=str(site), hint=hint)
    return Removal(site, (record, *_orphans(record, known)))


def apply_removals(home: Home, removals: Sequence[Removal], after: After = watch_nothing) -> tuple[str, ...]:
    """Carry removals out together, whole or not at all."""
    sites = tuple(removal.site for removal in removals)
    with hold_install_lock(home, sites) as told:
        names = dict.fromkeys(record.package for removal in removals for record in removal.records)
        changes = tuple(change for removal in removals for change in _changes(home, removal))
        commit_changes(home, Work(what=f"remove {', '.join(names)}", sites=sites, changes=changes), after)
    return told


def _changes(home: Home, removal: Removal) -> Iterator[Change]:
    site, names = removal.site, {record.package for record in removal.records}
    known, text, pinned = lock.load(site), registry_text(site), loaded_pins(site)
    records = [record for record in known.install if record.package in names]
    for record in records:
        known = known.drop(record.package)
        text = withdraw_entries(text, site.owner(record.package), str(site.registry))
        yield from snapshots(home, site, record)
    # Of all packages: a file that two of them brought stays as long as one of them does.
    # Agents and commands share a folder: another package may have installed the same file.
    still = {path for record in known.install for path in record.files}
    # Entries before files: a hook whose script is gone would be reported as missing on every event.
    if site.registry.exists():
        yield Put(site.registry, text.encode(), site.registry.stat().st_mode & 0o777)
    for record in records:
        yield from (Drop(target(site, path), site.base) for path in record.files if path not in still)
    yield Put(site.lockfile, lock.text(known))
    left = {name: installed for name, installed in pinned.packages.items() if name not in names}
    yield Put(site.pins, pins_text(Pins(root=pinned.root, packages=left)), 0o600)


def _needs(record: Record, package: str) -> bool:
    return any(one.name == package for one in record.requirements.skills)


def _orphans(record: Record, known: Lock) -> Iterator[Record]:
    """Iterate over dependencies to remove as well: installed by us for it, needed and asked for by nobody else."""
    for one in record.requirements.skills:
        dep = known.get(one.name)
        if one.provenance != "installed" or dep is None or dep.tracking != "dependency":
            continue
        if not any(_needs(other, one.name) for other in known.install if other.package != record.package):
            yield dep
            yield from _orphans(dep, known.drop(record.package))


def _show(site: Site, record: Record) -> Shown:
    return Shown(
        action="remove",
        package=record.package,
        version=record.version,
        channel=record.branch,
        scope=site.scope,
        root=str(site.root),
        files=tuple(FileLine(path, _state(site, path, sha), "") for path, sha in record.files.items()),
        hooks=hook_lines(site, record.package, (), record),
        warnings=tuple(
            f"{one.name} was installed for it by `{one.command}` and stays"
            for one in record.requirements.cli
            if one.provenance == "installed"
        ),
    )


def _state(site: Site, path: str, sha: str) -> State:
    try:
        found = digest_of(site.base / path)
    except Refusal:
        return "modified"
    return "obsolete" if found in (None, sha) else "modified"

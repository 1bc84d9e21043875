"""Remove packages: registry entries first, then the installed files, then the record."""

from collections.abc import Iterator, Sequence

import msgspec

from synaptic.hooks.edit_registry import withdraw_entries
from synaptic.hooks.pins import Pins
from synaptic.model.home import Home
from synaptic.model.refusal import Refusal
from synaptic.packages import lock
from synaptic.packages.install import drop_installed, encode_pins, iter_snapshots, load_pins, put_edited
from synaptic.packages.lock import InstallRecord, Lockfile
from synaptic.packages.materialise import hash_or_refuse
from synaptic.packages.plan import FileLine, FileState, PlanSummary, list_hook_lines, read_registry_text
from synaptic.packages.shown import AGENT_FOLDER, iter_edited, iter_shown_drops, locate_folder, locate_shown
from synaptic.packages.site import Site
from synaptic.packages.steps import (
    DropFile,
    FileTransaction,
    PutFile,
    StagedChange,
    StepCallback,
    commit_changes,
    hold_install_lock,
    watch_nothing,
)


class RemovalPlan(msgspec.Struct, frozen=True):
    """Records to remove at one site; the first is the one that was asked for."""

    site: Site
    records: tuple[InstallRecord, ...]

    def summarise(self) -> tuple[PlanSummary, ...]:
        return tuple(_summarise_record(self.site, record) for record in self.records)

    @property
    def modified_files(self) -> tuple[str, ...]:
        """Files that somebody changed since they were installed, or that cannot be read."""
        lines = (line for shown in self.summarise() for line in shown.files)
        return tuple(line.path for line in lines if line.state == "modified")


def prepare_removal(site: Site, package: str) -> RemovalPlan:
    """Prepare the removal of a package and of packages installed only because of it. Nothing is written."""
    known = lock.load_lockfile(site)
    record = known.get(package)
    if record is None:
        there = ", ".join(known.list_names()) or "nothing"
        raise Refusal("not_found", f"{package} is not installed", where=str(site), hint=f"installed: {there}")
    if needed := [other.package for other in known.install if _needs_package(other, package)]:
        hint = f"remove {needed[0]} first"
        raise Refusal("blocked", f"{package} is needed by {', '.join(needed)}", where=str(site), hint=hint)
    return RemovalPlan(site, (record, *_iter_orphans(record, known)))


def apply_removals(home: Home, removals: Sequence[RemovalPlan], after: StepCallback = watch_nothing) -> tuple[str, ...]:
    """Carry removals out together, whole or not at all."""
    sites = tuple(removal.site for removal in removals)
    with hold_install_lock(home, sites) as told:
        names = dict.fromkeys(record.package for removal in removals for record in removal.records)
        changes = tuple(change for removal in removals for change in _iter_changes(home, removal))
        commit_changes(home, FileTransaction(what=f"remove {', '.join(names)}", sites=sites, changes=changes), after)
    return told


def _iter_changes(home: Home, removal: RemovalPlan) -> Iterator[StagedChange]:
    site, names = removal.site, {record.package for record in removal.records}
    known, text, pinned = lock.load_lockfile(site), read_registry_text(site), load_pins(site)
    records = [record for record in known.install if record.package in names]
    for record in records:
        known = known.drop(record.package)
        text = withdraw_entries(text, site.make_owner(record.package), str(site.registry))
        yield from iter_snapshots(home, site, record)
    # Of all packages: a file that two of them brought stays as long as one of them does.
    # Agents and commands share a folder: another package may have installed the same file.
    still = {path for record in known.install for path in record.files}
    # Entries before files: a hook whose script is gone would be reported as missing on every event.
    if site.registry.exists():
        yield put_edited(site, site.registry, text.encode())
    for record in records:
        yield from (drop_installed(site, path) for path in record.files if path not in still)
        yield from _drop_shown(site, record, known)
    yield put_edited(site, site.lockfile, lock.encode_lockfile(known))
    left = {name: installed for name, installed in pinned.packages.items() if name not in names}
    yield PutFile(home.root, site.pins, encode_pins(Pins(root=pinned.root, packages=left)), 0o600)


def _drop_shown(site: Site, record: InstallRecord, known: Lockfile) -> Iterator[DropFile]:
    """The copies in the agent's folder, but those of a file that another package has brought as well."""
    still = {path for other in known.install for path in locate_shown(other.package, other.files).values()}
    gone = [path for path in locate_shown(record.package, record.files).values() if path not in still]
    return iter_shown_drops(site, gone, known.list_names())


def _needs_package(record: InstallRecord, package: str) -> bool:
    return any(one.name == package for one in record.requirements.skills)


def _iter_orphans(record: InstallRecord, known: Lockfile) -> Iterator[InstallRecord]:
    """Iterate over dependencies to remove as well: installed by us for it, needed and asked for by nobody else."""
    waiting = [record]
    while waiting:
        gone = waiting.pop()
        known = known.drop(gone.package)
        for one in gone.requirements.skills:
            dep = known.get(one.name)
            if one.provenance != "installed" or dep is None or dep.tracking != "dependency" or dep in waiting:
                continue
            if not any(_needs_package(other, one.name) for other in known.install):
                yield dep
                waiting.append(dep)


def _summarise_record(site: Site, record: InstallRecord) -> PlanSummary:
    return PlanSummary(
        action="remove",
        package=record.package,
        version=record.version,
        channel=record.branch,
        scope=site.scope,
        root=str(site.root),
        files=(*_iter_files(site, record), *_iter_shown(site, record)),
        hooks=list_hook_lines(site, record.package, (), record),
        warnings=tuple(
            f"{one.name} was installed for it by `{one.command}` and stays"
            for one in record.requirements.cli
            if one.provenance == "installed"
        ),
    )


def _iter_files(site: Site, record: InstallRecord) -> Iterator[FileLine]:
    return (FileLine(path, _find_file_state(site, path, sha), "") for path, sha in record.files.items())


def _iter_shown(site: Site, record: InstallRecord) -> Iterator[FileLine]:
    paths = locate_shown(record.package, record.files).values()
    ours = {change.path for change in iter_shown_drops(site, paths, ())}
    folder, edited = locate_folder(site), dict(iter_edited(site, record))
    for path in paths:
        if folder / path in ours:
            yield FileLine(f"{AGENT_FOLDER}/{path}", "modified" if path in edited else "obsolete", "")


def _find_file_state(site: Site, path: str, sha: str) -> FileState:
    try:
        found = hash_or_refuse(site, path)
    except Refusal:
        return "modified"
    return "obsolete" if found in (None, sha) else "modified"

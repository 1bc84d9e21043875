"""Restore installed packages: exactly as the lockfile says, and after a project was moved."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from synaptic.hooks import pins
from synaptic.hooks.edit_registry import upsert_entries
from synaptic.hooks.pins import Installed, Pins
from synaptic.model.home import Home
from synaptic.model.refusal import Refusal
from synaptic.packages import lock
from synaptic.packages.answers import Answers
from synaptic.packages.database import shown
from synaptic.packages.dependencies import Wanted, fetch, requirements
from synaptic.packages.install import Prepared, loaded_pins, pins_text
from synaptic.packages.lock import Record
from synaptic.packages.materialise import materialise
from synaptic.packages.plan import Item, registry_text
from synaptic.packages.site import Site
from synaptic.packages.source import Source
from synaptic.packages.steps import After, Change, Drop, Put, Work, commit_changes, hold_install_lock, watch_nothing
from synaptic.packages.verify_install import verify_record
from synaptic.setup.env import env_files

BROKEN = ("modified", "missing", "unreadable", "hook_not_registered", "hook_elsewhere", "script_changed")


def prepare_locked(source: Source, site: Site, records: Iterable[Record]) -> Prepared:
    """Prepare to install exactly these records again; refused when the registry has another content by now."""
    return Prepared(items=tuple(_item(source, site, record) for record in records), force=True)


def broken(site: Site) -> tuple[Record, ...]:
    """Find packages of this machine that are no longer as they were installed."""
    known = loaded_pins(site)
    return tuple(
        record
        for record in lock.load(site).install
        if record.package in known.packages
        and any(found.kind in BROKEN for found in verify_record(site, record, known))
    )


def moved_from(home: Home, site: Site) -> Pins | None:
    """Find the pins of this project's former path, if its scripts are still those the user agreed to there."""
    records = lock.load(site).install
    if site.scope != "project" or site.pins.exists() or not records:
        return None
    for file in sorted(site.pins.parent.glob("*.json")):
        old = pins.parse(file.read_bytes())
        # The old path must be gone: a copy or clone beside the original has not been agreed to.
        if old.root and not Path(old.root).exists() and _same(old, records):
            return old
    return None


def follow(home: Home, site: Site, old: Pins, after: After = watch_nothing) -> None:
    """Rewrite the paths of a moved project in registry, variables and pins. Its files stay as they are."""
    with hold_install_lock(home, (site,)):
        work = Work(what=f"move {site.root}", sites=(site,), changes=tuple(_followed(home, site, old)))
        commit_changes(home, work, after)


def _item(source: Source, site: Site, record: Record) -> Item:
    bundle = fetch(source, Wanted(name=record.package, channel=record.branch, version=record.version))
    if bundle.package.sha256 != record.sha256:
        hint = f"type: synaptic upgrade {record.package}"
        text = f"{record.package} {record.version} is not what the lockfile says: {bundle.package.sha256[:12]}"
        raise Refusal("conflict", f"{text} instead of {record.sha256[:12]}", where=source.url, hint=hint)
    answers: Answers = dict(record.answers)
    needs = requirements(bundle, lock.load(site))
    return Item(
        site=site,
        material=materialise(bundle, site, answers),
        before=record,
        # From the record: on this machine all packages are installed already, so provenance would be lost.
        requirements=msgspec.structs.replace(needs, skills=record.requirements.skills),
        tracking=record.tracking,
        url=shown(source.url),
    )


def _same(old: Pins, records: Iterable[Record]) -> bool:
    base = f"{old.root}/.synaptic/"
    for record in records:
        installed = old.packages.get(record.package)
        if installed is None or not _agrees(installed, record, base):
            return False
    return True


def _agrees(installed: Installed, record: Record, base: str) -> bool:
    return all(record.files.get(path.removeprefix(base)) in accepted for path, accepted in installed.scripts.items())


def _followed(home: Home, site: Site, old: Pins) -> Iterator[Change]:
    text = registry_text(site)
    base = f"{old.root}/.synaptic/"
    for record in lock.load(site).install:
        lines = [hook.line(site) for hook in record.hooks]
        text = upsert_entries(text, site.owner(record.package), lines, lines, str(site.registry))
    packages = {name: _rebased(one, base, site) for name, one in old.packages.items()}
    yield Put(site.pins, pins_text(Pins(root=str(site.root), packages=packages)), 0o600)
    yield from (Put(path, data) for path, data in env_files(site.root).items())
    yield Put(site.registry, text.encode())
    yield Drop(pins.pins_file(home, old.root), site.pins.parent)


def _rebased(installed: Installed, base: str, site: Site) -> Installed:
    scripts = {str(site.base / path.removeprefix(base)): accepted for path, accepted in installed.scripts.items()}
    return msgspec.structs.replace(installed, scripts=scripts)

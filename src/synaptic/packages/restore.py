"""Restore installed packages: exactly as the lockfile says, and after a project was moved."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from synaptic.files.replace import read_file
from synaptic.hooks import pins
from synaptic.hooks.edit_registry import upsert_entries
from synaptic.hooks.pins import PinnedPackage, Pins
from synaptic.model.home import Home
from synaptic.model.refusal import Refusal
from synaptic.packages import lock
from synaptic.packages.answers import QuestionAnswers, keep_answers
from synaptic.packages.database import hide_password
from synaptic.packages.dependencies import WantedPackage, check_requirements, fetch_bundle
from synaptic.packages.install import InstallPlan, encode_pins, load_pins, put_edited
from synaptic.packages.lock import InstallRecord
from synaptic.packages.materialise import materialise_bundle
from synaptic.packages.plan import PlanItem, read_registry_text
from synaptic.packages.site import Site
from synaptic.packages.source import PackageSource
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
from synaptic.packages.verify_install import verify_record
from synaptic.packages.versions import KnownInstall, is_same_content, refuse_step_back
from synaptic.setup.env import plan_env_files

BROKEN_KINDS = ("modified", "missing", "unreadable", "hook_not_registered", "hook_elsewhere", "script_changed")


def prepare_restore(
    source: PackageSource, site: Site, records: Iterable[InstallRecord], allow_downgrade: bool = False
) -> InstallPlan:
    """Prepare to install exactly these records again; refused when the registry has another content by now."""
    known = load_pins(site).packages
    items = tuple(_make_item(source, site, record, known.get(record.package)) for record in records)
    if not allow_downgrade:
        for item in items:
            refuse_step_back(item.material.bundle, KnownInstall(None, item.pinned))
    return InstallPlan(items=items, force=True)


def refuse_other_scripts(prepared: InstallPlan) -> None:
    """Raise Refusal for a script that this machine has not agreed to: answers in a lockfile may have made another."""
    for item in prepared.items:
        accepted = item.pinned.scripts if item.pinned else {}
        for file in item.material.files:
            if file.is_executed and file.sha256 not in accepted.get(str(item.site.base / file.path), ()):
                problem = "would become another script than you agreed to"
                where = str(item.site.base / file.path)
                raise Refusal("blocked", problem, where=where, hint="look at it first: synaptic install")


def find_broken(site: Site) -> tuple[InstallRecord, ...]:
    """Find packages of this machine that are no longer as they were installed."""
    known = load_pins(site)
    return tuple(
        record
        for record in lock.load_lockfile(site).install
        # Another version came with the repository; nobody here has agreed to it.
        if (pinned := known.packages.get(record.package)) is not None
        and pinned.version == record.version
        and any(found.kind in BROKEN_KINDS for found in verify_record(site, record, known))
    )


def find_moved_pins(home: Home, site: Site) -> Pins | None:
    """Find the pins of this project's former path, if its scripts are still those the user agreed to there."""
    records = lock.load_lockfile(site).install
    if site.scope != "project" or site.pins.exists() or not records:
        return None
    for file in sorted(site.pins.parent.glob("*.json")):
        old = pins.parse_pins(read_file(file) or b"")
        # The old path must be gone: a copy or clone beside the original has not been agreed to.
        if old.root and not Path(old.root).exists() and _matches_records(old, records):
            return old
    return None


def follow_move(home: Home, site: Site, old: Pins, after: StepCallback = watch_nothing) -> None:
    """Rewrite the paths of a moved project in registry, variables and pins. Its files stay as they are."""
    with hold_install_lock(home, (site,)):
        work = FileTransaction(
            what=f"move {site.root}", sites=(site,), changes=tuple(_iter_move_changes(home, site, old))
        )
        commit_changes(home, work, after)


def _make_item(source: PackageSource, site: Site, record: InstallRecord, pinned: PinnedPackage | None) -> PlanItem:
    bundle = fetch_bundle(source, WantedPackage(name=record.package, channel=record.branch, version=record.version))
    if bundle.package.sha256 != record.sha256 or not is_same_content(bundle, record):
        hint = f"type: synaptic upgrade {record.package}"
        hashes = f"{bundle.package.sha256[:12]} instead of {record.sha256[:12]}"
        told = hashes if bundle.package.sha256 != record.sha256 else "it has other hooks"
        text = f"{record.package} {record.version} is not what the lockfile says: {told}"
        raise Refusal("conflict", text, where=source.url, hint=hint)
    answers: QuestionAnswers = keep_answers(bundle.questions, record.answers)
    needs = check_requirements(bundle, lock.load_lockfile(site))
    return PlanItem(
        site=site,
        material=materialise_bundle(bundle, site, answers),
        before=record,
        pinned=pinned,
        # From the record: on this machine all packages are installed already, so provenance would be lost.
        requirements=msgspec.structs.replace(needs, skills=record.requirements.skills),
        tracking=record.tracking,
        url=hide_password(source.url),
    )


def _matches_records(old: Pins, records: Iterable[InstallRecord]) -> bool:
    base = f"{old.root}/.synaptic/"
    for record in records:
        installed = old.packages.get(record.package)
        if installed is None or not _matches_record(installed, record, base):
            return False
    return True


def _matches_record(installed: PinnedPackage, record: InstallRecord, base: str) -> bool:
    return all(record.files.get(path.removeprefix(base)) in accepted for path, accepted in installed.scripts.items())


def _iter_move_changes(home: Home, site: Site, old: Pins) -> Iterator[StagedChange]:
    text = read_registry_text(site)
    base = f"{old.root}/.synaptic/"
    for record in lock.load_lockfile(site).install:
        lines = [hook.make_line(site) for hook in record.hooks]
        text = upsert_entries(text, site.make_owner(record.package), lines, lines, str(site.registry))
    packages = {name: _rebase_scripts(one, base, site) for name, one in old.packages.items()}
    yield PutFile(home.root, site.pins, encode_pins(Pins(root=str(site.root), packages=packages)), 0o600)
    yield from (PutFile(site.root, path, data) for path, data in plan_env_files(site.root).items())
    yield put_edited(site, site.registry, text.encode())
    yield DropFile(home.root, pins.locate_pins(home, old.root), site.pins.parent)


def _rebase_scripts(installed: PinnedPackage, base: str, site: Site) -> PinnedPackage:
    scripts = {str(site.base / path.removeprefix(base)): accepted for path, accepted in installed.scripts.items()}
    return msgspec.structs.replace(installed, scripts=scripts)

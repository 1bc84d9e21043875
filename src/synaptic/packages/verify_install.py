"""Verify that files, registry, lockfile and pins of a site agree. Reads only, no network."""

import itertools
from collections.abc import Iterator
from typing import Literal

import msgspec

from synaptic.files.inside import name_inside
from synaptic.hooks.edit_registry import parse_entries
from synaptic.hooks.pins import Pins
from synaptic.model.errors import SynapticError
from synaptic.packages import lock
from synaptic.packages.hashes import hash_pairs
from synaptic.packages.install import load_pins
from synaptic.packages.lock import InstallRecord
from synaptic.packages.materialise import hash_file
from synaptic.packages.plan import read_registry_text
from synaptic.packages.scan import iter_files
from synaptic.packages.site import Site

MAX_EXTRAS = 5000
"""Files of a package's folder that are looked at; a repository may have put a million there."""
Severity = Literal["info", "warn", "error", "critical"]
FINDING_SEVERITIES: dict[str, Severity] = {
    "ok": "info",
    "extra": "info",
    "modified": "warn",
    "missing": "error",
    "unreadable": "error",
    "aggregate_mismatch": "error",
    "hook_not_registered": "warn",
    "hook_elsewhere": "error",
    "hook_registry_unreadable": "warn",
    "dependency_verification_missing": "critical",
    "dependency_provenance_missing": "critical",
    "template_metadata_missing": "warn",
    "not_agreed": "warn",
    "script_changed": "error",
}
"""Kind of finding to how bad it is; only errors and critical ones fail."""


class VerifyFinding(msgspec.Struct, frozen=True, kw_only=True):
    """One result of the verification."""

    package: str
    scope: str
    kind: str
    path: str = ""
    message: str = ""

    @property
    def severity(self) -> Severity:
        return FINDING_SEVERITIES[self.kind]

    @property
    def has_failed(self) -> bool:
        return self.severity in ("error", "critical")


def verify_site(site: Site, package: str = "") -> tuple[VerifyFinding, ...]:
    """Verify all packages of a site, or one: files in order, extra files, then record, hooks and pins."""
    pins = load_pins(site)
    records = [record for record in lock.load_lockfile(site).install if package in ("", record.package)]
    return tuple(found for record in records for found in verify_record(site, record, pins))


def verify_record(site: Site, record: InstallRecord, pins: Pins) -> Iterator[VerifyFinding]:
    """Verify one package."""

    def found(kind: str, path: str = "", message: str = "") -> VerifyFinding:
        return VerifyFinding(package=record.package, scope=site.scope, kind=kind, path=path, message=message)

    files = [found(_find_file_state(site, path, sha), path) for path, sha in record.files.items()]
    yield from files
    yield from (found("extra", path) for path in _list_extras(site, record))
    yield from (found(kind, message=text) for kind, text in _iter_record_faults(record))
    yield from (found(kind, path, text) for kind, path, text in _iter_hook_faults(site, record))
    yield from (found(kind, path, text) for kind, path, text in _iter_pin_faults(site, record, pins))


def _find_file_state(site: Site, path: str, sha: str) -> str:
    try:
        now = hash_file(site, path)
    except OSError:
        return "unreadable"
    if now is None:
        return "missing"
    return "ok" if now == sha else "modified"


def _list_extras(site: Site, record: InstallRecord) -> list[str]:
    folder = site.skills / record.package
    found = itertools.islice(iter_files(folder, []), MAX_EXTRAS)
    there = (str(path).removeprefix(f"{site.base}/") for path in found)
    return sorted(path for path in there if path not in record.files)


def _iter_record_faults(record: InstallRecord) -> Iterator[tuple[str, str]]:
    needs = record.requirements
    if needs.tools and not needs.verified:
        yield "dependency_verification_missing", "nobody checked the programs it needs"
    for one in (*needs.cli, *needs.skills):
        if not one.provenance:
            yield "dependency_provenance_missing", f"nobody knows who installed {one.name}"
    if record.template and not record.questions and record.answers:
        yield "template_metadata_missing", "it has answers, but not the questions they belong to"
    if not _is_whole(record):
        yield "aggregate_mismatch", "its files together are not what was published"


def _is_whole(record: InstallRecord) -> bool:
    """Whether the record's hashes are the published ones; rendered and shared files cannot be compared."""
    own = f"skills/{record.package}/"
    # Agents and commands are installed by base name, so their published paths cannot be told any more.
    if record.template or not record.sha256 or not all(path.startswith(own) for path in record.files):
        return True
    return hash_pairs((path.removeprefix(own), sha) for path, sha in record.files.items()) == record.sha256


def _iter_hook_faults(site: Site, record: InstallRecord) -> Iterator[tuple[str, str, str]]:
    try:
        there = parse_entries(read_registry_text(site), str(site.registry))
    except SynapticError as error:
        yield "hook_registry_unreadable", str(site.registry), str(error)
        return
    owner = site.make_owner(record.package)
    known = {owner.make_key(one.get("event"), one.get("script")): one for one in there if owner.owns(one)}
    for hook in record.hooks:
        script = str(site.base / hook.script)
        entry = known.get(owner.make_key(hook.event, script))
        if entry is None:
            yield "hook_not_registered", script, f"{hook.event}, matcher {hook.matcher}: {script}"
        elif entry.get("script") != script:
            yield "hook_elsewhere", script, f"the registry names {entry.get('script')}: the project was moved"


def _iter_pin_faults(site: Site, record: InstallRecord, pins: Pins) -> Iterator[tuple[str, str, str]]:
    installed = pins.packages.get(record.package)
    if installed is None:
        text = "this machine has not agreed to it; type: synaptic install"
        yield "not_agreed", str(site.pins), text
        return
    for path, accepted in installed.scripts.items():
        try:
            now = hash_file(site, name_inside(site.base, path))
        except (OSError, ValueError):
            now = None
        if now not in accepted:
            yield "script_changed", path, "does not run until it is restored; type: synaptic doctor --fix"

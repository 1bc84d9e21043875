"""Verify that files, registry, lockfile and pins of a site agree. Reads only, no network."""

from collections.abc import Iterator
from typing import Literal

import msgspec

from synaptic.hooks.edit_registry import entries
from synaptic.hooks.pins import Pins
from synaptic.model.errors import DeclarationError
from synaptic.packages import lock
from synaptic.packages.hashes import aggregate
from synaptic.packages.install import loaded_pins
from synaptic.packages.lock import Record
from synaptic.packages.materialise import sha256_of
from synaptic.packages.plan import registry_text
from synaptic.packages.site import Site

Severity = Literal["info", "warn", "error", "critical"]
SEVERITIES: dict[str, Severity] = {
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


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """One result of the verification."""

    package: str
    scope: str
    kind: str
    path: str = ""
    message: str = ""

    @property
    def severity(self) -> Severity:
        return SEVERITIES[self.kind]

    @property
    def failed(self) -> bool:
        return self.severity in ("error", "critical")


def verify_site(site: Site, package: str = "") -> tuple[Found, ...]:
    """Verify all packages of a site, or one: files in order, extra files, then record, hooks and pins."""
    pins = loaded_pins(site)
    records = [record for record in lock.load(site).install if package in ("", record.package)]
    return tuple(found for record in records for found in verify_record(site, record, pins))


def verify_record(site: Site, record: Record, pins: Pins) -> Iterator[Found]:
    """Verify one package."""

    def found(kind: str, path: str = "", message: str = "") -> Found:
        return Found(package=record.package, scope=site.scope, kind=kind, path=path, message=message)

    files = [found(_state(site, path, sha), path) for path, sha in record.files.items()]
    yield from files
    yield from (found("extra", path) for path in _extras(site, record))
    yield from (found(kind, message=text) for kind, text in _record_faults(record))
    yield from (found(kind, path, text) for kind, path, text in _hook_faults(site, record))
    yield from (found(kind, path, text) for kind, path, text in _pin_faults(site, record, pins))


def _state(site: Site, path: str, sha: str) -> str:
    try:
        now = sha256_of(site.base / path)
    except OSError:
        return "unreadable"
    if now is None:
        return "missing"
    return "ok" if now == sha else "modified"


def _extras(site: Site, record: Record) -> list[str]:
    folder = site.skills / record.package
    if not folder.is_dir():
        return []
    there = (path.relative_to(site.base).as_posix() for path in folder.rglob("*") if not path.is_dir())
    return sorted(path for path in there if path not in record.files)


def _record_faults(record: Record) -> Iterator[tuple[str, str]]:
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


def _is_whole(record: Record) -> bool:
    """Whether the record's hashes are the published ones; rendered and shared files cannot be compared."""
    own = f"skills/{record.package}/"
    # Agents and commands are installed by base name, so their published paths cannot be told any more.
    if record.template or not record.sha256 or not all(path.startswith(own) for path in record.files):
        return True
    return aggregate((path.removeprefix(own), sha) for path, sha in record.files.items()) == record.sha256


def _hook_faults(site: Site, record: Record) -> Iterator[tuple[str, str, str]]:
    try:
        there = entries(registry_text(site), str(site.registry))
    except (DeclarationError, UnicodeDecodeError) as error:
        yield "hook_registry_unreadable", str(site.registry), str(error)
        return
    owner = site.owner(record.package)
    known = {owner.key(one.get("event"), one.get("script")): one for one in there if owner.owns(one)}
    for hook in record.hooks:
        script = str(site.base / hook.script)
        entry = known.get(owner.key(hook.event, script))
        if entry is None:
            yield "hook_not_registered", script, f"{hook.event}, matcher {hook.matcher}: {script}"
        elif entry.get("script") != script:
            yield "hook_elsewhere", script, f"the registry names {entry.get('script')}: the project was moved"


def _pin_faults(site: Site, record: Record, pins: Pins) -> Iterator[tuple[str, str, str]]:
    installed = pins.packages.get(record.package)
    if installed is None:
        text = "this machine has not agreed to it; type: synaptic install"
        yield "not_agreed", str(site.pins), text
        return
    for path, accepted in installed.scripts.items():
        try:
            now = sha256_of(site.base / path)
        except OSError:
            now = None
        if now not in accepted:
            yield "script_changed", path, "does not run until it is restored; type: synaptic doctor --fix"

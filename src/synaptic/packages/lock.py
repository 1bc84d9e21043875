"""The lockfile `manifest.lock`: exactly what is installed at one site, without paths of this machine."""

import re
from collections.abc import Mapping
from typing import Any, Literal

import msgspec
import tomlkit

from synaptic.files.toml import parse_toml
from synaptic.hooks.edit_registry import RegistryLine
from synaptic.model.errors import SettingsError
from synaptic.model.refusal import Refusal
from synaptic.packages.database import check_ref
from synaptic.packages.paths import check_installed_path, check_package_name, check_version, refuse_collisions
from synaptic.packages.site import Site, SiteScope, read_site_file

LOCK_VERSION = 1
LOCK_LIMIT = 2 << 20
"""Bytes of a lockfile."""
MAX_RECORDS = 1000
SHA256_TEXT = re.compile(r"[0-9a-f]{64}")
LOCK_HINT = "restore it from version control, or delete it and install again"
LOCK_HEADER = "# Written by synaptic. Commit it: `synaptic install` without a name installs exactly this.\n"

Tracking = Literal["registry", "dependency", "local-install", "scan-reconciled"]
Provenance = Literal["installed", "preexisting", "unknown", ""]
"""Only what is `installed` by us may ever be removed by us."""


class LockedHook(RegistryLine, frozen=True, kw_only=True):
    """One hook as the package asks for it; the script is relative to the place, so that the lockfile can be shared."""

    def make_line(self, site: Site) -> RegistryLine:
        """The entry of the registry for it."""
        return RegistryLine(**{**msgspec.structs.asdict(self), "script": str(site.base / self.script)})


class ExternalNeed(msgspec.Struct, frozen=True, kw_only=True):
    """A program or package that a package needs, and whether we installed it."""

    name: str
    spec: str = ""
    command: str = ""
    provenance: Provenance = ""


class Requirements(msgspec.Struct, frozen=True, kw_only=True):
    """All needs of a package: programs, agents, other packages."""

    tools: tuple[ExternalNeed, ...] = ()
    verified: bool = False
    agents: tuple[str, ...] = ()
    cli: tuple[ExternalNeed, ...] = ()
    skills: tuple[ExternalNeed, ...] = ()


class InstallRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One installed package."""

    id: str
    package: str
    version: str
    scope: SiteScope
    commit: str = ""
    sha256: str = ""
    """Of the package's files as they were published."""
    branch: str = "main"
    variant: str = "claude"
    installed_at: str = ""
    root: str = "."
    """Where `site` starts: the project, or `~`. Absolute paths are kept outside the lockfile."""
    site: str = ".synaptic"
    tracking: Tracking = "local-install"
    template: bool = False
    files: Mapping[str, str] = {}
    """Path below the place to the sha256 of what was written."""
    hooks: tuple[LockedHook, ...] = ()
    answers: Mapping[str, Any] = {}
    questions: tuple[str, ...] = ()
    """Ids that have been asked, in their order."""
    requirements: Requirements = Requirements()
    profile: Mapping[str, Any] = {}
    template_warnings: tuple[str, ...] = ()


class Lockfile(msgspec.Struct, frozen=True, kw_only=True):
    """All records, by name."""

    version: int = LOCK_VERSION
    install: tuple[InstallRecord, ...] = ()

    def get(self, package: str) -> InstallRecord | None:
        return next((record for record in self.install if record.package == package), None)

    def list_names(self) -> tuple[str, ...]:
        return tuple(record.package for record in self.install)

    def put(self, record: InstallRecord) -> "Lockfile":
        others = [other for other in self.install if other.package != record.package]
        return Lockfile(install=tuple(sorted((*others, record), key=lambda one: one.package)))

    def drop(self, package: str) -> "Lockfile":
        return Lockfile(install=tuple(record for record in self.install if record.package != package))


def make_record_id(package: str, scope: str) -> str:
    return f"pkg_{package}_{scope}"


def load_lockfile(site: Site) -> Lockfile:
    """Load the lockfile of a site; an absent one is empty, a damaged or newer one is refused."""
    where = str(site.lockfile)
    try:
        table = parse_toml(read_site_file(site, site.lockfile, LOCK_LIMIT) or b"")
        version = table.get("version", LOCK_VERSION)
        # Before the conversion: a newer schema would be reported as a damaged file.
        if isinstance(version, int) and version > LOCK_VERSION:
            hint = "upgrade synaptic-hooks"
            raise Refusal("validation_failed", f"was written by a newer version ({version})", where=where, hint=hint)
        known = msgspec.convert(table, Lockfile)
    except (ValueError, msgspec.ValidationError, SettingsError) as error:
        raise Refusal("validation_failed", f"is no valid lockfile: {error}", where=where, hint=LOCK_HINT) from None
    _check_records(known, site)
    return known


def _check_records(known: Lockfile, site: Site) -> None:
    """Refuse a lockfile that names anything but packages and the files they may have: it comes with a repository."""
    if len(known.install) > MAX_RECORDS:
        raise Refusal("validation_failed", f"has more than {MAX_RECORDS} packages", where=str(site.lockfile))
    seen: set[str] = set()
    for record in known.install:
        try:
            _check_record(record)
        except Refusal as refusal:
            where = f"{site.lockfile}: package {record.package[:80]!a}"
            raise Refusal("validation_failed", refusal.message, where=where, hint=LOCK_HINT) from None
        if record.package in seen:
            raise Refusal("validation_failed", f"has {record.package} twice", where=str(site.lockfile), hint=LOCK_HINT)
        seen.add(record.package)


def _check_record(record: InstallRecord) -> None:
    check_package_name(record.package)
    check_version(record.version)
    check_ref(record.branch)
    for path, sha in record.files.items():
        check_installed_path(path, record.package)
        if not SHA256_TEXT.fullmatch(sha):
            raise Refusal("validation_failed", f"{path} has no sha256")
    refuse_collisions(record.files, "")
    for hook in record.hooks:
        check_installed_path(hook.script, record.package)
        if hook.script not in record.files:
            raise Refusal("validation_failed", f"the hook script {hook.script} is none of its files")


def encode_lockfile(lock: Lockfile) -> bytes:
    """Encode the whole lockfile."""
    return (LOCK_HEADER + tomlkit.dumps(msgspec.to_builtins(lock))).encode()

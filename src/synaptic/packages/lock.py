"""The lockfile `manifest.lock`: exactly what is installed at one site, without paths of this machine."""

import tomllib
from collections.abc import Mapping
from typing import Any, Literal

import msgspec
import tomlkit

from synaptic.files.replace import read
from synaptic.hooks.edit_registry import Line
from synaptic.model.refusal import Refusal
from synaptic.packages.site import Scope, Site

VERSION = 1
HEAD = "# Written by synaptic. Commit it: `synaptic install` without a name installs exactly this.\n"

Tracking = Literal["registry", "dependency", "local-install", "scan-reconciled"]
Provenance = Literal["installed", "preexisting", "unknown", ""]
"""Only what is `installed` by us may ever be removed by us."""


class LockedHook(Line, frozen=True, kw_only=True):
    """One hook as the package asks for it; the script is relative to the place, so that the lockfile can be shared."""

    def line(self, site: Site) -> Line:
        """The entry of the registry for it."""
        return Line(**{**msgspec.structs.asdict(self), "script": str(site.base / self.script)})


class External(msgspec.Struct, frozen=True, kw_only=True):
    """A program or package that a package needs, and whether we installed it."""

    name: str
    spec: str = ""
    command: str = ""
    provenance: Provenance = ""


class Requirements(msgspec.Struct, frozen=True, kw_only=True):
    """All needs of a package: programs, agents, other packages."""

    tools: tuple[External, ...] = ()
    verified: bool = False
    agents: tuple[str, ...] = ()
    cli: tuple[External, ...] = ()
    skills: tuple[External, ...] = ()


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """One installed package."""

    id: str
    package: str
    version: str
    scope: Scope
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


class Lock(msgspec.Struct, frozen=True, kw_only=True):
    """All records, by name."""

    version: int = VERSION
    install: tuple[Record, ...] = ()

    def get(self, package: str) -> Record | None:
        return next((record for record in self.install if record.package == package), None)

    def names(self) -> tuple[str, ...]:
        return tuple(record.package for record in self.install)

    def put(self, record: Record) -> "Lock":
        others = [other for other in self.install if other.package != record.package]
        return Lock(install=tuple(sorted((*others, record), key=lambda one: one.package)))

    def drop(self, package: str) -> "Lock":
        return Lock(install=tuple(record for record in self.install if record.package != package))


def record_id(package: str, scope: str) -> str:
    return f"pkg_{package}_{scope}"


def load(site: Site) -> Lock:
    """Load the lockfile of a site; an absent one is empty, a damaged or newer one is refused."""
    where = str(site.lockfile)
    try:
        table = tomllib.loads((read(site.lockfile) or b"").decode())
        version = table.get("version", VERSION)
        # Before the conversion: a newer schema would be reported as a damaged file.
        if isinstance(version, int) and version > VERSION:
            hint = "upgrade synaptic-hooks"
            raise Refusal("validation_failed", f"was written by a newer version ({version})", where=where, hint=hint)
        return msgspec.convert(table, Lock)
    except (ValueError, msgspec.ValidationError) as error:
        hint = "restore it from version control, or delete it and install again"
        raise Refusal("validation_failed", f"is no valid lockfile: {error}", where=where, hint=hint) from None


def text(lock: Lock) -> bytes:
    """Encode the whole lockfile."""
    return (HEAD + tomlkit.dumps(msgspec.to_builtins(lock))).encode()

"""Where packages are installed: a project, or the user's own folder for all projects."""

from pathlib import Path
from typing import Literal

import msgspec

from synaptic.files.inside import name_inside, read_inside
from synaptic.files.replace import explain_os_error, read_file
from synaptic.hooks.edit_registry import EntryOwner
from synaptic.hooks.pins import locate_pins
from synaptic.model.home import Home

SiteScope = Literal["project", "global"]


class Site(msgspec.Struct, frozen=True):
    """One place with a registry, a lockfile and the files of its packages."""

    scope: SiteScope
    root: Path
    """The project, or the user's home folder."""
    home: Home

    @property
    def base(self) -> Path:
        return self.home.root if self.scope == "global" else self.root / ".synaptic"

    @property
    def project(self) -> Path | None:
        """The project; None for the user's own folder."""
        return self.root if self.scope == "project" else None

    @property
    def anchor(self) -> Path:
        """Where packages are written below without following a link: the project, or the engine's own folder."""
        return self.project or self.home.root

    @property
    def skills(self) -> Path:
        return self.base / "skills"

    @property
    def registry(self) -> Path:
        return self.base / "hooks" / "registry.toml"

    @property
    def lockfile(self) -> Path:
        return self.base / "manifest.lock"

    @property
    def staging(self) -> Path:
        """New contents wait here, on the same file system as the place they go to."""
        return self.base / ".install"

    @property
    def pins(self) -> Path:
        return locate_pins(self.home, "" if self.scope == "global" else str(self.root))

    def make_owner(self, package: str) -> EntryOwner:
        return EntryOwner(package, self.scope)

    def __str__(self) -> str:
        return f"{self.scope} ({self.base})"


def read_site_file(site: Site, path: Path, limit: int) -> bytes | None:
    """Read a file that is written, too: a project's not through a link. Raises SettingsError; None for none."""
    if site.project is None:
        return read_file(path, limit)
    with explain_os_error(path, "read"):
        return read_inside(site.project, name_inside(site.project, path), limit)


def make_project_site(root: Path, home: Home) -> Site:
    return Site("project", root, home)


def make_global_site(home: Home) -> Site:
    return Site("global", home.root.parent, home)

"""How this program was installed, and so how it is upgraded: read from what the installer left behind."""

import shlex
import shutil
import sys
from importlib import metadata
from pathlib import Path
from typing import Literal

import msgspec

from synaptic.model.home import Home
from synaptic.setup.code import PACKAGE

DISTRIBUTION = "synaptic-hooks"
InstalledBy = Literal["clone", "plugin", "uv tool", "pipx", "uv", "pip"]
Command = tuple[str, ...]
PLUGIN_PARTS = (".claude", "plugins")
PLUGIN_NAME = "synaptic"
FOLDER_URL = "file://"


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """Who installed this program, where it is, and what it was made from."""

    by: InstalledBy
    place: str
    """The clone, the plugin's folder, or the Python environment."""
    source: str = ""
    """What the installer was given, where that was no name of a package: a folder or an address."""

    @property
    def upgrade(self) -> tuple[Command, ...]:
        """What to run for a newer version, one command after another."""
        wanted = self.source or DISTRIBUTION
        python = str(Path(self.place) / "bin" / "python")
        return {
            "clone": (("git", "-C", self.place, "pull", "--ff-only"), ("make", "-C", self.place, "up")),
            "plugin": (("claude", "plugin", "update", PLUGIN_NAME),),
            "uv tool": (("uv", "tool", "upgrade", DISTRIBUTION),),
            "pipx": (("pipx", "upgrade", DISTRIBUTION),),
            "uv": (("uv", "pip", "install", "--python", python, "--upgrade", wanted),),
            "pip": ((python, "-m", "pip", "install", "--upgrade", wanted),),
        }[self.by]


def find_origin(package: str = PACKAGE, prefix: str = sys.prefix) -> Origin:
    """Find who installed the package that runs here."""
    if clone := find_clone(package):
        return Origin(by="clone", place=clone)
    if plugin := _find_plugin(package):
        return Origin(by="plugin", place=plugin)
    if (Path(prefix) / "uv-receipt.toml").is_file():
        return Origin(by="uv tool", place=prefix)
    if (Path(prefix) / "pipx_metadata.json").is_file():
        return Origin(by="pipx", place=prefix)
    notes = _find_notes(package)
    by: InstalledBy = "uv" if (_read_note(notes, "INSTALLER").strip() == "uv") else "pip"
    return Origin(by=by, place=prefix, source=_read_source(notes))


def find_clone(package: str = PACKAGE) -> str:
    """The checkout that the package is part of; empty when it is none."""
    root = Path(package).parent.parent
    return str(root) if Path(package).parent.name == "src" and (root / "Makefile").is_file() else ""


def format_command(command: Command) -> str:
    """A command as it is typed."""
    return shlex.join(command)


def find_way_back(home: Home, search_path: str) -> str:
    """The command that sets everything up again after the home's own commands are gone."""
    if clone := find_clone():
        return format_command(("make", "-C", clone, "up"))
    found = shutil.which("synaptic", path=search_path)
    if found and Path(found).parent != home.bin:
        return "synaptic up"
    beside = Path(sys.executable).with_name("synaptic")
    return format_command(
        (str(beside), "up") if beside.is_file() else (sys.executable, "-m", "synaptic.cli.main", "up")
    )


def _find_plugin(package: str) -> str:
    parts = Path(package).parts
    for at in range(len(parts) - 1):
        if parts[at : at + 2] == PLUGIN_PARTS:
            return str(Path(*parts[: at + 3]))
    return ""


def _find_notes(package: str) -> metadata.Distribution | None:
    """What the installer wrote down beside this package, and not beside another one of the same name."""
    found = metadata.distributions(name=DISTRIBUTION, path=[str(Path(package).parent)])
    return next(iter(found), None)


def _read_note(notes: metadata.Distribution | None, name: str) -> str:
    return (notes.read_text(name) if notes else None) or ""


def _read_source(notes: metadata.Distribution | None) -> str:
    try:
        told = msgspec.json.decode(_read_note(notes, "direct_url.json") or "{}", type=dict[str, object])
    except msgspec.DecodeError:
        return ""
    url, vcs = str(told.get("url", "")), told.get("vcs_info")
    if isinstance(vcs, dict):
        return f"{vcs.get('vcs', 'git')}+{url}"
    return url.removeprefix(FOLDER_URL) if "dir_info" in told else url

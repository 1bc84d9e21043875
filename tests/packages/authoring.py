"""An author's desk: folders with packages, and a registry of one's own."""

from pathlib import Path

from synaptic.model.home import Home
from synaptic.packages.create import create_registry_file
from synaptic.packages.folder import read_folder
from synaptic.packages.source import open_source

SCRIPT = "#!/bin/sh\nexit 0\n"
MANIFEST = """\
[package]
name = "{name}"
version = "{version}"
description = "{description}"
tags = ["one", "two"]
"""
HOOK = """
[[hooks]]
event = "PreToolUse"
matcher = "Bash"
script = "hooks/pre.sh"
priority = 20
blocking = true
"""


def write_package(folder: Path, name="guard", version="1.0.0", files=None, more=HOOK, description="Keeps watch."):
    """A folder with a manifest and files; one hook unless other files are given."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.toml").write_text(MANIFEST.format(name=name, version=version, description=description) + more)
    for path, text in (files or {"hooks/pre.sh": SCRIPT}).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def read_package(folder: Path, **given):
    return read_folder(write_package(folder, **given))


class Desk:
    """A registry file in a temporary folder, and whoever works with it."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.home = Home(base / "home" / ".synaptic")
        self.path = base / "registry.db"
        self.url = f"dolt://{self.path}"
        create_registry_file(self.path)
        self.source = self.open(self.url)

    def open(self, url: str):
        return open_source(url, self.home)

    def folder(self, name: str) -> Path:
        return self.base / "folders" / name

    def read(self, name="guard", **given):
        return read_package(self.folder(name), name=name, **given)

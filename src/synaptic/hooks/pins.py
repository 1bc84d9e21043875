"""Scripts of installed packages by the hash they were installed with: one that differs is not run.

The pins of a project lie in the user's own folder, written by the installer: what a repository brings can neither pin
nor unpin anything.
"""

import hashlib
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import msgspec

from synaptic.files.snapshot import Content, Watched, read
from synaptic.model.home import Home
from synaptic.model.hook import Command, Hook

ABSENT = ""
"""The hash of a file that cannot be read; pinned only while an upgrade is under way."""
LIMIT = 64 << 20
"""Bytes of a script; a larger one matches no hash."""


class Installed(msgspec.Struct, frozen=True, kw_only=True):
    """One package as this machine has it in one place. Paths are absolute."""

    version: str
    source: str = ""
    """The URL it came from, without a password."""
    scripts: Mapping[str, tuple[str, ...]] = {}
    """Every executable file and its sha256; two of them while an upgrade is under way."""


class Pins(msgspec.Struct, frozen=True, kw_only=True):
    """What is installed in one place, by package. The file of a place that moved still names the old one."""

    root: str = ""
    packages: Mapping[str, Installed] = {}


def pins_file(home: Home, root: str) -> Path:
    """The file for a project, or with "" the one for the user's own packages."""
    name = hashlib.sha256(root.encode(errors="surrogateescape")).hexdigest()[:16] if root else "global"
    return home.root / "installed" / f"{name}.json"


def parse(text: bytes) -> Pins:
    """A file that cannot be understood pins nothing: `synaptic verify` says so."""
    try:
        return msgspec.json.decode(text or b"{}", type=Pins)
    except msgspec.MsgspecError:
        return Pins()


def installed_for(hook: Hook, pins: Pins) -> Installed | None:
    """The package whose script a hook runs; None for a hook that no package brought."""
    if not hook.skill or not isinstance(hook.handler, Command):
        return None
    installed = pins.packages.get(hook.skill)
    return installed if installed is not None and hook.handler.script in installed.scripts else None


def tampered(hook: Hook, pins: Pins) -> str | None:
    """Why a script of an installed package must not run, or None. Costs a stat for each script of the package."""
    installed = installed_for(hook, pins)
    if installed is None:
        return None
    for path, accepted in installed.scripts.items():
        if _digest(path) not in accepted:
            return (
                f"{path} is not as package {hook.skill} {installed.version} was installed, so {hook.id} does not run; "
                f"look with `synaptic verify {hook.skill}`, restore with `synaptic doctor --fix`"
            )
    return None


def is_as_installed(hook: Hook, pins: Pins) -> bool:
    """Whether a hook runs a package's script exactly as the user agreed to install it."""
    return installed_for(hook, pins) is not None and tampered(hook, pins) is None


_KNOWN: dict[str, tuple[Watched, str]] = {}
KEPT = 4096


def _digest(path: str) -> str:
    """sha256 of a file as it is now; read again only when it changed."""
    known = _KNOWN.get(path)
    if known is None or not known[0].unchanged():
        if len(_KNOWN) >= KEPT:
            _KNOWN.clear()
        watched = Watched(path, partial(read, limit=LIMIT))
        known = _KNOWN[path] = (watched, _hex(watched.read()))
    return known[1]


def _hex(content: Content) -> str:
    return hashlib.sha256(content).hexdigest() if isinstance(content, bytes) else ABSENT

"""Pins of installed packages: the hash of each script at install; one that differs is not run.

The pins of a project lie in the user's own folder, written by the installer: what a repository brings can neither pin
nor unpin anything.
"""

import hashlib
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import msgspec

from synaptic.files.bounded import FileContent, read_content
from synaptic.files.snapshot import WatchedFile
from synaptic.model.home import Home
from synaptic.model.hook import Command, Hook, OutsidePolicy

ABSENT_HASH = ""
"""The hash of a file that cannot be read; pinned only while an upgrade is under way."""
SCRIPT_LIMIT = 64 << 20
"""Bytes of a script; a larger one matches no hash."""


class PinnedPackage(msgspec.Struct, frozen=True, kw_only=True):
    """One package as installed at one site on this machine. Paths are absolute."""

    version: str
    source: str = ""
    """The URL it came from, without a password."""
    sha256: str = ""
    """Of the package's files as they were published."""
    scripts: Mapping[str, tuple[str, ...]] = {}
    """Every executable file and its sha256; two of them while an upgrade is under way."""


class Pins(msgspec.Struct, frozen=True, kw_only=True):
    """The pinned packages of one site. The file of a project that was moved still names the old root."""

    root: str = ""
    packages: Mapping[str, PinnedPackage] = {}


def locate_pins(home: Home, root: str) -> Path:
    """Path of the pins of a project, or with "" of the user's own packages."""
    name = hashlib.sha256(root.encode(errors="surrogateescape")).hexdigest()[:16] if root else "global"
    return home.root / "installed" / f"{name}.json"


def parse_pins(text: bytes) -> Pins:
    """Parse a pins file; an unreadable one pins nothing, which `synaptic verify` reports."""
    try:
        return msgspec.json.decode(text or b"{}", type=Pins)
    except msgspec.MsgspecError:
        return Pins()


def find_pinned_package(hook: Hook, pins: Pins) -> PinnedPackage | None:
    """Find the pinned package whose script a hook runs; None for a hook of no package."""
    if not hook.skill or not isinstance(hook.handler, Command | OutsidePolicy):
        return None
    installed = pins.packages.get(hook.skill)
    script = hook.handler.script if isinstance(hook.handler, Command) else hook.handler.file
    return installed if installed is not None and script in installed.scripts else None


def find_tampering(hook: Hook, pins: Pins) -> str | None:
    """Explain why a package's script must not run, or None. Costs a stat for each script of the package."""
    installed = find_pinned_package(hook, pins)
    if installed is None:
        return None
    # All scripts of the package, not only this hook's: a script may source or call the others.
    for path, accepted in installed.scripts.items():
        if _hash_file(path) not in accepted:
            return (
                f"{path} is not as package {hook.skill} {installed.version} was installed, so {hook.id} does not run; "
                f"look with `synaptic verify {hook.skill}`, restore with `synaptic doctor --fix`"
            )
    return None


def is_as_installed(hook: Hook, pins: Pins) -> bool:
    """Whether a hook runs a package's script exactly as the user agreed to install it."""
    return find_pinned_package(hook, pins) is not None and find_tampering(hook, pins) is None


_KNOWN_DIGESTS: dict[str, tuple[WatchedFile, str]] = {}
MAX_DIGESTS = 4096


def _hash_file(path: str) -> str:
    """Hash a file as it is now; read again only when it changed."""
    known = _KNOWN_DIGESTS.get(path)
    if known is None or not known[0].is_unchanged():
        if len(_KNOWN_DIGESTS) >= MAX_DIGESTS:
            _KNOWN_DIGESTS.clear()
        watched = WatchedFile(path, partial(read_content, limit=SCRIPT_LIMIT))
        known = _KNOWN_DIGESTS[path] = (watched, _hash_content(watched.read()))
    return known[1]


def _hash_content(content: FileContent) -> str:
    return hashlib.sha256(content).hexdigest() if isinstance(content, bytes) else ABSENT_HASH

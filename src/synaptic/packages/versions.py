"""Whether a package goes on or back: an older version, another content under the same one, a rewritten history."""

import re
from typing import Any

import msgspec
from packaging.version import InvalidVersion, Version

from synaptic.hooks.pins import PinnedPackage
from synaptic.model.refusal import Refusal
from synaptic.packages.lock import InstallRecord
from synaptic.packages.materialise import list_locked_hooks
from synaptic.packages.rows import Bundle
from synaptic.packages.source import PackageSource

DOWNGRADE_HINT = "if that is what you want, add --allow-downgrade"
VERSION_PIECE = re.compile(r"\d+|[A-Za-z]+")


class KnownInstall(msgspec.Struct, frozen=True):
    """What is known about a package at one site: the lockfile's record, and what this machine agreed to."""

    record: InstallRecord | None
    pinned: PinnedPackage | None

    @property
    def highest_version(self) -> str:
        """The highest of both: a lockfile comes with a repository, which may name any version."""
        versions = [one.version for one in (self.record, self.pinned) if one is not None]
        return max(versions, key=make_version_key, default="")


def make_version_key(version: str) -> tuple[bool, Any]:
    """A key that sorts versions; texts that are no version by PEP 440 sort below all others, by their numbers."""
    try:
        return True, Version(version)
    except InvalidVersion:
        pieces = VERSION_PIECE.findall(version)
        return False, tuple((piece.isdigit(), int(piece) if piece.isdigit() else 0, piece) for piece in pieces)


def is_older(version: str, than: str) -> bool:
    return bool(than) and make_version_key(version) < make_version_key(than)


def refuse_step_back(bundle: Bundle, known: KnownInstall, explicit: bool = False) -> None:
    """Raise Refusal for an older version, unless it was named, and for another content of a version that is known."""
    name, version = bundle.package.name, bundle.package.version
    highest = known.highest_version
    if is_older(version, highest) and not explicit:
        problem = f"{name} would go back from {highest} to {version}, which is all that channel {bundle.channel} has"
        raise Refusal("blocked", problem, hint=DOWNGRADE_HINT)
    for one in (known.record, known.pinned):
        if one is not None and one.version == version and not is_same_content(bundle, one):
            problem = f"{name} {version} has another content now than when it was installed, under the same version"
            raise Refusal("blocked", problem, hint=f"ask its author why; {DOWNGRADE_HINT}")


def is_same_content(bundle: Bundle, known: InstallRecord | PinnedPackage) -> bool:
    """Whether files and hooks are those that are known; the hash of a package covers its files only."""
    if known.sha256 not in ("", bundle.package.sha256):
        return False
    return not isinstance(known, InstallRecord) or set(known.hooks) == set(list_locked_hooks(bundle))


def refuse_rewritten(source: PackageSource, bundle: Bundle, known: KnownInstall, url: str) -> None:
    """Raise Refusal when the channel's history has lost the commit that the installed package came from."""
    record, pinned = known.record, known.pinned
    if record is None or pinned is None or not record.commit or not bundle.commit:
        return
    # Another registry or channel has another history, and says nothing about this one.
    if pinned.source != url or record.branch != bundle.channel:
        return
    log = source.read_log(bundle.channel)
    if log and all(commit.hash != record.commit for commit in log):
        problem = f"the history of channel {bundle.channel} was rewritten: it lost {record.commit[:12]}"
        raise Refusal("blocked", f"{problem}, which {record.package} {record.version} came from", hint=DOWNGRADE_HINT)

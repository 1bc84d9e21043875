"""What is remembered of verifications of clients, and whether a client is still the one that was verified."""

import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

import msgspec

from synaptic.files.lock import hold_lock
from synaptic.files.replace import make_folders, read_file, replace_file
from synaptic.model.errors import SettingsError
from synaptic.model.home import Home
from synaptic.setup.agent_versions import read_package_version

MOST_BYTES = 1 << 20
GOOD = "guarded"


class ProgramMark(msgspec.Struct, frozen=True):
    """A program as it was: another file, size or time is another version, or the same one installed again.

    The time is that of the file's entry: npm gives the files of every version one and the same time of their content.
    """

    path: str
    """With links followed: many installers move a link to the new version."""
    size: int
    changed: int
    """In nanoseconds."""


class Verification(msgspec.Struct, frozen=True, kw_only=True):
    """One verification of one client."""

    agent: str
    version: str
    """"" where the client does not say it."""
    at: float
    standing: str
    """guarded, or what else was found."""
    words: str = ""
    program: str
    """As it was found on PATH."""
    mark: ProgramMark | None = None

    @property
    def is_good(self) -> bool:
        return self.standing == GOOD


def mark_program(program: str) -> ProgramMark | None:
    """Look at a program, cheaply; None where it is gone."""
    try:
        path = os.path.realpath(program)
        seen = os.stat(path)  # noqa: PTH116
    except (OSError, ValueError):
        return None
    return ProgramMark(path, seen.st_size, seen.st_ctime_ns)


def load_verifications(home: Home) -> Mapping[str, Verification]:
    """The last verification of each agent. A file that is damaged or lost is none: everything is never verified."""
    try:
        return msgspec.json.decode(read_file(home.verified, MOST_BYTES) or b"{}", type=dict[str, Verification])
    except (msgspec.MsgspecError, SettingsError, UnicodeDecodeError, RecursionError):
        return {}


def remember_verification(home: Home, made: Verification) -> None:
    """Keep a verification in place of the agent's last one. Raises SettingsError."""
    make_folders(home.root, 0o700)
    with hold_lock(home.root / "verified.lock"):
        known = {**load_verifications(home), made.agent: made}
        data = msgspec.json.format(msgspec.json.encode(dict(sorted(known.items()))), indent=2)
        replace_file(home.verified, data + b"\n")


def has_changed(known: Verification) -> bool:
    """Whether the program that was verified is another one now. Nothing is started for that, and one that is gone has
    not changed."""
    now = mark_program(known.program)
    if now is None or now == known.mark:
        return False
    version = read_package_version(Path(known.program))
    return not version or version != known.version


def describe_verification(known: Verification) -> str:
    """When, which version, and the result."""
    when = datetime.fromtimestamp(known.at).strftime("%Y-%m-%d")
    version = f"at version {known.version} " if known.version else ""
    return f"verified {version}on {when}: {known.standing}{f' ({known.words})' if known.words else ''}"


def describe_stale(known: Verification, version: str) -> str:
    """Why a verification counts no more; `version` is what the client is now, "" where that is not known."""
    now = f"it is {version} now" if version and version != known.version else "its program has changed since"
    return f"{describe_verification(known)}; {now}"


def list_stale(home: Home) -> tuple[str, ...]:
    """What `status` says, without starting or importing any client: what changed, and what was not guarded."""
    found = []
    for name, known in load_verifications(home).items():
        if has_changed(known):
            found.append(f"{name} has changed since it was verified")
        elif not known.is_good:
            found.append(f"{name}: {known.standing}")
    return tuple(found)

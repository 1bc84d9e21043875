"""Record of what bootstrap did to files that are not ours, so that removal restores them exactly."""

import contextlib
import fcntl
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

from synaptic.agents.shared.settings import Undo
from synaptic.files.replace import drop_folders, explained, make_folders, read, replace
from synaptic.model.home import Home
from synaptic.model.hook import HttpEndpoint

Mark = TypeVar("Mark")


class Choices(msgspec.Struct, frozen=True, kw_only=True):
    """Choices of a user; a later bootstrap without options keeps them."""

    managed: bool = False
    """Into the administrator's settings, which no repository can switch off."""
    fail: Literal["open", "closed"] = "open"
    http: HttpEndpoint | None = None
    """Events go to this address (`http://127.0.0.1:PORT/hook/claude`) instead of through a process."""
    agents: tuple[str, ...] = ("claude",)
    """Who is told about the dispatcher."""
    trust: bool = False
    """Also agree, in the name of the user, to our entries where an agent asks for that."""


class SettingsMark(msgspec.Struct, frozen=True):
    """One file of an agent that holds our entries, or is ours alone."""

    undo: Undo
    folders: tuple[str, ...] = ()
    agent: str = "claude"


class ProfileMark(msgspec.Struct, frozen=True):
    """One shell profile, or another text, that holds lines of ours."""

    text: str
    """Exactly what was added."""
    absent: bool = False
    folders: tuple[str, ...] = ()


class AgreementMark(msgspec.Struct, frozen=True):
    """One file of an agent that holds an agreement to our entries."""

    text: str
    """Exactly what was added."""
    absent: bool = False
    folders: tuple[str, ...] = ()
    agent: str = "codex"
    """Records of earlier versions do not say it: there was no other."""


class Record(msgspec.Struct, frozen=True):
    """Files by absolute path, and what the user chose last."""

    settings: Mapping[str, SettingsMark] = {}
    profiles: Mapping[str, ProfileMark] = {}
    choices: Choices = Choices()
    agreements: Mapping[str, AgreementMark] = {}
    """Files that hold an agreement to our entries."""
    folders: tuple[str, ...] = ()
    """Made for files that are gone, and still used by somebody."""


def record_file(home: Home) -> Path:
    return home.root / "bootstrap.json"


def load(home: Home) -> Record:
    """Load the record; a lost or damaged one is empty, and removal then recognises our parts by content."""
    try:
        return msgspec.json.decode(read(record_file(home)) or b"{}", type=Record)
    except msgspec.MsgspecError:
        return Record()


def save(home: Home, record: Record) -> None:
    data = msgspec.json.format(msgspec.json.encode(record), indent=2) + b"\n"
    if data != read(record_file(home)):
        replace(record_file(home), data)


def choose(home: Home, choices: Choices) -> None:
    """Save the user's choices."""
    save(home, msgspec.structs.replace(load(home), choices=choices))


def mark_settings(home: Home, path: Path, mark: SettingsMark | None) -> None:
    """Remember, or with None forget, one settings file."""
    record = load(home)
    save(home, msgspec.structs.replace(record, settings=_with(record.settings, str(path), mark)))


def mark_profile(home: Home, path: Path, mark: ProfileMark | None) -> None:
    """Remember, or with None forget, one shell profile."""
    record = load(home)
    save(home, msgspec.structs.replace(record, profiles=_with(record.profiles, str(path), mark)))


def mark_agreement(home: Home, path: Path, mark: AgreementMark | None) -> None:
    """Remember, or with None forget, one file with agreements."""
    record = load(home)
    save(home, msgspec.structs.replace(record, agreements=_with(record.agreements, str(path), mark)))


def release(home: Home, folders: Iterable[str]) -> None:
    """Remove folders that we made and that are empty again; those in use are kept on record and tried next time."""
    record = load(home)
    known = sorted({*record.folders, *folders}, key=len, reverse=True)
    drop_folders(known)
    save(home, msgspec.structs.replace(record, folders=tuple(path for path in known if Path(path).exists())))


def _with(marks: Mapping[str, Mark], key: str, mark: Mark | None) -> dict[str, Mark]:
    others = {path: other for path, other in marks.items() if path != key}
    return others if mark is None else {**others, key: mark}


@contextlib.contextmanager
def locked(home: Home) -> Iterator[None]:
    """Hold the lock of bootstrap and removal."""
    make_folders(home.root, 0o700)
    path = home.root / "bootstrap.lock"
    with explained(path, "locked"):
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(handle)

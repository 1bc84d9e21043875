"""Record of what bootstrap did to files that are not ours, so that removal restores them exactly."""

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

from synaptic.agents.shared.settings import SettingsUndo
from synaptic.files.lock import hold_lock
from synaptic.files.replace import drop_folders, explain_os_error, make_folders, read_file, replace_file
from synaptic.model.home import Home
from synaptic.model.hook import HttpEndpoint

Mark = TypeVar("Mark")


class SetupChoices(msgspec.Struct, frozen=True, kw_only=True):
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

    undo: SettingsUndo
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


class BootstrapRecord(msgspec.Struct, frozen=True):
    """Files by absolute path, and what the user chose last."""

    settings: Mapping[str, SettingsMark] = {}
    profiles: Mapping[str, ProfileMark] = {}
    choices: SetupChoices = SetupChoices()
    agreements: Mapping[str, AgreementMark] = {}
    """Files that hold an agreement to our entries."""
    folders: tuple[str, ...] = ()
    """Made for files that are gone, and still used by somebody."""
    projects: tuple[str, ...] = ()
    """Roots of projects that were given their variables."""


def locate_record(home: Home) -> Path:
    return home.root / "bootstrap.json"


def load_record(home: Home) -> BootstrapRecord:
    """Load the record; a lost or damaged one is empty, and removal then recognises our parts by content."""
    try:
        return msgspec.json.decode(read_file(locate_record(home)) or b"{}", type=BootstrapRecord)
    except msgspec.MsgspecError:
        return BootstrapRecord()


def save_record(home: Home, record: BootstrapRecord) -> None:
    data = msgspec.json.format(msgspec.json.encode(record), indent=2) + b"\n"
    if data != read_file(locate_record(home)):
        replace_file(locate_record(home), data)


def save_choices(home: Home, choices: SetupChoices) -> None:
    """Save the user's choices."""
    save_record(home, msgspec.structs.replace(load_record(home), choices=choices))


def mark_settings(home: Home, path: Path, mark: SettingsMark | None) -> None:
    """Remember, or with None forget, one settings file."""
    record = load_record(home)
    save_record(home, msgspec.structs.replace(record, settings=_replace_mark(record.settings, str(path), mark)))


def mark_profile(home: Home, path: Path, mark: ProfileMark | None) -> None:
    """Remember, or with None forget, one shell profile."""
    record = load_record(home)
    save_record(home, msgspec.structs.replace(record, profiles=_replace_mark(record.profiles, str(path), mark)))


def mark_agreement(home: Home, path: Path, mark: AgreementMark | None) -> None:
    """Remember, or with None forget, one file with agreements."""
    record = load_record(home)
    save_record(home, msgspec.structs.replace(record, agreements=_replace_mark(record.agreements, str(path), mark)))


def mark_project(home: Home, root: Path) -> None:
    """Remember that a project holds files of ours."""
    record = load_record(home)
    save_record(home, msgspec.structs.replace(record, projects=tuple(sorted({*record.projects, str(root)}))))


def release_folders(home: Home, folders: Iterable[str]) -> None:
    """Remove folders that we made and that are empty again; those in use are kept on record and tried next time."""
    record = load_record(home)
    known = sorted({*record.folders, *folders}, key=len, reverse=True)
    drop_folders(known)
    save_record(home, msgspec.structs.replace(record, folders=tuple(path for path in known if Path(path).exists())))


def _replace_mark(marks: Mapping[str, Mark], key: str, mark: Mark | None) -> dict[str, Mark]:
    others = {path: other for path, other in marks.items() if path != key}
    return others if mark is None else {**others, key: mark}


@contextlib.contextmanager
def lock_bootstrap(home: Home) -> Iterator[None]:
    """Hold the lock of bootstrap and removal."""
    make_folders(home.root, 0o700)
    path = home.root / "bootstrap.lock"
    with contextlib.ExitStack() as held:
        with explain_os_error(path, "locked"):
            held.enter_context(hold_lock(path))
        yield

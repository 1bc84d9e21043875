"""Our entries in one settings file on disk: read, edited as text, proved, backed up, replaced."""

import re
import secrets
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import msgspec

from synaptic.agents.base import SettingsShape, WantedEntries
from synaptic.agents.shared.settings import Edited, Registration, Undo, install, registration, uninstall
from synaptic.files.replace import delete, make_folders, read, replace
from synaptic.model.errors import SettingsError
from synaptic.model.home import Home
from synaptic.setup import record

T = TypeVar("T")
BACKUPS = 10
ATTEMPTS = 5
RETRY = "correct the file, then run `synaptic bootstrap` again"


class Made(msgspec.Struct, frozen=True):
    """Whose file it is, and its mode if it has to be made."""

    agent: str
    mode: int = 0o600


CLAUDE = Made("claude")


def token_file(home: Home) -> Path:
    return home.root / "entry"


def read_token(home: Home) -> str | None:
    """The token of this installation; None before the first bootstrap or when it is damaged."""
    text = (read(token_file(home)) or b"").decode("ascii", "replace").strip()
    return text if re.fullmatch(r"[0-9a-f]{32}", text) else None


def ensure_token(home: Home) -> str:
    """The token of this installation, made once."""
    known = read_token(home)
    if known is not None:
        return known
    token = secrets.token_hex(16)
    replace(token_file(home), f"{token}\n".encode())
    return token


def inspect(path: Path, wanted: WantedEntries) -> Registration:
    """How the file differs from what is wanted; nothing is written."""
    return _explained(path, lambda: registration(_text(read(path)), wanted))


def prepare(home: Home, path: Path, wanted: WantedEntries) -> Edited | None:
    """What `register` would write; None when nothing. Refuses a file that must not be edited."""
    mark = record.load(home).settings.get(str(path))
    return _explained(path, lambda: install(_text(read(path)), wanted, mark.undo if mark else None))


def register(home: Home, path: Path, wanted: WantedEntries, made: Made = CLAUDE) -> bool:
    """Put the wanted entries into the file; whether anything had to change."""
    for _ in range(ATTEMPTS):
        before = read(path)
        edited = prepare(home, path, wanted)
        if edited is None:
            return False
        _remember(home, path, edited.undo, made.agent)
        if read(path) == before:
            _write(home, path, before, edited.text, made.mode)
            return True
    raise SettingsError("changes all the time", where=str(path), hint="close the agent and try again")


def unregister(home: Home, path: Path, shape: SettingsShape | None = None) -> bool:
    """Take our entries out of the file and restore what was there; whether anything had to change."""
    mark = record.load(home).settings.get(str(path))
    before = read(path)
    if before is None:
        record.mark_settings(home, path, None)
        return False
    text = _text(before) or ""
    wanted = WantedEntries(shape or SettingsShape(), str(home.dispatch), {})
    after = _explained(path, lambda: uninstall(text, wanted, mark.undo if mark else None))
    if after != text:
        _write(home, path, before, after, 0o600)
    record.mark_settings(home, path, None)
    record.release(home, mark.folders if mark and after is None else ())
    return after != text


def _remember(home: Home, path: Path, undo: Undo, agent: str) -> None:
    """Before the file changes: an undo without its entries does no harm, entries without their undo might."""
    known = record.load(home).settings.get(str(path))
    made = make_folders(path.parent)
    folders = made or (known.folders if known else ())
    record.mark_settings(home, path, record.SettingsMark(undo, folders, agent))


def _write(home: Home, path: Path, before: bytes | None, text: str | None, mode: int) -> None:
    if before:
        _back_up(home, path, before)
    if text is None:
        delete(path)
    else:
        replace(path, text.encode(), mode)


def _back_up(home: Home, path: Path, data: bytes) -> None:
    folder = home.root / "backups"
    make_folders(folder, 0o700)
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%f")
    whose = f"-{path.parent.name}-{path.name}"
    replace(folder / f"{stamp}{whose}", data)
    for old in sorted(file for file in folder.iterdir() if file.name.endswith(whose))[:-BACKUPS]:
        delete(old)


def _text(data: bytes | None) -> str | None:
    try:
        return None if data is None else data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SettingsError(f"is not UTF-8 (byte {error.start})") from error


def _explained(path: Path, work: Callable[[], T]) -> T:
    """Errors about a text with the name of the file it came from."""
    try:
        return work()
    except SettingsError as error:
        raise SettingsError(error.message, where=error.where or str(path), hint=error.hint or RETRY) from error

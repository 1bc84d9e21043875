"""Write our entries into an agent's settings file: read, edit as text, verify, back up, replace."""

import re
import secrets
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import msgspec

from synaptic.agents.base import SettingsShape, WantedEntries
from synaptic.agents.shared import record
from synaptic.agents.shared.settings import (
    EditedSettings,
    EntryDifference,
    SettingsUndo,
    compare_entries,
    install_entries,
    uninstall_entries,
)
from synaptic.files.replace import delete_file, make_folders, read_file, replace_file
from synaptic.model.errors import SettingsError
from synaptic.model.home import Home

T = TypeVar("T")
MAX_BACKUPS = 10
MAX_ATTEMPTS = 5
RETRY_HINT = "correct the file, then run `synaptic bootstrap` again"


class FileOwner(msgspec.Struct, frozen=True):
    """The agent that a settings file belongs to, and the mode for a new file."""

    agent: str
    mode: int = 0o600


CLAUDE_OWNER = FileOwner("claude")


def locate_token(home: Home) -> Path:
    return home.root / "entry"


def read_token(home: Home) -> str | None:
    """Read the token of this installation; None before the first bootstrap or when it is damaged."""
    text = (read_file(locate_token(home)) or b"").decode("ascii", "replace").strip()
    return text if re.fullmatch(r"[0-9a-f]{32}", text) else None


def ensure_token(home: Home) -> str:
    """Read the token of this installation, creating it once."""
    known = read_token(home)
    if known is not None:
        return known
    token = secrets.token_hex(16)
    replace_file(locate_token(home), f"{token}\n".encode())
    return token


def inspect_settings(path: Path, wanted: WantedEntries) -> EntryDifference:
    """Compare the file with the wanted entries; nothing is written."""
    return _add_path_to_errors(path, lambda: compare_entries(_decode_text(read_file(path)), wanted))


def prepare_settings(home: Home, path: Path, wanted: WantedEntries) -> EditedSettings | None:
    """Prepare the edited text; None when nothing has to change. Refuses a file that must not be edited."""
    mark = record.load_record(home).settings.get(str(path))
    return _add_path_to_errors(
        path, lambda: install_entries(_decode_text(read_file(path)), wanted, mark.undo if mark else None)
    )


def register_entries(home: Home, path: Path, wanted: WantedEntries, made: FileOwner = CLAUDE_OWNER) -> bool:
    """Write the wanted entries into the file; whether anything had to change."""
    for _ in range(MAX_ATTEMPTS):
        before = read_file(path)
        edited = prepare_settings(home, path, wanted)
        if edited is None:
            return False
        _remember_undo(home, path, edited.undo, made.agent)
        # Agents rewrite their own settings while they run: an edit based on an older text would lose theirs.
        if read_file(path) == before:
            _write_settings(home, path, before, edited.text, made.mode)
            return True
    raise SettingsError("changes all the time", where=str(path), hint="close the agent and try again")


def unregister_entries(home: Home, path: Path, shape: SettingsShape | None = None) -> bool:
    """Remove our entries from the file and restore what was there; whether anything had to change."""
    mark = record.load_record(home).settings.get(str(path))
    before = read_file(path)
    if before is None:
        record.mark_settings(home, path, None)
        return False
    text = _decode_text(before) or ""
    wanted = WantedEntries(shape or SettingsShape(), str(home.dispatch), {})
    after = _add_path_to_errors(path, lambda: uninstall_entries(text, wanted, mark.undo if mark else None))
    # Compared as text: a file without our entries is neither rewritten nor backed up.
    if after != text:
        _write_settings(home, path, before, after, 0o600)
    record.mark_settings(home, path, None)
    record.release_folders(home, mark.folders if mark and after is None else ())
    return after != text


def _remember_undo(home: Home, path: Path, undo: SettingsUndo, agent: str) -> None:
    """Record the undo before the file changes: an undo without entries is harmless, entries without undo are not."""
    known = record.load_record(home).settings.get(str(path))
    made = make_folders(path.parent)
    folders = made or (known.folders if known else ())
    record.mark_settings(home, path, record.SettingsMark(undo, folders, agent))


def _write_settings(home: Home, path: Path, before: bytes | None, text: str | None, mode: int) -> None:
    if before:
        _back_up(home, path, before)
    if text is None:
        delete_file(path)
    else:
        replace_file(path, text.encode(), mode)


def _back_up(home: Home, path: Path, data: bytes) -> None:
    folder = home.root / "backups"
    make_folders(folder, 0o700)
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%f")
    whose = f"-{path.parent.name}-{path.name}"
    replace_file(folder / f"{stamp}{whose}", data)
    for old in sorted(file for file in folder.iterdir() if file.name.endswith(whose))[:-MAX_BACKUPS]:
        delete_file(old)


def _decode_text(data: bytes | None) -> str | None:
    try:
        return None if data is None else data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SettingsError(f"is not UTF-8 (byte {error.start})") from error


def _add_path_to_errors(path: Path, work: Callable[[], T]) -> T:
    """Add the file's path and a hint to SettingsErrors about its text."""
    try:
        return work()
    except SettingsError as error:
        raise SettingsError(error.message, where=error.where or str(path), hint=error.hint or RETRY_HINT) from error

"""Files in an agent's folder that are entirely ours: written whole, never over somebody else's."""

from pathlib import Path

from synaptic.agents.base import OwnFile
from synaptic.agents.shared import record
from synaptic.agents.shared.ours import has_own_note
from synaptic.agents.shared.record import SettingsMark
from synaptic.agents.shared.settings import SettingsUndo
from synaptic.files.replace import delete_file, make_folders, read_file, replace_file
from synaptic.model.errors import SettingsError
from synaptic.model.home import Home


def refuse_foreign_file(own: OwnFile) -> None:
    """Refuse to write over a file that somebody else made."""
    there = read_file(own.path)
    if there is not None and not is_own_file(there):
        hint = "rename it, run the command again, and call your program as a hook: `synaptic hook register`"
        raise SettingsError("is a file of your own, and the agent has no other place", where=str(own.path), hint=hint)


def is_file_current(own: OwnFile) -> bool:
    """Whether the file has the planned content and is executable as planned."""
    return read_file(own.path) == own.text.encode() and own.path.stat().st_mode & 0o111 == own.mode & 0o111


def put_own_file(home: Home, own: OwnFile, agent: str) -> bool:
    """Write the file, or bring it up to date; whether anything had to change."""
    refuse_foreign_file(own)
    if is_file_current(own):
        return False
    known = record.load_record(home).settings.get(str(own.path))
    made = make_folders(own.path.parent) or (known.folders if known else ())
    # Recorded before it is written: after a crash in between there is nothing to undo, which is harmless.
    record.mark_settings(home, own.path, SettingsMark(SettingsUndo("absent"), made, agent))
    replace_file(own.path, own.text.encode(), own.mode)
    # The replacement keeps the mode of an existing file, which an older version may have left non-executable.
    own.path.chmod(own.mode)
    return True


def take_own_file(home: Home, path: Path) -> bool:
    """Remove the file and the folders that were made for it; whether it was there and ours."""
    mark = record.load_record(home).settings.get(str(path))
    ours = is_own_file(read_file(path) or b"")
    if ours:
        delete_file(path)
    record.mark_settings(home, path, None)
    record.release_folders(home, mark.folders if mark and ours else ())
    return ours


def is_own_file(data: bytes) -> bool:
    """Whether these are the contents of a file that we wrote."""
    return has_own_note(data.decode("utf-8", "replace"))

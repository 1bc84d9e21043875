"""Files in an agent's folder that are entirely ours: written whole, never over somebody else's."""

from pathlib import Path

from synaptic.agents.base import OwnFile
from synaptic.agents.shared.ours import is_own_file
from synaptic.agents.shared.settings import Undo
from synaptic.files.replace import delete, make_folders, read, replace
from synaptic.model.errors import SettingsError
from synaptic.model.home import Home
from synaptic.setup import record
from synaptic.setup.record import SettingsMark


def refuse_foreign(own: OwnFile) -> None:
    """Refuse to write over a file that somebody else made."""
    there = read(own.path)
    if there is not None and not is_ours(there):
        hint = "rename it, run the command again, and call your program as a hook: `synaptic hook register`"
        raise SettingsError("is a file of your own, and the agent has no other place", where=str(own.path), hint=hint)


def is_current(own: OwnFile) -> bool:
    """Whether the file has the planned content and is executable as planned."""
    return read(own.path) == own.text.encode() and own.path.stat().st_mode & 0o111 == own.mode & 0o111


def put(home: Home, own: OwnFile, agent: str) -> bool:
    """Write the file, or bring it up to date; whether anything had to change."""
    refuse_foreign(own)
    if is_current(own):
        return False
    known = record.load(home).settings.get(str(own.path))
    made = make_folders(own.path.parent) or (known.folders if known else ())
    # Recorded before it is written: after a crash in between there is nothing to undo, which is harmless.
    record.mark_settings(home, own.path, SettingsMark(Undo("absent"), made, agent))
    replace(own.path, own.text.encode(), own.mode)
    # The replacement keeps the mode of an existing file, which an older version may have left non-executable.
    own.path.chmod(own.mode)
    return True


def take(home: Home, path: Path) -> bool:
    """Remove the file and the folders that were made for it; whether it was there and ours."""
    mark = record.load(home).settings.get(str(path))
    ours = is_ours(read(path) or b"")
    if ours:
        delete(path)
    record.mark_settings(home, path, None)
    record.release(home, mark.folders if mark and ours else ())
    return ours


def is_ours(data: bytes) -> bool:
    """Whether these are the contents of a file that we wrote."""
    return is_own_file(data.decode("utf-8", "replace"))

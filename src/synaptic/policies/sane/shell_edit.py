"""Whether a shell command is an edit: a command that only reads, or writes temporary files, is free."""

import re

from synaptic.policies.reading import runs_elsewhere
from synaptic.shell.effects.effects import Effect
from synaptic.shell.paths import Standpoint, is_inside, resolve_path
from synaptic.shell.reading import CommandReading

DEVICES = ("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd", "/proc/self/fd")
TEMPORARY = ("/tmp", "/var/tmp", "/var/folders", "/dev/shm")
TEMPORARY_NAME = re.compile(
    r"\$TMPDIR(?!\w)|\$\{TMPDIR(?::?-/(?:var/)?tmp/?)?\}"
    r"|(?:\$\(|`)mktemp(?: +(?:-[dqu]+|-t +[\w.-]+|--suffix[= ][\w.-]+|--tmpdir|/(?:var/)?tmp/[\w./-]*))* *[)`]"
)
"""How a name begins that only the shell can work out. Not `${TMPDIR:-src}`, and not `mktemp -p src`."""
FOLDER_MAKERS = frozenset({"mkdir"})
"""Programs that make a place for files and change none."""


def edits_files(command: CommandReading, root: str) -> bool:
    """Whether a command changes files of this machine that are not temporary.

    Text that cannot be read to its end may hide a change, so it counts as one.
    """
    return bool(command.script.truncated) or any(_is_edit(effect, command, root) for effect in command.effects.changes)


def _is_edit(effect: Effect, command: CommandReading, root: str) -> bool:
    if runs_elsewhere(effect) or (effect.command is not None and effect.command.name in FOLDER_MAKERS):
        return False
    text = effect.word.text
    if TEMPORARY_NAME.match(text) and ".." not in text:
        return False
    folder = effect.cwd or command.standpoint.cwd
    path = resolve_path(text, Standpoint(folder, command.home)) if effect.is_named else folder
    if path is None or is_inside(path, DEVICES):
        return path is None
    # A project may itself lie in a temporary folder: its files are no scratch files.
    return is_inside(path, (root,)) or not is_inside(path, TEMPORARY)

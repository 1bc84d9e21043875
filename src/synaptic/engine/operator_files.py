"""Operators' files: lines appended, small files replaced, removed or cut; never a reason to fail.

All of them lie in the project, whose repository may have brought a link in the place of a file or of a folder on the
way: no link is followed, a file of ours is written in the place of one.
"""

import errno
import os
from collections.abc import Callable, Iterable

from synaptic.files.inside import delete_inside, name_inside, open_inside, read_inside, replace_own_inside
from synaptic.model.effect import AppendLine, Effect, KeepLines, RemoveFile, WriteFile
from synaptic.store.redact import redact_text

CUT_LIMIT = 64 << 20
"""Bytes; a longer file is not cut, somebody wants it so."""
LOG_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK
"""NONBLOCK: a pipe in the place of a log must not keep the daemon waiting for its reader."""


NoteLine = Callable[[int], None]
"""Told the size of a file right before a line is appended to it."""


def write_files(root: str, effects: Iterable[Effect], note: NoteLine | None = None) -> tuple[str, ...]:
    """Carry out what belongs in files of a project; returns a warning for each that could not be written."""
    return tuple(warning for effect in effects if (warning := _write_effect(root, effect, note)))


def format_line(text: str) -> str:
    """A text as it stands in an operator's file: one line, without secrets."""
    return redact_text(text).replace("\r", "\\r").replace("\n", "\\n") + "\n"


def replace_file(root: str, path: str, content: bytes) -> None:
    """Replace a file of a project: a reader sees the old content or the new one. Raises OSError or ValueError."""
    replace_own_inside(root, name_inside(root, path), content)


def _write_effect(root: str, effect: Effect, note: NoteLine | None) -> str:
    try:
        if isinstance(effect, AppendLine):
            _append_line(root, effect, note)
        elif isinstance(effect, WriteFile):
            replace_file(root, effect.path, redact_text(effect.text).encode("utf-8", "replace"))
        elif isinstance(effect, RemoveFile):
            delete_inside(root, name_inside(root, effect.path))
        elif isinstance(effect, KeepLines):
            _keep_last_lines(root, name_inside(root, effect.path), effect.last)
        return ""
    except (OSError, ValueError) as error:
        return f"{getattr(effect, 'path', '')} was not written: {_describe_error(error)}"


def _describe_error(error: OSError | ValueError) -> str:
    reason = str(getattr(error, "strerror", None) or error)
    place = getattr(error, "filename", None)
    return f"{place} {reason}" if hasattr(error, "hint") else reason


def _append_line(root: str, effect: AppendLine, note: NoteLine | None) -> None:
    line = format_line(effect.line).encode("utf-8", "replace")
    handle = open_inside(root, name_inside(root, effect.path), LOG_FLAGS, make=0o755)
    try:
        size = os.fstat(handle).st_size
        if note is not None:
            note(size)
        if (written := os.write(handle, line)) < len(line):
            _take_back(handle, size, written)
    finally:
        os.close(handle)


def _take_back(handle: int, size: int, written: int) -> None:
    """Remove the beginning of a line that a full disk has cut: the next line would stand behind it, and not be found.

    Raises OSError: the line was not written.
    """
    if os.fstat(handle).st_size == size + written:  # nobody else has appended since
        os.ftruncate(handle, size)
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _keep_last_lines(root: str, name: str, last: int) -> None:
    try:
        # As bytes: an operator's log may hold anything, and what stays must stay as it was.
        lines = (read_inside(root, name, CUT_LIMIT) or b"").splitlines(keepends=True)
    except OSError:
        return  # too long, or no file: it is not ours to cut
    if len(lines) > last:
        replace_own_inside(root, name, b"".join(lines[-last:]))

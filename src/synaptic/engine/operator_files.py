"""Operators' files: lines appended, small files replaced, removed or cut; never a reason to fail."""

import os
from collections.abc import Iterable
from pathlib import Path

from synaptic.files.replace import replace_own
from synaptic.files.snapshot import read_content
from synaptic.model.effect import AppendLine, Effect, KeepLines, RemoveFile, WriteFile
from synaptic.store.redact import redact_text

CUT_LIMIT = 64 << 20
"""Bytes; a longer file is not cut, somebody wants it so."""


def write_files(effects: Iterable[Effect]) -> tuple[str, ...]:
    """Carry out what belongs in files; returns a warning for each that could not be written."""
    return tuple(warning for effect in effects if (warning := _write_effect(effect)))


def replace_file(path: Path, content: bytes) -> None:
    """Replace a file atomically: a reader sees the old content or the new one. A link is replaced, not followed:
    a repository may bring one in the place of a file that is ours."""
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_own(str(path), content)


def _write_effect(effect: Effect) -> str:
    try:
        if isinstance(effect, AppendLine):
            _append_line(effect)
        elif isinstance(effect, WriteFile):
            replace_file(Path(effect.path), redact_text(effect.text).encode("utf-8", "replace"))
        elif isinstance(effect, RemoveFile):
            Path(effect.path).unlink(missing_ok=True)
        elif isinstance(effect, KeepLines):
            _keep_last_lines(Path(effect.path), effect.last)
        return ""
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        return f"{getattr(effect, 'path', '')} was not written: {reason}"


def _append_line(effect: AppendLine) -> None:
    line = redact_text(effect.line).replace("\r", "\\r").replace("\n", "\\n") + "\n"
    handle = _open_log(effect.path)
    try:
        os.write(handle, line.encode("utf-8", "replace"))
    finally:
        os.close(handle)


def _open_log(path: str) -> int:
    # A repository may bring a link in the place of a log: what it points to is not ours to write. O_NONBLOCK: a named
    # pipe there is an error, and nobody waits for somebody to read it.
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
    try:
        return os.open(path, flags, 0o644)
    except FileNotFoundError:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, flags, 0o644)


def _keep_last_lines(path: Path, last: int) -> None:
    # As bytes: an operator's log may hold anything, and what stays must stay as it was.
    content = read_content(str(path), CUT_LIMIT)
    lines = content.splitlines(keepends=True) if isinstance(content, bytes) else []
    if len(lines) > last:
        replace_file(path, b"".join(lines[-last:]))

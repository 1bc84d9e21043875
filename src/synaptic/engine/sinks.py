"""Operators' files: written after the event is in the journal, and never a reason to fail."""

import os
from collections.abc import Iterable
from pathlib import Path

from synaptic.engine import records
from synaptic.model.effect import AppendLine, Effect, KeepLines, RemoveFile, WriteFile
from synaptic.store.redact import redact_text


def write(effects: Iterable[Effect]) -> tuple[str, ...]:
    """Carry out what belongs in files; returns a warning for each that could not be written."""
    return tuple(warning for effect in effects if (warning := _carried_out(effect)))


def _carried_out(effect: Effect) -> str:
    if isinstance(effect, AppendLine):
        return _append(effect)
    return records.write(effect) if isinstance(effect, WriteFile | RemoveFile | KeepLines) else ""


def _append(effect: AppendLine) -> str:
    line = redact_text(effect.line).replace("\r", "\\r").replace("\n", "\\n") + "\n"
    try:
        handle = _open(effect.path)
    except OSError as error:
        return f"{effect.path} was not written: {error.strerror}"
    try:
        os.write(handle, line.encode("utf-8", "replace"))
    except OSError as error:
        return f"{effect.path} was not written: {error.strerror}"
    finally:
        os.close(handle)
    return ""


def _open(path: str) -> int:
    # A repository may bring a link in the place of a log: what it points to is not ours to write.
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        return os.open(path, flags, 0o644)
    except FileNotFoundError:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, flags, 0o644)

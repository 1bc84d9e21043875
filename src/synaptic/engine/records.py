"""Small files that belong to operators: replaced whole, removed, or cut to their last lines."""

from pathlib import Path

from synaptic.files.replace import replace_own
from synaptic.model.effect import KeepLines, RemoveFile, WriteFile
from synaptic.store.redact import redact_text

LIMIT = 64 << 20
"""Bytes; a longer file is not cut, somebody wants it so."""


def write(effect: WriteFile | RemoveFile | KeepLines) -> str:
    """Carry it out; returns a warning when that is impossible."""
    try:
        if isinstance(effect, WriteFile):
            replace(Path(effect.path), redact_text(effect.text).encode("utf-8", "replace"))
        elif isinstance(effect, RemoveFile):
            Path(effect.path).unlink(missing_ok=True)
        else:
            _keep_last(Path(effect.path), effect.last)
    except (OSError, ValueError) as error:
        return f"{effect.path} was not written: {error}"
    return ""


def replace(path: Path, content: bytes) -> None:
    """The whole file at once: whoever reads it sees the old content or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_own(str(path), content)


def _keep_last(path: Path, last: int) -> None:
    if not path.is_file() or path.stat().st_size > LIMIT:
        return
    lines = path.read_bytes().splitlines(keepends=True)
    if len(lines) > last:
        replace(path, b"".join(lines[-last:]))

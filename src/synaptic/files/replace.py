"""Replacing somebody else's file whole or not at all, and remembering which folders were made for it."""

import contextlib
import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from synaptic.model.errors import SettingsError


def read(path: Path) -> bytes | None:
    """The file's bytes, through a symbolic link; None when there is none."""
    with explained(path, "read"):
        try:
            return path.read_bytes()
        except FileNotFoundError:
            return None


def replace(path: Path, data: bytes, mode: int = 0o600) -> None:
    """New contents by temporary file and rename. A link stays a link; mode and owner of an existing file stay."""
    target = Path(os.path.realpath(path))
    with explained(path, "written"):
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                _inherit(file.fileno(), target, mode)
                os.fsync(file.fileno())
            os.replace(name, target)  # noqa: PTH105 - the temporary name is a string
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


def _inherit(handle: int, target: Path, mode: int) -> None:
    try:
        old = target.stat()
    except FileNotFoundError:
        os.fchmod(handle, mode)
        return
    os.fchmod(handle, old.st_mode & 0o7777)
    mine = os.fstat(handle)
    if (old.st_uid, old.st_gid) != (mine.st_uid, mine.st_gid):
        os.fchown(handle, old.st_uid, old.st_gid)


def delete(path: Path) -> None:
    """Remove the file behind the path; a link that pointed at it goes with it."""
    with explained(path, "deleted"):
        Path(os.path.realpath(path)).unlink(missing_ok=True)
        path.unlink(missing_ok=True)


def make_folders(path: Path, mode: int = 0o755) -> tuple[str, ...]:
    """Create a folder and what is missing above it; what was created, deepest first."""
    with explained(path, "created"):
        missing = [folder for folder in (path, *path.parents) if not folder.exists()]
        path.mkdir(parents=True, exist_ok=True, mode=mode)
    return tuple(str(folder) for folder in missing)


def drop_folders(folders: Iterable[str]) -> None:
    """Remove folders that were made for a file and are empty again."""
    for folder in folders:
        with contextlib.suppress(OSError):  # somebody uses it now: it stays
            Path(folder).rmdir()


@contextlib.contextmanager
def explained(path: Path, verb: str) -> Iterator[None]:
    """An operating system's refusal as an error that names the file."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise SettingsError(f"cannot be {verb}: {reason}", where=str(path), hint="nothing in it was changed") from error

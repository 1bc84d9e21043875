"""Replace a file as a whole: whoever reads it sees the old content or the new one, never half of it.

`replace` is for files that belong to somebody else: it keeps link, mode and owner, reaches the disk before the old
content is gone, and raises an error that names the file. `replace_own` is for files that only the engine writes, also
on the path of an event: no fsync, no look at what was there.
"""

import contextlib
import errno
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from synaptic.files.bounded import read_bounded
from synaptic.model.errors import SettingsError

FILE_LIMIT = 64 << 20
"""Bytes of any file that is read whole: settings, registries, lockfiles. A larger one was not written by hand."""


class LinkedPathError(OSError):
    """A link where only a file or folder of the project itself may be: nothing is written through it."""

    def __init__(self, path: str) -> None:
        super().__init__(errno.ELOOP, "is a symbolic link, and nothing is written through one in a project", path)
        self.hint = f"look where it leads with `ls -l {path}`; if you do not need it, `rm {path}`, then try again"


def read_file(path: Path, limit: int = FILE_LIMIT) -> bytes | None:
    """Read a regular file's bytes, following symbolic links; None when there is none."""
    with explain_os_error(path, "read"):
        try:
            return read_bounded(path, limit)
        except FileNotFoundError:
            return None


def replace_file(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Write somebody else's file. A link stays a link; an existing file keeps mode and owner, a new one gets `mode`."""
    target = os.path.realpath(path)

    def settle(handle: int) -> None:
        inherit_mode(handle, target, mode)
        os.fsync(handle)  # else a power cut may keep the rename and lose the content: an empty settings file

    with explain_os_error(path, "written"):
        write_and_rename(target, data, settle)


def replace_own(path: str, data: bytes, mode: int | None = None) -> None:
    """Write a file of our own, cheaply: a link becomes a file, without `mode` the umask decides. Raises OSError."""
    write_and_rename(path, data, None if mode is None else lambda handle: os.fchmod(handle, mode))


def write_and_rename(target: str, data: bytes, settle: Callable[[int], None] | None, inside: int | None = None) -> None:
    """Write a temporary file beside the target, where a rename is atomic, and rename it.

    With `inside`, the target is a name in this open folder. Strings, not Path: a project's state file is written
    after every refused call, and a Path costs as much as that.
    """
    folder, name = os.path.split(target)
    fresh = os.path.join(folder, f".{name}.{os.urandom(4).hex()}")  # noqa: PTH118
    # EXCL: two writers never share a temporary file, and nobody's link is written through.
    handle = os.open(
        fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600 if settle else 0o666, dir_fd=inside
    )
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            if settle is not None:
                file.flush()
                settle(handle)
        os.replace(fresh, target, src_dir_fd=inside, dst_dir_fd=inside)
    except BaseException:
        with contextlib.suppress(OSError):  # the first error is the one to report
            os.unlink(fresh, dir_fd=inside)
        raise


def inherit_mode(handle: int, target: str, mode: int, inside: int | None = None) -> None:
    """Give the temporary file the mode and owner of the file that it will replace."""
    try:
        old = os.stat(target, dir_fd=inside, follow_symlinks=inside is None)
    except FileNotFoundError:
        os.fchmod(handle, mode)
        return
    os.fchmod(handle, old.st_mode & 0o7777)
    mine = os.fstat(handle)
    if (old.st_uid, old.st_gid) != (mine.st_uid, mine.st_gid):
        os.fchown(handle, old.st_uid, old.st_gid)


def delete_file(path: Path) -> None:
    """Remove the file behind the path; a link that pointed at it goes with it."""
    with explain_os_error(path, "deleted"):
        Path(os.path.realpath(path)).unlink(missing_ok=True)
        path.unlink(missing_ok=True)


def make_folders(path: Path, mode: int = 0o755) -> tuple[str, ...]:
    """Create a folder and its missing parents; returns those created, deepest first."""
    with explain_os_error(path, "created"):
        missing = [folder for folder in (path, *path.parents) if not folder.exists()]
        path.mkdir(parents=True, exist_ok=True, mode=mode)
    return tuple(str(folder) for folder in missing)


def drop_folders(folders: Iterable[str | Path]) -> None:
    """Remove folders that were made for a file and are empty again."""
    for folder in folders:
        with contextlib.suppress(OSError):  # somebody has something in it: it stays
            Path(folder).rmdir()


@contextlib.contextmanager
def explain_os_error(path: Path, verb: str) -> Iterator[None]:
    """Turn an OSError into an error that names the file and says that it is unchanged."""
    try:
        yield
    except OSError as error:
        raise explain_error(error, path, verb) from error


def explain_error(error: OSError, path: Path, verb: str) -> SettingsError:
    """The error to show: for a link it names the link and how to get rid of it."""
    if isinstance(error, LinkedPathError):
        return SettingsError(str(error.strerror), where=str(error.filename), hint=error.hint)
    reason = error.strerror or str(error)
    return SettingsError(f"cannot be {verb}: {reason}", where=str(path), hint="nothing in it was changed")

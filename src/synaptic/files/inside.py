"""Read, write and delete files below a folder, without following any link on the way.

A repository brings files and links, and its folders can change while we look at them. So every step from the folder
down is opened from the descriptor of the step before: what was checked is what is used, and a link that appears in
between is refused. Links above the folder are the user's own, and are followed.
"""

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from synaptic.files.bounded import FOREIGN_FLAGS, read_handle
from synaptic.files.replace import LinkedPathError, inherit_mode, write_and_rename

FOLDER_FLAGS = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC
INNER_FLAGS = FOLDER_FLAGS | os.O_NOFOLLOW
ODD_PARTS = frozenset({"", ".", ".."})
NOT_A_FOLDER = (errno.ENOTDIR, errno.ELOOP)
Root = str | Path
PROJECT_FOLDER = ".synaptic"
"""Our folder in a project: this is the one place that makes it, whatever is put into it first."""
IGNORE_NAME = ".gitignore"
IGNORED_NAMES = ("env.toml", "logs/", "run/", ".install/", "hooks/.registry.lock")
"""Names for its .gitignore: files of this machine that do not belong into the repository."""
IGNORE_TEXT = "".join(f"{name}\n" for name in IGNORED_NAMES).encode()


@contextlib.contextmanager
def open_parent(root: Root, name: str, make: int = 0) -> Iterator[tuple[int, str]]:
    """Open the folder that a file below the root lies in; its descriptor, and the file's own name.

    With `make`, folders that are missing are created with this mode. Raises OSError; LinkedPathError for a link.
    """
    *folders, last = split_inside(name)
    handle = _open_folder(root, folders, make)
    try:
        yield handle, last
    finally:
        os.close(handle)


def split_inside(name: str) -> list[str]:
    """Split a path that stays below its root into its parts; raises ValueError for any other."""
    parts = name.split("/")
    if "\0" in name or not ODD_PARTS.isdisjoint(parts):
        raise ValueError(f"`{name[:200]!r}` does not stay where it is looked for")
    return parts


def name_inside(root: Root, path: Root) -> str:
    """The path as it is written below the root; raises ValueError when it does not stay there."""
    start, whole = f"{str(root).rstrip('/')}/", str(path)
    if not whole.startswith(start):
        raise ValueError(f"`{whole[:200]}` is not below {root}")
    name = whole[len(start) :]
    split_inside(name)
    return name


def read_inside(root: Root, name: str, limit: int) -> bytes | None:
    """Read a regular file of at most `limit` bytes; None when there is none."""
    try:
        handle = open_inside(root, name, FOREIGN_FLAGS)
    except FileNotFoundError:
        return None
    try:
        return read_handle(handle, f"{root}/{name}", limit)
    finally:
        os.close(handle)


def open_inside(root: Root, name: str, flags: int, make: int = 0, mode: int = 0o644) -> int:
    """Open a file; a new one gets the mode. A link in its place is a LinkedPathError."""
    *folders, last = split_inside(name)
    folder = _open_folder(root, folders, make)
    try:
        return os.open(last, flags | os.O_NOFOLLOW | os.O_CLOEXEC, mode, dir_fd=folder)
    except OSError:
        refuse_link(folder, last, f"{root}/{name}")
        raise
    finally:
        os.close(folder)


def replace_inside(root: Root, name: str, data: bytes, mode: int = 0o644) -> None:
    """Replace a file whole, and durably: an existing one keeps mode and owner, a link in its place is refused."""

    def settle(handle: int) -> None:
        inherit_mode(handle, last, mode, folder)
        os.fsync(handle)

    with open_parent(root, name, make=0o755) as (folder, last):
        refuse_link(folder, last, f"{root}/{name}")
        write_and_rename(last, data, settle, folder)


def replace_own_inside(root: Root, name: str, data: bytes) -> None:
    """Replace a file of our own, cheaply: a link in its place becomes a file, the umask decides about the mode."""
    with open_parent(root, name, make=0o755) as (folder, last):
        write_and_rename(last, data, None, folder)


def delete_inside(root: Root, name: str) -> None:
    """Delete the name itself, if it is there; what a link points to stays."""
    with contextlib.suppress(FileNotFoundError), open_parent(root, name) as (folder, last):
        os.unlink(last, dir_fd=folder)


def make_folder_inside(root: Root, name: str, mode: int = 0o755) -> None:
    """Create a folder and its missing parents."""
    with open_parent(root, f"{name}/x", make=mode):
        pass


def drop_folders_inside(root: Root, *names: str) -> None:
    """Remove folders that are empty, in this order; one that is not, or is a link, stays."""
    for name in names:
        with contextlib.suppress(OSError), open_parent(root, name) as (folder, last):
            if last == PROJECT_FOLDER:
                _drop_ignore_file(root, name, folder)
            os.rmdir(last, dir_fd=folder)


def refuse_link(folder: int, name: str, where: str) -> None:
    """Raise LinkedPathError if the name in this open folder is a link."""
    with contextlib.suppress(FileNotFoundError):
        if stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            raise LinkedPathError(where)


def _open_folder(root: Root, folders: list[str], make: int) -> int:
    handle = os.open(root, FOLDER_FLAGS)
    for number, name in enumerate(folders, 1):
        try:
            deeper = os.open(name, INNER_FLAGS, dir_fd=handle)
        except OSError as error:
            # Apart: it is the rare case, and an audit line is written for every call.
            deeper = _make_or_explain(handle, name, make, f"{root}/{'/'.join(folders[:number])}", error)
        finally:
            os.close(handle)
        handle = deeper
    return handle


def _make_or_explain(folder: int, name: str, make: int, where: str, error: OSError) -> int:
    """Create and open a folder that is missing, if that is wanted; else the error, which names it."""
    if make and isinstance(error, FileNotFoundError):
        is_made = False
        with contextlib.suppress(FileExistsError):  # somebody was faster; what they made is opened like any other
            os.mkdir(name, make, dir_fd=folder)
            is_made = True
        try:
            handle = os.open(name, INNER_FLAGS, dir_fd=folder)
            if is_made and name == PROJECT_FOLDER:
                _ignore_local_files(handle)
            return handle
        except OSError as second:
            error = second
    if error.errno in NOT_A_FOLDER:
        refuse_link(folder, name, where)
    raise OSError(error.errno, error.strerror, where) from None


def _ignore_local_files(folder: int) -> None:
    """Write the .gitignore of a folder of ours that was just made: nothing of this machine is ever seen without it."""
    with contextlib.suppress(OSError):  # no room for it: whatever is put there next says so
        handle = os.open(IGNORE_NAME, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644, dir_fd=folder)
        try:
            os.write(handle, IGNORE_TEXT)
        finally:
            os.close(handle)


def _drop_ignore_file(root: Root, name: str, parent: int) -> None:
    """Delete the .gitignore that came with a folder of ours when it is all that is left, and as we wrote it."""
    handle = os.open(
        name.rpartition("/")[2], os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent
    )
    try:
        is_alone = os.listdir(handle) == [IGNORE_NAME]  # noqa: PTH208 - of a descriptor
    finally:
        os.close(handle)
    path = f"{name}/{IGNORE_NAME}"
    if is_alone and read_inside(root, path, len(IGNORE_TEXT) + 1) == IGNORE_TEXT:
        delete_inside(root, path)

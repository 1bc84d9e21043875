"""Where contents wait before they are moved into place: a folder below a root, reached without following a link."""

import contextlib
import errno
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

import msgspec

from synaptic.files.bounded import FOREIGN_FLAGS, read_handle
from synaptic.files.inside import delete_inside, name_inside, open_inside, open_parent, read_inside, refuse_link
from synaptic.files.replace import write_and_rename

STAGED_LIMIT = 256 << 20
"""Bytes of a file that can be moved between file systems, or checked before it is deleted."""


class StagingFolder(msgspec.Struct, frozen=True):
    """A staging folder by its name below a root."""

    root: str
    name: str

    def write(self, name: str, data: bytes, mode: int) -> None:
        """Write a new file in it."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        with os.fdopen(open_inside(self.root, f"{self.name}/{name}", flags, make=0o755), "wb") as file:
            file.write(data)
            os.fchmod(file.fileno(), mode)

    def read(self, name: str) -> bytes:
        return read_inside(self.root, f"{self.name}/{name}", STAGED_LIMIT) or b""

    def has(self, name: str) -> bool:
        return find_mode(self.root, f"{self.name}/{name}") is not None

    def delete(self) -> None:
        """Delete it with all that is in it; a link in its place stays."""
        with contextlib.suppress(OSError), open_parent(self.root, self.name) as (folder, last):
            shutil.rmtree(last, ignore_errors=True, dir_fd=folder)


def find_mode(root: str, name: str) -> int | None:
    """The permissions of what stands there, whatever it is; None when nothing does."""
    try:
        with open_parent(root, name) as (folder, last):
            return stat.S_IMODE(os.stat(last, dir_fd=folder, follow_symlinks=False).st_mode)
    except FileNotFoundError:
        return None


def save_content(root: str, name: str, stage: StagingFolder, saved: str) -> bool:
    """Give what is there a second name in the staging folder; False when nothing is there. A link is refused."""
    if find_mode(root, name) is None:
        return False
    target = f"{stage.name}/{saved}"
    with open_parent(root, name) as (folder, last), open_parent(stage.root, target, make=0o755) as (aside, second):
        refuse_link(folder, last, f"{root}/{name}")
        try:
            os.link(last, second, src_dir_fd=folder, dst_dir_fd=aside, follow_symlinks=False)
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ELOOP):
                raise
            _copy_file(folder, last, aside, second)  # a file system without second names
    return True


def move_inside(stage: StagingFolder, staged: str, root: str, name: str) -> None:
    """Move a staged file into its place; one that is gone was moved before a crash, and is in its place already."""
    source = f"{stage.name}/{staged}"
    if find_mode(stage.root, source) is None:
        return
    with open_parent(stage.root, source) as (aside, first), open_parent(root, name, make=0o755) as (folder, last):
        refuse_link(folder, last, f"{root}/{name}")
        try:
            os.replace(first, last, src_dir_fd=aside, dst_dir_fd=folder)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise OSError(error.errno, error.strerror, f"{root}/{name}") from error
            # Another file system: copied there first, so that the last step is a rename again.
            _copy_file(aside, first, folder, last)
            delete_inside(stage.root, source)


def list_missing_folders(root: Path, path: Path) -> Iterator[tuple[str, str]]:
    """The folders that have to be made for a file, as the root and the name below it."""
    for folder in path.parents:
        if folder == root or os.path.lexists(folder):
            return
        yield str(root), name_inside(root, folder)


def _copy_file(source: int, first: str, target: int, last: str) -> None:
    handle = os.open(first, FOREIGN_FLAGS | os.O_NOFOLLOW, dir_fd=source)
    try:
        data, mode = read_handle(handle, first, STAGED_LIMIT), stat.S_IMODE(os.fstat(handle).st_mode)
    finally:
        os.close(handle)
    write_and_rename(last, data, lambda new: os.fchmod(new, mode), target)

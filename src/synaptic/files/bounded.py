"""Read a file that somebody else may have put there: only a regular one, never blocking, never more than a limit."""

import os
import stat
from pathlib import Path

from synaptic.files.snapshot import describe_size

READ_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
"""NONBLOCK: opening a pipe waits for its writer. NOCTTY: opening a terminal may take it over."""


class UnfitFileError(OSError):
    """What stands there is no regular file, or is larger than anybody would write by hand."""

    def __init__(self, path: str | Path, why: str) -> None:
        super().__init__(None, why, str(path))
        self.strerror: str = why


def read_bounded(path: str | Path, limit: int) -> bytes:
    """Read a regular file of at most `limit` bytes. Raises OSError: what the system says, or UnfitFileError."""
    handle = os.open(path, READ_FLAGS)
    try:
        return read_handle(handle, path, limit)
    finally:
        os.close(handle)


def read_handle(handle: int, path: str | Path, limit: int) -> bytes:
    """Read all of an open file, if it is a regular one of at most `limit` bytes; `path` is for the error."""
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        raise UnfitFileError(path, "Is a folder" if stat.S_ISDIR(status.st_mode) else "Is no regular file")
    # By what is really there, not by the size alone: files of /proc are regular, have no size, and may never end.
    data = b"" if status.st_size > limit else _read_all(handle, status.st_size, limit)
    if status.st_size > limit or len(data) > limit:
        raise UnfitFileError(path, f"Is larger than {describe_size(limit)}")
    return data


def _read_all(handle: int, size: int, limit: int) -> bytes:
    pieces = [os.read(handle, size + 1)]
    total = len(pieces[0])
    while pieces[-1] and total <= limit:
        pieces.append(os.read(handle, 1 << 16))
        total += len(pieces[-1])
    return b"".join(pieces)

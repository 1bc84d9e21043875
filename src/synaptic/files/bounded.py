"""Read a file that somebody else may have put there: only a regular one, never blocking, never more than a limit.

`read_bounded` is for a file that has to be there, and raises. `read_content` is for one that may be missing or unfit,
and returns that as a value. `read_start`, `read_end` and `read_from` take what a part of a file offers, or nothing.
"""

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path

import msgspec

FOREIGN_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
"""How a file is opened that somebody else put there. NONBLOCK: opening a pipe waits for its writer. NOCTTY: opening a
terminal may take it over."""


PASSING_ERRORS = frozenset(
    {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EIO, errno.EAGAIN, errno.EBUSY, errno.ESTALE, errno.ETIMEDOUT}
)
"""What the machine lacks for a moment. A missing permission is none: whoever grants it changes the file."""


class UnfitFileError(OSError):
    """What stands there is no regular file, or is larger than anybody would write by hand."""

    def __init__(self, path: str | Path, why: str) -> None:
        super().__init__(None, why, str(path))
        self.strerror: str = why


class UnreadableFile(msgspec.Struct, frozen=True):
    """A file that is there and cannot be used."""

    why: str
    is_forbidden: bool = False
    """Whether the system did not let us: nobody has said that nothing in it counts."""
    may_pass: bool = False
    """Whether it may be readable the next moment, though nothing about it changes: then nobody remembers this."""


UNREADABLE_FOLDER = UnreadableFile("is a folder")

FileContent = bytes | UnreadableFile | None
"""None: there is no such file."""


def read_bounded(path: str | Path, limit: int) -> bytes:
    """Read a regular file of at most `limit` bytes. Raises OSError: what the system says, or UnfitFileError."""
    handle = os.open(path, FOREIGN_FLAGS)
    try:
        return read_handle(handle, path, limit)
    finally:
        os.close(handle)


def read_handle(handle: int, path: str | Path, limit: int) -> bytes:
    """Read all of an open file, if it is a regular one of at most `limit` bytes; `path` is for the error."""
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        is_folder = stat.S_ISDIR(status.st_mode)
        raise UnfitFileError(path, UNREADABLE_FOLDER.why if is_folder else "is not a regular file")
    content = b"" if status.st_size > limit else _read_all(handle, status.st_size, limit)
    if status.st_size > limit or len(content) > limit:
        raise UnfitFileError(path, f"is larger than {describe_size(limit)}")
    return content


def read_content(path: str, limit: int) -> FileContent:
    """Read a file as `read_bounded` does; that it is missing or unfit is a value."""
    try:
        return read_bounded(path, limit)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None
    except UnfitFileError as error:
        return UnreadableFile(error.strerror)
    except OSError as error:
        return describe_trouble(error)


def describe_trouble(error: OSError) -> UnreadableFile:
    """A file that the system did not let us read, and whether that may pass by itself."""
    return UnreadableFile(f"cannot be read: {error.strerror}", True, error.errno in PASSING_ERRORS)


def read_start(path: str, limit: int) -> bytes:
    """At most the first `limit` bytes; nothing where there is no such regular file, or it cannot be read."""
    return _read_part(path, limit, lambda size: 0)


def read_end(path: str, limit: int) -> bytes:
    """At most the last `limit` bytes, else as `read_start`."""
    return _read_part(path, limit, lambda size: max(0, size - limit))


def read_from(path: str, start: int, limit: int) -> bytes:
    """At most `limit` bytes from a place on, else as `read_start`."""
    return _read_part(path, limit, lambda size: start)


def read_own_news(path: str, known: int, limit: int) -> tuple[bytes, int]:
    """What a regular file of this user has behind a place, its newest part, and where that begins. No link is followed.

    A file that is shorter than it was known to be is another one, or was cut: it is read from its beginning.
    """
    try:
        handle = os.open(path, FOREIGN_FLAGS | os.O_NOFOLLOW)
    except (OSError, ValueError):
        return b"", 0
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.getuid():
            return b"", 0
        start = max(known if known <= status.st_size else 0, status.st_size - limit)
        return os.pread(handle, limit, start), start
    except OSError:
        return b"", 0
    finally:
        os.close(handle)


def describe_size(limit: int) -> str:
    """Describe a size limit for people."""
    return f"{limit >> 20} MiB" if limit >= 1 << 20 else f"{limit >> 10} KiB"


def _read_all(handle: int, size: int, limit: int) -> bytes:
    # Sized by the file: reading `limit` bytes would first make room for them. Files that the kernel makes up (/proc)
    # have no size and may be endless, and others grow while they are read.
    content = os.read(handle, size + 1)
    if 0 < len(content) == size:
        return content
    while 0 < len(content) <= limit and (more := os.read(handle, limit + 1 - len(content))):
        content += more
    return content


def _read_part(path: str, limit: int, find_start: Callable[[int], int]) -> bytes:
    try:
        handle = os.open(path, FOREIGN_FLAGS)
    except (OSError, ValueError):
        return b""
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            return b""
        start = find_start(status.st_size)
        return os.pread(handle, limit, start) if status.st_size else _read_made_up(handle, limit, start)
    except OSError:
        return b""
    finally:
        os.close(handle)


def _read_made_up(handle: int, limit: int, start: int) -> bytes:
    """A file that the kernel makes up (/proc): it has no size, and comes in pages."""
    content = bytearray()
    while len(content) < limit and (page := os.pread(handle, limit - len(content), start + len(content))):
        content += page
    return bytes(content)

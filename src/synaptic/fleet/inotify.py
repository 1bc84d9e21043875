"""Word of writes in one folder, from the kernel, as a descriptor that becomes readable."""

import ctypes
import os
import struct
import sys
from collections.abc import Iterator
from contextlib import suppress

MODIFIED, MOVED_FROM, MOVED_TO, CREATED, DELETED, MOVED_SELF, IGNORED = 0x2, 0x40, 0x80, 0x100, 0x200, 0x800, 0x8000
ONLY_FOLDER = 0x01000000
MASK = MODIFIED | MOVED_FROM | MOVED_TO | CREATED | DELETED | MOVED_SELF | ONLY_FOLDER
HEAD = struct.Struct("iIII")
BUFFER = 64 * 1024


class Inotify:
    """One folder under observation, or none: then `fd` is None and `watch` may be tried again."""

    def __init__(self) -> None:
        self.fd: int | None = None

    def watch(self, folder: str) -> bool:
        """Observe a folder; False where there is no such folder or no such kernel."""
        if sys.platform != "linux" or self.fd is not None:
            return self.fd is not None
        libc = ctypes.CDLL(None, use_errno=True)
        fd = int(libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
        if fd < 0:
            return False
        if int(libc.inotify_add_watch(fd, os.fsencode(folder), ctypes.c_uint32(MASK))) < 0:
            os.close(fd)
            return False
        self.fd = fd
        return True

    def names(self) -> set[str]:
        """The files that something happened to since the last call. A folder that is gone is no longer observed."""
        found: set[str] = set()
        with suppress(BlockingIOError):
            while self.fd is not None:
                events = list(_events(os.read(self.fd, BUFFER)))
                found.update(name for _, name in events)
                if any(mask & (IGNORED | MOVED_SELF) for mask, _ in events):
                    self.close()
        return found

    def close(self) -> None:
        """Observe nothing any more."""
        if self.fd is not None:
            os.close(self.fd)
        self.fd = None


def _events(read: bytes) -> Iterator[tuple[int, str]]:
    at = 0
    while at < len(read):
        _, mask, _, length = HEAD.unpack_from(read, at)
        at += HEAD.size
        yield mask, os.fsdecode(read[at : at + length].rstrip(b"\0"))
        at += length

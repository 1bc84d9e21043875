"""Changes in folders as the kernel reports them (inotify): one read instead of a stat of every file.

`generation` answers whether anything happened, before every event and for a folder of a thousand declarations;
`read_names` says to which files, for whoever waits on `fd`. Where the kernel offers no such thing, `add` returns False
and every file is looked at.
"""

import ctypes
import os
import struct
import sys
import weakref
from collections.abc import Iterator
from contextlib import suppress

MODIFIED, ATTRIBUTES, CLOSED_WRITE = 0x2, 0x4, 0x8
MOVED_FROM, MOVED_TO, CREATED, DELETED = 0x40, 0x80, 0x100, 0x200
DELETED_SELF, MOVED_SELF, IGNORED = 0x400, 0x800, 0x8000
ONLY_FOLDER = 0x01000000
WRITES = MODIFIED | MOVED_FROM | MOVED_TO | CREATED | DELETED | MOVED_SELF
ANY_CHANGE = WRITES | ATTRIBUTES | CLOSED_WRITE | DELETED_SELF
EVENT_HEAD = struct.Struct("iIII")
"""Watch, mask, cookie, and the length of the name that follows, padded with zeros."""
BUFFER_BYTES = 64 * 1024


class FolderWatch:
    """Folders under observation, for `WRITES` or for `ANY_CHANGE`. Nothing is opened before the first `add`."""

    def __init__(self, events: int = ANY_CHANGE) -> None:
        self._mask = events | ONLY_FOLDER
        self._generation = 0
        self.fd: int | None = None
        """Becomes readable when something happened; None before the first `add` and after `close`."""

    def add(self, folder: str) -> bool:
        """Watch a folder from now on; False when that is not possible. Adding it twice is harmless."""
        if sys.platform != "linux" or "\0" in folder:
            return False
        libc = ctypes.CDLL(None, use_errno=True)
        if self.fd is None:
            handle = int(libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
            if handle < 0:  # the user's limit of instances is reached
                return False
            self.fd, self._closing = handle, weakref.finalize(self, os.close, handle)
        return int(libc.inotify_add_watch(self.fd, os.fsencode(folder), ctypes.c_uint32(self._mask))) >= 0

    def read_generation(self) -> int:
        """A number that grows with whatever happens. A write that returned before this call has been counted."""
        self._generation += len(self._read())
        return self._generation

    def read_names(self) -> set[str]:
        """The files that something happened to since the last call. When a folder is gone, nothing is observed."""
        events = [event for block in self._read() for event in _events(block)]
        if any(mask & (IGNORED | MOVED_SELF) for mask, _ in events):
            self.close()  # a moved folder would go on reporting under a path that is no longer ours
        return {name for _, name in events}

    def close(self) -> None:
        """Observe nothing any more; `add` begins anew."""
        if self.fd is not None:
            self._closing()
        self.fd = None

    def _read(self) -> list[bytes]:
        """Everything that waits, in blocks of whole events; at an end of it, and mostly at once, a read would block."""
        blocks: list[bytes] = []
        if self.fd is not None:
            with suppress(BlockingIOError):
                while block := os.read(self.fd, BUFFER_BYTES):
                    blocks.append(block)
        return blocks


def _events(block: bytes) -> Iterator[tuple[int, str]]:
    at = 0
    while at < len(block):
        _, mask, _, length = EVENT_HEAD.unpack_from(block, at)
        at += EVENT_HEAD.size
        yield mask, os.fsdecode(block[at : at + length].rstrip(b"\0"))
        at += length

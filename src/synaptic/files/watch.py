"""Whether anything happened in some folders, for the price of one read: the kernel notes every write at once.

A folder of a thousand declarations need not be looked at file by file before every event. Where the kernel offers no
such thing, `add` says no and every file is looked at.
"""

import ctypes
import os
import sys
import weakref
from contextlib import suppress

EVENTS = 0x2 | 0x4 | 0x8 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x800
"""Modified, attributes, closed after writing, moved from and to, created, deleted, and the folder itself gone."""
ONLY_FOLDER = 0x01000000
BUFFER = 64 * 1024


class Watch:
    """Folders under observation. `generation` grows with whatever happens in any of them."""

    def __init__(self) -> None:
        self._generation = 0
        self._handle: int | None = None

    def add(self, folder: str) -> bool:
        """Observe a folder from now on; False when that is not possible. Twice is the same."""
        if sys.platform != "linux" or "\0" in folder:
            return False
        libc = ctypes.CDLL(None, use_errno=True)
        if self._handle is None:
            self._handle = int(libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
            if self._handle >= 0:
                weakref.finalize(self, os.close, self._handle)
        mask = ctypes.c_uint32(EVENTS | ONLY_FOLDER)
        return self._handle >= 0 and int(libc.inotify_add_watch(self._handle, os.fsencode(folder), mask)) >= 0

    def generation(self) -> int:
        """The number of times that something was seen to have happened. A write that returned has been seen."""
        if self._handle is not None and self._handle >= 0:
            with suppress(BlockingIOError):
                while os.read(self._handle, BUFFER):
                    self._generation += 1
        return self._generation

"""What the last process has left of the log's index: what it counts must still be in the log.

A process that is killed leaves a log and its index. The next one makes the index again from whatever the log holds by
then: without a look before, nobody would notice that the end of the log is gone.
"""

import os
import sys
import time

import msgspec

from synaptic.store.damage import Inode

HEADER_BYTES = 48
"""One of the two copies of the index's header (fileformat2, section 4.4)."""
READ_BYTES = 2 * HEADER_BYTES + 4
FRAMES, SALTS, MOVED = slice(16, 20), slice(32, 40), slice(96, 100)
IS_MADE = 12
MAX_STARTS = 2**16
"""More often no log is started anew while a database is opened."""


class LeftIndex(msgspec.Struct, frozen=True):
    """What the index of a log counts: the pages in the log, and how many of them the database has too."""

    inode: Inode
    frames: int
    moved: int
    salts: bytes
    """Which log it is; a log that starts anew has others."""

    def is_covered_by(self, now: "LeftIndex | None") -> bool:
        """Whether all that was in the log is there now, in it or in the database."""
        if now is None or now.inode != self.inode:
            return True  # it was closed properly meanwhile, or is in use by others: nothing can be said
        if now.salts == self.salts and now.frames >= self.frames:
            return True
        # Where a part of the log is left it hides what the database has of newer pages.
        return self.moved >= self.frames and (not now.frames or now.is_later_than(self))

    def hides_pages_of(self, before: "LeftIndex") -> bool:
        """Whether what the log holds now is the start of one that was moved further: its pages are the older ones."""
        return 0 < self.frames < before.moved and not self.is_later_than(before)

    def is_later_than(self, other: "LeftIndex") -> bool:
        """Whether the log has been started anew since, by somebody who had moved all of it."""
        return 0 < (self._count_starts() - other._count_starts()) % 2**32 < MAX_STARTS

    def _count_starts(self) -> int:
        """The first salt is one more each time a log starts anew; an older log in its place has a smaller one."""
        return int.from_bytes(self.salts[:4], "big")


def read_index(handle: int) -> LeftIndex | None:
    """Read an index; None for one that was not ended, or was written before the machine was started."""
    header = os.pread(handle, READ_BYTES, 0)
    first, second = header[:HEADER_BYTES], header[HEADER_BYTES : 2 * HEADER_BYTES]
    if len(header) < READ_BYTES or first != second or not header[IS_MADE]:
        return None
    # The log is not synced at each commit: after a power failure its end may be missing, and nobody did that.
    if os.fstat(handle).st_mtime < time.time() - _read_uptime():
        return None
    return count_pages(handle)


def count_pages(handle: int) -> LeftIndex:
    """Read what an index counts now, whoever wrote it."""
    found, header = os.fstat(handle), os.pread(handle, READ_BYTES, 0)
    frames, moved = (int.from_bytes(header[part], sys.byteorder) for part in (FRAMES, MOVED))
    return LeftIndex((found.st_dev, found.st_ino), frames, moved, header[SALTS])


def invalidate_index(handle: int) -> None:
    """Make SQLite read the whole log at its next statement, and believe only what its checksums cover."""
    os.pwrite(handle, bytes(2 * HEADER_BYTES), 0)


def _read_uptime() -> float:
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))

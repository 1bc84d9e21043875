"""A small file in which a process notes how far it has come: locked while it lives, and read after its end.

Nothing of it waits for the disk: a killed process loses no page that it has written to.
"""

import fcntl
import os
import struct
from contextlib import suppress
from pathlib import Path

from synaptic.files.bounded import read_start
from synaptic.files.lock import is_file_locked

MARK = struct.Struct("<QQQ")
MARK_FLAGS = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC

MarkedNumbers = tuple[int, int, int]


class ProgressMark:
    """The mark of this process under a name that nobody else has. Raises OSError where there can be none."""

    def __init__(self, path: Path, numbers: MarkedNumbers) -> None:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._handle = os.open(path, MARK_FLAGS, 0o600)
        fcntl.flock(self._handle, fcntl.LOCK_EX)  # its name is new, so nobody else can hold it
        self.note(*numbers)

    def note(self, first: int, second: int, third: int) -> None:
        """Note three numbers in the place of those before. What cannot be noted is done all the same."""
        with suppress(OSError):
            os.pwrite(self._handle, MARK.pack(first, second, third), 0)

    def close(self) -> None:
        os.close(self._handle)


def read_mark(path: Path) -> MarkedNumbers | None:
    """What was noted last; None where there is no mark."""
    content = read_start(str(path), MARK.size)
    return MARK.unpack(content) if len(content) == MARK.size else None


def is_mark_held(path: Path) -> bool | None:
    """Whether the process of a mark lives; None where there is no such file. What cannot be told is held."""
    try:
        return is_file_locked(path)
    except FileNotFoundError:
        return None
    except OSError:
        return True

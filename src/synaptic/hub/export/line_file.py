"""A file that only grows by whole lines: opened with care, repaired after a crash, noticed when it was rotated."""

import errno
import fcntl
import os
import stat
import time
from contextlib import suppress
from pathlib import Path

from synaptic.hub.export.lines import LINE_BEGINS, LineMark, read_mark
from synaptic.hub.shipping.destination import DestinationError

OPEN_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
"""No link is followed; NONBLOCK, so that a pipe that was put there does not hold us before it is looked at."""
FILE_MODE = 0o600
OPEN_TRIES = 5
LOCK_SECONDS = 10.0
READ_BYTES = 65_536
MOST_LINE = 4 << 20
"""Bytes that are looked back for the beginning of the last line."""
WRITE_BYTES = 1 << 20


class LineFile:
    """The file behind a path, however often it is rotated. Every change happens under its lock."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._handle = -1
        self._size = -1
        self._mark: LineMark | None = None

    def lock(self) -> None:
        """Open what stands at the path now, and hold it. Raises DestinationError, OSError."""
        for _ in range(OPEN_TRIES):
            self._reopen_if_rotated()
            self._take_lock()
            if self._stands_at_path():  # else it was rotated between
                return
            self.unlock()
        raise DestinationError("the file is replaced again and again", where=str(self.path))

    def unlock(self) -> None:
        if self._handle >= 0:
            fcntl.flock(self._handle, fcntl.LOCK_UN)

    def read_last(self) -> LineMark | None:
        """The place of the last line, after a line that a crash left half has been cut. Raises DestinationError."""
        size = os.fstat(self._handle).st_size
        if size != self._size:
            self._mark = self._repair(size)
            self._size = os.fstat(self._handle).st_size
        return self._mark

    def append(self, lines: list[bytes]) -> None:
        """Write whole lines and bring them to the disk; when that fails nothing of them stays. Raises OSError."""
        before, self._size = os.fstat(self._handle).st_size, -1
        try:
            for part in _join_lines(lines):
                _write_all(self._handle, part)
            os.fsync(self._handle)
        except OSError:
            with suppress(OSError):  # else the next one that opens it cuts the half line
                os.ftruncate(self._handle, before)
            raise
        self._size, self._mark = os.fstat(self._handle).st_size, read_mark(lines[-1])

    def close(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)
        self._handle = self._size = -1

    def _reopen_if_rotated(self) -> None:
        if self._handle >= 0 and self._stands_at_path():
            return
        self.close()
        check_folder(self.path.parent)
        try:
            self._handle = os.open(self.path, OPEN_FLAGS, FILE_MODE)
        except OSError as error:
            why = "it is a link" if error.errno == errno.ELOOP else f"{error.strerror}"
            raise DestinationError(f"cannot be opened ({why})", where=str(self.path), is_lasting=True) from error
        if why := _find_fault(os.fstat(self._handle)):
            self.close()
            raise DestinationError(why, where=str(self.path), hint="name a file of your own", is_lasting=True)
        sync_folder(self.path.parent)

    def _stands_at_path(self) -> bool:
        try:
            there, ours = self.path.lstat(), os.fstat(self._handle)
        except OSError:
            return False
        return (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)

    def _take_lock(self) -> None:
        ends = time.monotonic() + LOCK_SECONDS
        while True:
            try:
                return fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > ends:
                    raise DestinationError("another program holds the file's lock", where=str(self.path)) from None
                time.sleep(0.02)

    def _repair(self, size: int) -> LineMark | None:
        if size == 0:
            return None
        last, torn, start = self._read_end(size)
        if torn:
            self._mend(torn, start)
            if mark := read_mark(torn.rstrip(b"\0")):
                return mark
        mark = read_mark(last or b"")
        if mark is None and last is not None:
            self._refuse()
        return mark

    def _read_end(self, size: int) -> tuple[bytes | None, bytes, int]:
        """The last whole line, what stands behind it without an end, and where that begins."""
        end, start = b"", size
        while start > 0 and end.count(b"\n") < 2 and len(end) < MOST_LINE:
            step = min(READ_BYTES, start)
            start -= step
            end = os.pread(self._handle, step, start) + end
        whole, newline, torn = end.rpartition(b"\n")
        return (whole.rpartition(b"\n")[2] if newline else None), torn, size - len(torn)

    def _mend(self, torn: bytes, start: int) -> None:
        """Complete a line that lacks only its end, else cut it. One that is not ours is never touched."""
        text = torn.rstrip(b"\0")  # what a file system leaves after a loss of power
        if not (text.startswith(LINE_BEGINS) or LINE_BEGINS.startswith(text)):
            self._refuse()
        os.ftruncate(self._handle, start + len(text) if read_mark(text) else start)
        if read_mark(text):
            _write_all(self._handle, b"\n")
        os.fsync(self._handle)

    def _refuse(self) -> None:
        why = "the file ends with something that no export wrote: nothing is added to it"
        raise DestinationError(why, where=str(self.path), hint="name another file", is_lasting=True)


def check_folder(folder: Path) -> None:
    """That nobody else can put a file there in the place of ours. Raises DestinationError."""
    try:
        found = folder.stat()
    except OSError as error:
        raise DestinationError(f"no such folder ({error.strerror})", where=str(folder), is_lasting=True) from error
    is_open = found.st_mode & stat.S_IWOTH and not found.st_mode & stat.S_ISVTX
    if found.st_uid not in (os.geteuid(), 0) or is_open:
        why = "others can put files into this folder"
        raise DestinationError(why, where=str(folder), hint="name a folder of your own", is_lasting=True)


def sync_folder(folder: Path) -> None:
    """Bring a new name to the disk, where the system can do that."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _find_fault(found: os.stat_result) -> str:
    if not stat.S_ISREG(found.st_mode):
        return "it is no regular file"
    if found.st_uid != os.geteuid():
        return "the file belongs to somebody else"
    if found.st_nlink != 1:
        return "the file has another name, too (a hard link)"
    return "everybody can write to the file" if found.st_mode & stat.S_IWOTH else ""


def _join_lines(lines: list[bytes]) -> list[bytes]:
    """Whole lines together, so that one write ends where a line ends."""
    parts: list[list[bytes]] = [[]]
    size = 0
    for line in lines:
        if size + len(line) > WRITE_BYTES and parts[-1]:
            parts.append([])
            size = 0
        parts[-1].append(line)
        size += len(line)
    return [b"".join(part) for part in parts if part]


def _write_all(handle: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]

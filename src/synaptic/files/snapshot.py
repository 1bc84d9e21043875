"""Tell cheaply whether files and folders have changed since they were read.

A stat signature cannot tell two writes within one tick of the file system's clock apart. A file that changed so
shortly before it was read is therefore compared by content until the tick is over.
"""

import hashlib
import os
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from synaptic.files.bounded import FileContent, UnreadableFile, describe_trouble

StatSignature = tuple[int, int, int, int]

CLOCK_TICK = 50_000_000
"""Nanoseconds; coarse file system clocks advance every 1 to 10 milliseconds."""
MAX_NAMES = 20_000
"""Names in one folder; a folder with more is not listed."""

NEVER_READ: StatSignature = (-1, -1, -1, -1)
"""The signature of no file: what could not be read for a passing reason counts as changed until it can."""

ContentLoader = Callable[[str], FileContent]


def list_names(path: str) -> FileContent:
    """List the names in a folder, sorted, one per line; a folder of more than MAX_NAMES cannot be used."""
    try:
        with os.scandir(os.fsencode(path)) as entries:  # names as bytes: never undecodable
            names = [entry.name for entry in islice(entries, MAX_NAMES + 1)]
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None
    except OSError as error:
        return describe_trouble(error)
    return (
        b"\n".join(sorted(names)) if len(names) <= MAX_NAMES else UnreadableFile(f"holds more than {MAX_NAMES} names")
    )


def iter_names(path: str) -> Iterator[str]:
    """The names in a folder, sorted; none where there is no such folder, or it cannot be listed."""
    found = list_names(path)
    yield from os.fsdecode(found).split("\n") if isinstance(found, bytes) and found else ()


def read_signature(path: str) -> StatSignature | None:
    """Read the stat values that change when a file is written, replaced or touched; None when it is missing."""
    try:
        status = os.stat(path)  # noqa: PTH116 a Path costs as much as the stat
    except (OSError, ValueError):
        return None
    return (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)


def _is_missing(path: str) -> bool:
    """Most files that are watched do not exist, and the exception of a stat costs more than the question."""
    try:
        return not os.access(path, os.F_OK)
    except ValueError:  # a name that no file can have
        return True


class WatchedFile:
    """One file or folder as it was read. The check for changes costs one stat; a read only within a tick of a write."""

    __slots__ = ("_digest", "_load", "path", "signature")

    def __init__(self, path: str, load: ContentLoader) -> None:
        self.path = path
        self._load = load
        self._digest: bytes | None = None
        self.signature: StatSignature | None = None

    def read(self) -> FileContent:
        """Read the content now. The signature is taken first, so that a write in between is seen by the next check."""
        now = time.time_ns()
        self.signature = read_signature(self.path)
        content = self._load(self.path)
        if isinstance(content, UnreadableFile) and content.may_pass:
            self.signature = NEVER_READ
        self._digest = hash_content(content) if self._is_racy(now) else None
        return content

    def is_unchanged(self) -> bool:
        if self.signature is None:
            return _is_missing(self.path)
        return read_signature(self.path) == self.signature and (self._digest is None or self._has_same_content())

    def _has_same_content(self) -> bool:
        now = time.time_ns()
        if hash_content(self._load(self.path)) != self._digest:
            return False
        if not self._is_racy(now):
            self._digest = None
        return True

    def _is_racy(self, now: int) -> bool:
        # ctime, because no program can set it: a restored mtime does not hide a write.
        return self.signature is not None and self.signature[1] > now - CLOCK_TICK


def hash_content(content: FileContent) -> bytes:
    """Hash a content; missing and unreadable files have hashes of their own."""
    if content is None:
        return bytes(32)
    raw = content if isinstance(content, bytes) else f"unreadable: {content.why}".encode()
    return hashlib.sha256(raw).digest()


def merge_missing(watched: Iterable[WatchedFile]) -> tuple[WatchedFile, ...]:
    """Fewer files that tell the same: where a whole folder is missing, it is watched for all that are not in it."""
    merged: dict[str, WatchedFile] = {}
    for file in watched:
        folder = os.path.dirname(file.path)  # noqa: PTH120 - text paths throughout
        if file.signature is None and folder and _is_missing(folder):
            merged.setdefault(folder, WatchedFile(folder, list_names))
        else:
            merged[f"{file.path}\0"] = file
    return tuple(merged.values())


def are_unchanged(watched: Iterable[WatchedFile]) -> bool:
    """Whether all files are as they were read."""
    return all(map(WatchedFile.is_unchanged, watched))

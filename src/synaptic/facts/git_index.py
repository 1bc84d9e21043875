"""Git's index, read without git: which files it hides from `git status`, and whether one file is as it was staged.

Starting git costs milliseconds; one file needs the index and one look at the file. What is not plain here is left to
git: the answer is then that nothing is known.
"""

import hashlib
import os
import stat
from collections.abc import Generator, Iterator
from functools import partial

import msgspec

from synaptic.files.bounded import read_content

INDEX_LIMIT = 64 << 20
CONTENT_LIMIT = 32 << 20
HEADER, HASH = 12, 20
FIXED = 62
"""Bytes of an entry in front of its name."""
ASSUME_VALID, EXTENDED, NAME_MASK = 0x8000, 0x4000, 0x0FFF
SKIP_WORKTREE, INTENT_TO_ADD = 0x4000, 0x2000
UNREADABLE_PARTS = (b"link", b"sdir")
"""Extensions that say that entries are elsewhere: a split index, a sparse one."""
MODE_MASK = 0o170000


class IndexEntry(msgspec.Struct, frozen=True):
    """One file in the index."""

    name: bytes
    fixed: bytes
    """The part in front of the name, with what a look at the file must show if nobody has touched it."""

    @property
    def hash(self) -> bytes:
        return self.fixed[40:60]


def list_hidden_files(index: str, top: str) -> tuple[str, ...] | None:
    """Files with changes that `git status` is told not to see; None when the index cannot be read here."""
    content = read_content(index, INDEX_LIMIT)
    if content is None:
        return ()  # nothing was ever staged
    if not isinstance(content, bytes):
        return None
    try:
        hidden = [entry for entry in _iter_flagged(content) if _is_changed(entry, top)]
    except (ValueError, IndexError):
        return None
    return tuple(os.fsdecode(entry.name) for entry in hidden)


def is_unchanged(index: str, top: str, path: str) -> bool:
    """Whether a file is certainly what the index says; False also when it takes git to tell."""
    content = read_content(index, INDEX_LIMIT)
    if not isinstance(content, bytes) or content[:4] != b"DIRC" or content[4:8] not in (b"\0\0\0\2", b"\0\0\0\3"):
        return False
    entry = _find_entry(content, os.fsencode(path))
    if entry is None:
        return False
    try:
        now, saved = os.lstat(f"{top}/{path}"), os.stat(index)  # noqa: PTH116 - text paths throughout
    except OSError:
        return False
    # A file that was written in the same moment as the index may have changed afterwards with the same time.
    return now.st_mtime_ns < saved.st_mtime_ns and _describe(now) == entry.fixed[:40]


def _describe(now: os.stat_result) -> bytes:
    """A look at a file in the notation of the index."""
    times = (divmod(at, 10**9) for at in (now.st_ctime_ns, now.st_mtime_ns))
    mode = 0o120000 if stat.S_ISLNK(now.st_mode) else 0o100755 if now.st_mode & 0o100 else 0o100644
    numbers = (
        *(part for pair in times for part in pair),
        now.st_dev,
        now.st_ino,
        mode,
        now.st_uid,
        now.st_gid,
        now.st_size,
    )
    return b"".join((number & 0xFFFFFFFF).to_bytes(4, "big") for number in numbers)


def _find_entry(content: bytes, name: bytes) -> IndexEntry | None:
    """The entry of a name, when it is the only one, in no conflict and not marked."""
    mark = len(name).to_bytes(2, "big") + name + b"\0"
    found: list[IndexEntry] = []
    if len(name) >= NAME_MASK:
        return None
    # No name holds a NUL, so the length in front of this one cannot be a part of another name.
    at = content.find(mark, HEADER + FIXED - 2)
    while at >= 0 and len(found) < 2:
        found.append(IndexEntry(name, content[at - FIXED + 2 : at + 2]))
        at = content.find(mark, at + 1)
    return found[0] if len(found) == 1 else None


def _iter_flagged(content: bytes) -> Iterator[IndexEntry]:
    """The entries that are marked as unchanged or as not checked out. Raises ValueError for what is no plain index."""
    version, count = int.from_bytes(content[4:8], "big"), int.from_bytes(content[8:12], "big")
    if content[:4] != b"DIRC" or version not in (2, 3, 4):
        raise ValueError("no index")
    end = yield from (_iter_packed if version == 4 else _iter_padded)(content, count)
    while end < len(content) - HASH:
        if content[end : end + 4] in UNREADABLE_PARTS:
            raise ValueError("entries are elsewhere")
        end += 8 + int.from_bytes(content[end + 4 : end + 8], "big")


def _iter_padded(content: bytes, count: int) -> Generator[IndexEntry, None, int]:
    at = HEADER
    for _ in range(count):
        high = content[at + 60]
        if not high:  # a short name and no mark, as nearly all: this loop runs ten thousand times
            at += (content[at + 61] + FIXED + 8) & ~7
            continue
        start = FIXED + 2 if high & 0x40 else FIXED
        size = ((high << 8) | content[at + 61]) & NAME_MASK
        if size == NAME_MASK:
            size = content.index(0, at + start) - at - start
        if _is_marked(content, at, high):
            yield IndexEntry(content[at + start : at + start + size], content[at : at + FIXED])
        at += (start + size + 8) & ~7
    return at


def _iter_packed(content: bytes, count: int) -> Generator[IndexEntry, None, int]:
    """Version 4: each name is what it has more than the one before it."""
    at, name = HEADER, b""
    for _ in range(count):
        high = content[at + 60]
        place = at + (FIXED + 2 if high & 0x40 else FIXED)
        cut, place = _read_number(content, place)
        end = content.index(0, place)
        name = name[: len(name) - cut] + content[place:end]
        if high >= 0x40 and _is_marked(content, at, high):
            yield IndexEntry(name, content[at : at + FIXED])
        at = end + 1
    return at


def _read_number(content: bytes, at: int) -> tuple[int, int]:
    value = content[at] & 0x7F
    while content[at] & 0x80:
        at += 1
        value = ((value + 1) << 7) | (content[at] & 0x7F)
    return value, at + 1


def _is_marked(content: bytes, at: int, high: int) -> bool:
    extended = content[at + FIXED] << 8 if high & 0x40 else 0
    return bool(high & 0x80 or extended & SKIP_WORKTREE)


def _is_changed(entry: IndexEntry, top: str) -> bool:
    """Whether the file is there with another content than the index says."""
    path = os.path.join(os.fsencode(top), entry.name)  # noqa: PTH118
    try:
        now = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    if stat.S_ISLNK(now.st_mode):
        return _hash_content(os.fsencode(os.readlink(path))) != entry.hash  # noqa: PTH115
    content = read_content(os.fsdecode(path), CONTENT_LIMIT)
    return not isinstance(content, bytes) or _hash_content(content) != entry.hash


_sha1 = partial(hashlib.sha1, usedforsecurity=False)


def _hash_content(content: bytes) -> bytes:
    return _sha1(b"blob %d\0" % len(content) + content).digest()

"""What a hook was when somebody agreed to it, and what is different now.

The kept text is redacted, since it lies in the database for long. What is shown is the file itself, compared with that:
nothing can be hidden in a place that would be redacted.
"""

import difflib
import hashlib
import os
import zlib
from collections.abc import Iterator, Mapping
from typing import Literal

import msgspec

from synaptic.files.bounded import read_content
from synaptic.hooks.trust import TRUST_LIMIT, TrustItem
from synaptic.store.redact import redact_text

KEPT_BYTES = 256 << 10
"""Text of all files of one hook that is kept; of what is longer, only the hash."""
KEPT_LINES = 1000
"""Lines of a file that is compared line by line: more could take a hostile file's time."""
CONTEXT_LINES = 2
INVISIBLE = "only in its last line end, in bytes that are no text, or where a secret was left out"

FileState = Literal["new", "changed", "same", "gone"]


class AgreedFile(msgspec.Struct, frozen=True):
    """One file of a hook as it was; `text` is None where it was too long or no text."""

    sha256: str
    text: str | None = None


class AgreedHook(msgspec.Struct, frozen=True):
    """A hook as it was when somebody agreed to it. Paths are relative to the project."""

    runs: str
    at: float
    files: dict[str, AgreedFile] = {}


class FileChange(msgspec.Struct, frozen=True):
    """One file of a hook now: its lines when it is new, the different ones when it was changed."""

    path: str
    state: FileState
    lines: tuple[str, ...] = ()
    note: str = ""
    """What its lines do not say."""


def read_files(item: TrustItem) -> dict[str, bytes]:
    """The files of a hook that are still what its digest was made of: what is shown is what is agreed to."""
    found = {}
    for path, hashes in item.contents.items():
        content = read_content(path, TRUST_LIMIT)
        if isinstance(content, bytes) and hashlib.sha256(content).hexdigest() in hashes:
            found[path] = content
    return found


def encode_agreed(agreed: AgreedHook) -> bytes:
    return zlib.compress(msgspec.json.encode(agreed), 9)


def decode_agreed(kept: bytes) -> AgreedHook | None:
    """What was kept; None when nothing was, or nothing that can be read."""
    try:
        text = zlib.decompressobj().decompress(kept, 8 * KEPT_BYTES)
        return msgspec.json.decode(text, type=AgreedHook)
    except (zlib.error, ValueError):  # what cannot be read is compared with nothing
        return None


def describe_agreed(runs: str, at: float, files: Mapping[str, bytes], root: str) -> AgreedHook:
    """What is kept of an agreement: the text of the first files, as far as there is room for it."""
    room, kept = KEPT_BYTES, {}
    for path, content in files.items():
        text = _read_text(content) if len(content) <= room else None
        room -= len(content) if text is not None else 0
        safe = None if text is None else redact_text(text)
        kept[_shorten(path, root)] = AgreedFile(hashlib.sha256(content).hexdigest(), safe)
    return AgreedHook(redact_text(runs), at, kept)


def compare_files(old: AgreedHook | None, files: Mapping[str, bytes], root: str) -> Iterator[FileChange]:
    """What is different, file by file; without an older agreement everything is new."""
    before = dict(old.files) if old else {}
    for path, content in files.items():
        name = _shorten(path, root)
        yield _compare_file(name, before.pop(name, None), content)
    yield from (FileChange(name, "gone") for name in before)


def _compare_file(name: str, old: AgreedFile | None, content: bytes) -> FileChange:
    text = _read_text(content)
    if old and old.sha256 == hashlib.sha256(content).hexdigest():
        return FileChange(name, "same")
    if text is None:
        note = f"{len(content):,} bytes, more than {KEPT_LINES:,} lines or no text"
        return FileChange(name, "changed" if old else "new", _split(content.decode("utf-8", "replace")), note)
    if old is None:
        return FileChange(name, "new", _split(text))
    if old.text is None:
        return FileChange(name, "changed", _split(text), "its older text was not kept, so this is all of it")
    found = difflib.unified_diff(_split(old.text), _split(text), "before", "now", lineterm="", n=CONTEXT_LINES)
    lines = tuple(found)[2:]
    return FileChange(name, "changed", lines, "" if lines else INVISIBLE)


def _split(text: str) -> tuple[str, ...]:
    return tuple(text.split("\n")[:-1] if text.endswith("\n") else text.split("\n"))


def _read_text(content: bytes) -> str | None:
    """A file as text; None for what is no text, or is too long to be compared."""
    if b"\0" in content or content.count(b"\n") > KEPT_LINES:
        return None
    return content.decode("utf-8", "replace")


def _shorten(path: str, root: str) -> str:
    """A path for people and JSON, neither of which takes names of any bytes."""
    return os.fsencode(path.removeprefix(f"{root.rstrip('/')}/")).decode("utf-8", "backslashreplace")

"""What each file with policies was last known to hold: it counts where the file cannot be asked any more.

It says which calls a broken guard would have been asked about, and nothing more: a policy that is known from here only
fails. So whoever forges one of these files can refuse acts, and allow none.
"""

import hashlib
import os
from pathlib import Path

import msgspec

from synaptic.files.bounded import UnreadableFile, read_content
from synaptic.files.replace import replace_own
from synaptic.files.snapshot import iter_names
from synaptic.hooks.outside import MAX_POLICIES
from synaptic.model.outside import DescribedPolicy, Origin, PolicySource

KNOWN_LIMIT = 4 << 20
MAX_FILES = 1000
"""Above it, those of files that are not there any more are forgotten."""


class KnownFile(msgspec.Struct, frozen=True):
    """One file and the policies that it held when it was loaded last."""

    file: str
    policies: tuple[DescribedPolicy, ...]
    origin: Origin = "user"


class KnownPolicies:
    """The last description of every file, by its path, on the disk; in this process where it cannot be written."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._unwritten: dict[str, KnownFile] = {}

    def recall(self, source: PolicySource) -> tuple[DescribedPolicy, ...]:
        """What a file held; nothing where that was never known, or cannot be read."""
        path = self._locate(source)
        known = self._unwritten.get(path) or _read_known(path)
        return known.policies[:MAX_POLICIES] if known else ()

    def keep(self, source: PolicySource, policies: tuple[DescribedPolicy, ...]) -> str:
        """Remember what a file holds; returns why the next process will not know it, if so."""
        path, known = self._locate(source), KnownFile(source.file, tuple(map(_shorten, policies)), source.origin)
        try:
            self._write(path, msgspec.json.encode(known))
        except OSError as error:
            self._unwritten[path] = known
            why = error.strerror or str(error)
            return f"{path}: what {source.file} holds could not be written down ({why}): if it breaks, nobody knows it"
        self._unwritten.pop(path, None)
        return ""

    def list_files(self) -> tuple[KnownFile, ...]:
        """Every file that is known and still there."""
        found = (_read_known(f"{self._folder}/{name}") for name in iter_names(str(self._folder)))
        return tuple(one for one in found if one and os.path.lexists(one.file))

    def _locate(self, source: PolicySource) -> str:
        name = hashlib.sha256(os.fsencode(source.module or source.file)).hexdigest()
        return f"{self._folder}/{name}.json"

    def _write(self, path: str, content: bytes) -> None:
        if read_content(path, KNOWN_LIMIT) == content:
            return
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if len(names := os.listdir(self._folder)) >= MAX_FILES:  # noqa: PTH208 - names only
            self._forget_missing(names)
        replace_own(path, content, 0o600)

    def _forget_missing(self, names: list[str]) -> None:
        for name in names:
            known = _read_known(f"{self._folder}/{name}")
            if known is None or not os.path.lexists(known.file):
                (self._folder / name).unlink(missing_ok=True)


def _read_known(path: str) -> KnownFile | None:
    content = read_content(path, KNOWN_LIMIT)
    if content is None or isinstance(content, UnreadableFile):
        return None
    try:
        return msgspec.json.decode(content, type=KnownFile)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def _shorten(policy: DescribedPolicy) -> DescribedPolicy:
    """Without what only counts while it can be asked: its options are as they are set now, and so is what it needs."""
    return msgspec.structs.replace(policy, needs=(), own_facts=(), options=(), doc=policy.about)

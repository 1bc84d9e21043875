"""Ability pool of a repository: find the files that describe abilities, index them when they change, search them."""

import asyncio
import hashlib
import os
import time
from collections import OrderedDict
from threading import Lock

import msgspec

from synaptic.files.snapshot import TICK, Unreadable, Watched, names, read, signature
from synaptic.files.watch import Watch
from synaptic.hooks.document import load
from synaptic.model.ability import Indexed, Suggested
from synaptic.model.errors import DeclarationError, StoreError
from synaptic.policies.routing.abilities import Read, markdown, registry, skill, together
from synaptic.policies.routing.ranking import Wanted, indexed, ranked, wanted
from synaptic.store import abilities as pools
from synaptic.store.abilities import Pool
from synaptic.store.db import Store

REGISTRIES = (".system/registry", ".system/abilities", ".synaptic/abilities")
SKILLS = (".claude/skills", ".synaptic/skills")
MODULES = ("modules", "services", "apps", "packages")
"""Folders whose folders may have an ABILITY.md, as the repository itself and `.system` may."""
RULES = ".claude/skills/skill-rules.json"
FILE_LIMIT = 4 << 20
MOST = 20_000
KEPT = 16


class Files(msgspec.Struct, frozen=True):
    """The files of a pool, relative to the root: a few single ones, and many that each have a folder of their own."""

    few: tuple[str, ...] = ()
    many: tuple[str, ...] = ()


def files_of(root: str) -> Files:
    """Find the files that describe abilities, in order of precedence."""
    registries = [f"{folder}/{name}" for folder in REGISTRIES for name in _names(root, folder) if _is_registry(name)]
    skills = [f"{folder}/{name}/SKILL.md" for folder in SKILLS for name in _names(root, folder)]
    modules = [f"{folder}/{name}/ABILITY.md" for folder in MODULES for name in _names(root, folder)]
    # Two groups, because they are checked differently: a stat for each of the few, inotify for the many.
    return Files((*registries, "ABILITY.md", ".system/ABILITY.md", RULES), (*modules, *skills)[:MOST])


def read_pool(root: str, files: Files) -> Read:
    """Read every ability that the files describe. Never raises: unusable files are reported as problems."""
    return together([_read(root, path) for path in files.few + files.many])


class Known:
    """Index of one repository as last seen; checking it costs a few stats while nothing changes."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.pool: Pool | None = None
        self._watch = Watch()
        self._generation = -1
        self._observed = False
        self._folders: list[Watched] = []
        self._files = Files()
        self._few = ""
        self._many = ""
        self._lock = Lock()

    def fresh(self) -> bool:
        """Whether the index still matches the files."""
        if self.pool is None or not self._few or not all(folder.unchanged() for folder in self._folders):
            return False
        if _signature(self.root, self._files.few) != self._few:
            return False
        if self._observed:
            return self._watch.generation() == self._generation
        return bool(self._many) and _signature(self.root, self._files.many) == self._many

    def refresh(self, store: Store) -> None:
        """Index the files again if they changed; of two threads that ask at once, one does the work."""
        with self._lock:
            if not self.fresh():
                self._look(store)

    def _look(self, store: Store) -> None:
        """Find the files, and index them unless the store already has an index of the same signature."""
        self._folders = [Watched(f"{self.root}/{folder}", names) for folder in (*REGISTRIES, *MODULES, *SKILLS)]
        for folder in self._folders:
            folder.read()
        self._files = files_of(self.root)
        self._observed = self._observe()
        # Read before the signatures: what changes after this counts as a change next time.
        self._generation = self._watch.generation()
        self._few, self._many = (_signature(self.root, paths) for paths in (self._files.few, self._files.many))
        settled = f"{self._few}{self._many}" if self._few and self._many else ""
        known = pools.pool(store, self.root)
        if known is None or not settled or known.signature != settled:
            found = [indexed(ability) for ability in read_pool(self.root, self._files).abilities]
            known = pools.index(store, self.root, settled, found)
        self.pool = known

    def _observe(self) -> bool:
        """Watch the folders of the many files with inotify, where possible, instead of a stat for each."""
        folders = {f"{self.root}/{path.rpartition('/')[0]}" for path in self._files.many}
        there = [folder for folder in folders if os.path.isdir(folder)]  # noqa: PTH112
        return all(self._watch.add(folder) for folder in there)


_known: OrderedDict[tuple[str, str], Known] = OrderedDict()


async def pool_of(store: Store, root: str) -> Pool | None:
    """Open the index of a repository, brought up to date with its files. Raises StoreError."""
    if not root:
        return None
    key = (str(store.path), root)
    known = _known.setdefault(key, Known(root))
    _known.move_to_end(key)
    if len(_known) > KEPT:
        _known.popitem(last=False)
    if not known.fresh():
        # Reading thousands of files takes a third of a second: not in the event loop.
        await asyncio.to_thread(known.refresh, store)
    return known.pool


async def suggest(store: Store, root: str, text: str) -> tuple[Suggested, ...]:
    """Suggest abilities for a request, best first. Raises StoreError."""
    request = wanted(text)
    if not request.words or not root:
        return ()
    try:
        return await _ranked(store, root, request)
    except StoreError:
        _known.pop((str(store.path), root), None)  # another process has indexed it anew: its index is ours as well
        return await _ranked(store, root, request)


async def _ranked(store: Store, root: str, request: Wanted) -> tuple[Suggested, ...]:
    known = await pool_of(store, root)
    return ranked(request, pools.search(store, known, request.terms, request.near)) if known else ()


async def every(store: Store, root: str) -> tuple[Indexed, ...]:
    """Load all abilities of a repository. Raises StoreError."""
    known = await pool_of(store, root)
    return pools.every(store, known) if known else ()


def _read(root: str, path: str) -> Read:
    content = read(f"{root}/{path}", FILE_LIMIT)
    if content is None:
        return Read()
    if isinstance(content, Unreadable):
        return Read(problems=(f"{path}: {content.why}",))
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return Read(problems=(f"{path}: is not UTF-8 (byte {error.start})",))
    try:
        return _described(text, path)
    except DeclarationError as error:
        return Read(problems=(str(error),))


def _described(text: str, path: str) -> Read:
    if path.endswith("SKILL.md"):
        return skill(text, path, load)
    if path.endswith(".md"):
        return markdown(text, path, load)
    return registry(_json(text, path) if path.endswith(".json") else load(text.encode(), path), path)


def _json(text: str, path: str) -> object:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise DeclarationError(f"is no valid JSON: {error}", where=path) from None


def _signature(root: str, paths: tuple[str, ...]) -> str:
    """Compute a signature of all files' stats; empty right after a write, when the clock cannot tell writes apart."""
    digest = hashlib.sha256()
    newest = 0
    for path in paths:
        if found := signature(f"{root}/{path}"):
            digest.update(f"{path}\0{found}\n".encode("utf-8", "surrogateescape"))
            newest = max(newest, found[1])
    return "" if newest > time.time_ns() - TICK else digest.hexdigest()


def _names(root: str, folder: str) -> list[str]:
    content = names(f"{root}/{folder}")
    return [name for name in os.fsdecode(content).split("\n") if name] if isinstance(content, bytes) else []


def _is_registry(name: str) -> bool:
    return name.endswith((".yaml", ".yml", ".json")) and not name.startswith(".")

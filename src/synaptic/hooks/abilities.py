"""Ability pool of a repository: find the files that describe abilities, index them when they change, search them."""

import asyncio
import hashlib
import os
import time
from collections import OrderedDict
from threading import Lock

import msgspec

from synaptic.files.bounded import UnreadableFile, read_content
from synaptic.files.snapshot import CLOCK_TICK, WatchedFile, list_names, read_signature
from synaptic.files.watch import FolderWatch
from synaptic.hooks.document import load_yaml
from synaptic.model.ability import IndexedAbility, SuggestedAbility
from synaptic.model.errors import DeclarationError, StoreError
from synaptic.policies.routing.abilities import (
    ParsedAbilities,
    merge_abilities,
    parse_markdown,
    parse_registry,
    parse_skill,
)
from synaptic.policies.routing.ranking import AbilityRequest, index_ability, parse_request, rank_abilities
from synaptic.store import abilities as pools
from synaptic.store.abilities import AbilityPool
from synaptic.store.db import Store

REGISTRY_FOLDERS = (".system/registry", ".system/abilities", ".synaptic/abilities")
SKILL_FOLDERS = (".claude/skills", ".synaptic/skills")
MODULE_FOLDERS = ("modules", "services", "apps", "packages")
"""Folders whose folders may have an ABILITY.md, as the repository itself and `.system` may."""
SKILL_RULES_FILE = ".claude/skills/skill-rules.json"
ABILITY_FILE_LIMIT = 4 << 20
MAX_ABILITY_FILES = 20_000
MAX_KNOWN_POOLS = 16


class AbilityFiles(msgspec.Struct, frozen=True):
    """The files of a pool, relative to the root: a few single ones, and many that each have a folder of their own."""

    few: tuple[str, ...] = ()
    many: tuple[str, ...] = ()


def find_ability_files(root: str) -> AbilityFiles:
    """Find the files that describe abilities, in order of precedence."""
    registries = [
        f"{folder}/{name}" for folder in REGISTRY_FOLDERS for name in _list_names(root, folder) if _is_registry(name)
    ]
    skills = [f"{folder}/{name}/SKILL.md" for folder in SKILL_FOLDERS for name in _list_names(root, folder)]
    modules = [f"{folder}/{name}/ABILITY.md" for folder in MODULE_FOLDERS for name in _list_names(root, folder)]
    # Two groups, because they are checked differently: a stat for each of the few, inotify for the many.
    return AbilityFiles(
        (*registries, "ABILITY.md", ".system/ABILITY.md", SKILL_RULES_FILE), (*modules, *skills)[:MAX_ABILITY_FILES]
    )


def read_pool(root: str, files: AbilityFiles) -> ParsedAbilities:
    """Read every ability that the files describe. Never raises: unusable files are reported as problems."""
    return merge_abilities([_read_file(root, path) for path in files.few + files.many])


class KnownPool:
    """Index of one repository as last seen; checking it costs a few stats while nothing changes."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.pool: AbilityPool | None = None
        self._watch = FolderWatch()
        self._generation = -1
        self._observed = False
        self._folders: list[WatchedFile] = []
        self._files = AbilityFiles()
        self._few = ""
        self._many = ""
        self._lock = Lock()

    def is_fresh(self) -> bool:
        """Whether the index still matches the files."""
        if self.pool is None or not self._few or not all(folder.is_unchanged() for folder in self._folders):
            return False
        if _compute_signature(self.root, self._files.few) != self._few:
            return False
        if self._observed:
            return self._watch.read_generation() == self._generation
        return bool(self._many) and _compute_signature(self.root, self._files.many) == self._many

    def refresh(self, store: Store) -> None:
        """Index the files again if they changed; of two threads that ask at once, one does the work."""
        with self._lock:
            if not self.is_fresh():
                self._reindex(store)

    def _reindex(self, store: Store) -> None:
        """Find the files, and index them unless the store already has an index of the same signature."""
        self._folders = [
            WatchedFile(f"{self.root}/{folder}", list_names)
            for folder in (*REGISTRY_FOLDERS, *MODULE_FOLDERS, *SKILL_FOLDERS)
        ]
        for folder in self._folders:
            folder.read()
        self._files = find_ability_files(self.root)
        self._observed = self._watch_folders()
        # Read before the signatures: what changes after this counts as a change next time.
        self._generation = self._watch.read_generation()
        self._few, self._many = (_compute_signature(self.root, paths) for paths in (self._files.few, self._files.many))
        settled = f"{self._few}{self._many}" if self._few and self._many else ""
        known = pools.find_pool(store, self.root)
        if known is None or not settled or known.signature != settled:
            found = [index_ability(ability) for ability in read_pool(self.root, self._files).abilities]
            known = pools.index_abilities(store, self.root, settled, found)
        self.pool = known

    def _watch_folders(self) -> bool:
        """Watch the folders of the many files with inotify, where possible, instead of a stat for each."""
        folders = {f"{self.root}/{path.rpartition('/')[0]}" for path in self._files.many}
        there = [folder for folder in folders if os.path.isdir(folder)]  # noqa: PTH112
        return all(self._watch.add(folder) for folder in there)


_known_pools: OrderedDict[tuple[str, str], KnownPool] = OrderedDict()


async def open_pool(store: Store, root: str) -> AbilityPool | None:
    """Open the index of a repository, brought up to date with its files. Raises StoreError."""
    if not root:
        return None
    key = (str(store.path), root)
    known = _known_pools.setdefault(key, KnownPool(root))
    _known_pools.move_to_end(key)
    if len(_known_pools) > MAX_KNOWN_POOLS:
        _known_pools.popitem(last=False)
    if not known.is_fresh():
        # Reading thousands of files takes a third of a second: not in the event loop.
        await asyncio.to_thread(known.refresh, store)
    return known.pool


async def suggest_abilities(store: Store, root: str, text: str) -> tuple[SuggestedAbility, ...]:
    """Suggest abilities for a request, best first. Raises StoreError."""
    request = parse_request(text)
    if not request.words or not root:
        return ()
    try:
        return await _rank_abilities(store, root, request)
    except StoreError:
        _known_pools.pop(
            (str(store.path), root), None
        )  # another process has indexed it anew: its index is ours as well
        return await _rank_abilities(store, root, request)


async def _rank_abilities(store: Store, root: str, request: AbilityRequest) -> tuple[SuggestedAbility, ...]:
    known = await open_pool(store, root)
    return rank_abilities(request, pools.search_abilities(store, known, request.terms, request.near)) if known else ()


async def load_abilities(store: Store, root: str) -> tuple[IndexedAbility, ...]:
    """Load all abilities of a repository. Raises StoreError."""
    known = await open_pool(store, root)
    return pools.read_abilities(store, known) if known else ()


def _read_file(root: str, path: str) -> ParsedAbilities:
    content = read_content(f"{root}/{path}", ABILITY_FILE_LIMIT)
    if content is None:
        return ParsedAbilities()
    if isinstance(content, UnreadableFile):
        _require_lasting(path, content)
        return ParsedAbilities(problems=(f"{path}: {content.why}",))
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return ParsedAbilities(problems=(f"{path}: is not UTF-8 (byte {error.start})",))
    try:
        return _parse_abilities(text, path)
    except DeclarationError as error:
        return ParsedAbilities(problems=(str(error),))


def _parse_abilities(text: str, path: str) -> ParsedAbilities:
    if path.endswith("SKILL.md"):
        return parse_skill(text, path, load_yaml)
    if path.endswith(".md"):
        return parse_markdown(text, path, load_yaml)
    return parse_registry(_parse_json(text, path) if path.endswith(".json") else load_yaml(text.encode(), path), path)


def _parse_json(text: str, path: str) -> object:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise DeclarationError(f"is no valid JSON: {error}", where=path) from None


def _compute_signature(root: str, paths: tuple[str, ...]) -> str:
    """Compute a signature of all files' stats; empty right after a write, when the clock cannot tell writes apart."""
    digest = hashlib.sha256()
    newest = 0
    for path in paths:
        if found := read_signature(f"{root}/{path}"):
            digest.update(f"{path}\0{found}\n".encode("utf-8", "surrogateescape"))
            newest = max(newest, found[1])
    return "" if newest > time.time_ns() - CLOCK_TICK else digest.hexdigest()


def _list_names(root: str, folder: str) -> list[str]:
    content = list_names(f"{root}/{folder}")
    if isinstance(content, UnreadableFile):
        _require_lasting(folder, content)
    return [name for name in os.fsdecode(content).split("\n") if name] if isinstance(content, bytes) else []


def _require_lasting(path: str, file: UnreadableFile) -> None:
    """Index nothing where something may be readable the next moment. Raises StoreError, as for a busy store."""
    if file.may_pass:
        raise StoreError(f"{path}: {file.why}; it is tried again", hint="type: synaptic doctor")


def _is_registry(name: str) -> bool:
    return name.endswith((".yaml", ".yml", ".json")) and not name.startswith(".")

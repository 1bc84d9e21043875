"""What a command would delete of the project's work that git does not hold and that the session has not written.

Asked afresh for every call. A folder that git does not know, or that is ignored, costs no start of git.
"""

import asyncio
import os
from collections.abc import Iterator, Mapping
from itertools import islice

import msgspec

from synaptic.facts.ask_git import ask_git
from synaptic.facts.gather import USER_HOME, EngineMeans, Gatherer, read_call_command
from synaptic.facts.git_index import INDEX_LIMIT
from synaptic.facts.lost_files import MAX_LISTED, REMADE_NAMES, find_changes, is_plain_file_unchanged
from synaptic.facts.repositories import FOREIGN_REPOSITORY
from synaptic.facts.repository_place import RepositoryPlace, find_place
from synaptic.files.bounded import read_content
from synaptic.model.call import Call
from synaptic.model.errors import StoreError
from synaptic.model.event import PreToolUse
from synaptic.model.loss import UNTRACKED, LostFile, LostWork
from synaptic.pipeline.changed_files import list_changed_files
from synaptic.policies.files.deleted_work import Deletion, list_deletions
from synaptic.policies.reading import make_work_folders
from synaptic.policies.source_files import is_source
from synaptic.shell.paths import is_inside
from synaptic.shell.reading import UNKNOWN_PROJECT
from synaptic.store.changed_files import find_start, read_history

NOTHING = LostWork()
PACKED_INDEX = b"\0\0\0\4"
"""The version in which names are shortened, so that they cannot be searched for."""
MAX_ASKED = 200
IGNORE_LIMIT = 64 * 1024
MAX_WALKED = 5000
"""Files of deleted folders that are looked at one by one."""


def gather_deleted_work(call: Call, means: EngineMeans) -> object:
    """Of most commands nothing is deleted that git would have to be asked about."""
    known = read_call_command(call)
    if known is None or not isinstance(call.event, PreToolUse) or any(name in call.env for name in FOREIGN_REPOSITORY):
        return NOTHING
    cwd = call.event.cwd or call.root or UNKNOWN_PROJECT
    at = make_work_folders(call.root or cwd, call.env.get("HOME") or USER_HOME, cwd)
    deletions = [_straighten(one, cwd) for one in list_deletions(known, at) if os.path.lexists(one.start)]
    return _find_lost(deletions, call, means) if deletions else NOTHING


FACTS: Mapping[str, Gatherer] = {"deleted_work": gather_deleted_work}


def _straighten(deletion: Deletion, cwd: str) -> Deletion:
    """The same without links on the way to it. A link that is deleted stays one; the folder one stands in is none."""
    start = deletion.start
    if start == cwd:
        real = os.path.realpath(start)
    else:
        parent, _, name = start.rpartition("/")
        real = f"{os.path.realpath(parent or '/').rstrip('/')}/{name}"
    return msgspec.structs.replace(deletion, path=real + deletion.path.removeprefix(start))


async def _find_lost(deletions: list[Deletion], call: Call, means: EngineMeans) -> LostWork:
    try:
        place = next(filter(None, (find_place(_get_folder(one.start)) for one in deletions)), None)
        if place is None:
            return NOTHING
        below = [one for one in deletions if _is_below(one, place)]
        named = await _find_changed(place, [one for one in below if not one.is_wide], staged=False)
        # A file alone comes back from the index; who deletes a folder mostly begins anew, and stages that.
        wide = await _find_changed(place, [one for one in below if one.is_wide], staged=True)
        found = (*named, *wide, *await _find_loose(place, below, _find_start(call, means)))
    except (OSError, ValueError):
        return NOTHING  # broken, or changed under our hands
    if not found:
        return NOTHING
    written = await asyncio.to_thread(_list_written, place, call, means)
    kept = tuple({one.path: one for one in found if f"{place.top}/{one.path}" not in written}.values())
    return LostWork(files=kept[:MAX_LISTED], more=len(kept) > MAX_LISTED)


def _get_folder(path: str) -> str:
    return path if os.path.isdir(path) and not os.path.islink(path) else path.rpartition("/")[0] or "/"  # noqa: PTH112, PTH114


def _is_below(deletion: Deletion, place: RepositoryPlace) -> bool:
    """Whether it is in the working tree, and no repository of its own."""
    start = deletion.start
    return start == place.top or (is_inside(start, (place.top,)) and not os.path.lexists(f"{start}/.git"))


async def _find_changed(place: RepositoryPlace, deletions: list[Deletion], staged: bool) -> tuple[LostFile, ...]:
    """The tracked files that go, with changes that nothing else holds."""
    names = {one.start.removeprefix(place.top).strip("/") or "." for one in deletions}
    content = read_content(f"{place.folder}/index", INDEX_LIMIT) if names else b""
    held = content if isinstance(content, bytes) else b""
    names = {name for name in names if _may_hold(held, name)}
    asked = tuple(sorted(one for one in names if staged or not is_plain_file_unchanged(place, one)))
    changes = await find_changes(place, asked, staged) if asked else None
    files = changes.files if changes is not None else ()
    return tuple(one for one in files if any(each.takes(f"{place.top}/{one.path}") for each in deletions))


def _may_hold(index: bytes, name: str) -> bool:
    """Whether the index may know a file, or one in a folder."""
    if name == "." or index[4:8] == PACKED_INDEX:
        return True
    plain = os.fsencode(name)
    return plain + b"\0" in index or plain + b"/" in index


async def _find_loose(place: RepositoryPlace, deletions: list[Deletion], start: float) -> tuple[LostFile, ...]:
    """The source files that git does not track, in what is deleted with all it holds, from before the session."""
    wide = [one for one in deletions if one.is_wide]
    if not start or not wide:
        return ()
    old = [path for path in islice(_walk(wide, place), MAX_WALKED) if is_source(path) and _is_older(path, start)]
    names = [path.removeprefix(f"{place.top}/") for path in old if any(one.takes(path) for one in wide)][:MAX_ASKED]
    if not names:
        return ()
    printed = await ask_git(place.top, "ls-files", "--others", "--exclude-standard", "-z", "--", *names)
    loose = frozenset((printed or "").split("\0"))
    return tuple(LostFile(path=name, note=UNTRACKED) for name in names if name in loose)


def _walk(deletions: list[Deletion], place: RepositoryPlace) -> Iterator[str]:
    """The files below the folders that are deleted, but for what is made again."""
    ignored = _read_ignored(place)
    for one in deletions:
        if ignored.isdisjoint(one.start.removeprefix(place.top).split("/")):
            for folder, folders, files in os.walk(one.start):
                folders[:] = [name for name in folders if name not in REMADE_NAMES | ignored | {".git"}]
                yield from (f"{folder}/{name}" for name in files)


def _read_ignored(place: RepositoryPlace) -> frozenset[str]:
    """The names that the project plainly ignores."""
    content = read_content(f"{place.top}/.gitignore", IGNORE_LIMIT)
    lines = content.decode("utf-8", "replace").splitlines() if isinstance(content, bytes) else []
    return frozenset(line.strip().strip("/") for line in lines if line.strip().strip("/"))


def _is_older(path: str, start: float) -> bool:
    # A file that was moved, linked or changed has a later time than the one that it was made at.
    try:
        return os.lstat(path).st_ctime < start
    except OSError:
        return False


def _find_start(call: Call, means: EngineMeans) -> float:
    """When the session's first event came; 0 where that is not known."""
    try:
        return find_start(means.store, call.event.session_id) if call.event.session_id else 0.0
    except StoreError:
        return 0.0


def _list_written(place: RepositoryPlace, call: Call, means: EngineMeans) -> frozenset[str]:
    """The files of the working tree that the session has written, by its tools or by commands that name them."""
    if not call.event.session_id:
        return frozenset()
    try:
        history = read_history(means.store, call.event.session_id)
    except StoreError:
        return frozenset()
    found = list_changed_files(history.calls, place.top, call.env.get("HOME") or USER_HOME)
    return frozenset(f"{place.top}/{path}" for path in found)

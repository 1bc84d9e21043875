"""Links that lie in scratch folders, and through which a command deletes something elsewhere."""

import os
from collections.abc import Iterator, Mapping
from itertools import islice
from stat import S_ISLNK

from synaptic.files.long_paths import MAX_PATH_CHARS
from synaptic.policies.reading import runs_elsewhere
from synaptic.shell.paths import Standpoint, resolve_path
from synaptic.shell.places import PathArea, WorkFolders
from synaptic.shell.reading import CommandReading

MAX_PATHS = 32
"""Paths of one call that are looked at."""
MAX_PARTS = 8
"""Folders on the way to one of them."""


def find_scratch_links(known: CommandReading, at: WorkFolders) -> Mapping[str, str]:
    """Where each link on the way to what is deleted in scratch leads. One that cannot be looked at leads nowhere."""
    ways = {way for path in islice(_iter_deleted(known, at), MAX_PATHS) for way in _list_ways(path, at)}
    return {way: os.path.realpath(way) for way in sorted(ways) if _is_link(way)}


def _iter_deleted(known: CommandReading, at: WorkFolders) -> Iterator[str]:
    for effect in known.effects.deletes:
        text = effect.word.text
        if (text[:1] in "/~" or effect.cwd != at.cwd) and text and not runs_elsewhere(effect):
            path = resolve_path(text, Standpoint(effect.cwd or at.cwd, at.home))
            if path and len(path) <= MAX_PATH_CHARS and at.classify(path) is PathArea.SCRATCH:
                # Without a slash at its end a link itself is deleted.
                yield f"{path}/" if text[-1:] in ("/", ".") else path


def _list_ways(path: str, at: WorkFolders) -> Iterator[str]:
    """The folders on the way to a path, below the scratch folder it is in."""
    start = max(len(folder) for folder in at.scratch if path.startswith(f"{folder}/"))
    end = path.find("/", start + 1)
    for _ in range(MAX_PARTS):
        if end == -1:
            return
        yield path[:end]
        end = path.find("/", end + 1)


def _is_link(path: str) -> bool:
    try:
        return S_ISLNK(os.lstat(path).st_mode)
    except (OSError, ValueError):
        return False

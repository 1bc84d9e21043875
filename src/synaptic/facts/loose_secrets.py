"""Files with secrets that lie where a call of git would add everything, ignored or not."""

import os
from collections import deque
from collections.abc import Iterator, Mapping

from synaptic.facts.gather import USER_HOME, EngineMeans, Gatherer, read_call_command
from synaptic.facts.git_index import is_unchanged
from synaptic.facts.repository_place import RepositoryPlace, find_place
from synaptic.model.call import Call
from synaptic.policies.secrets.private import is_secret
from synaptic.policies.secrets.widened import ADDING_VERBS, list_widened_adds

LEFT_OUT = frozenset({".git", "node_modules", ".venv", "venv", "site-packages", "vendor", "third_party", "target"})
"""Folders of others' code, which brings keys for tests and certificates of authorities."""
MAX_LOOKED_AT = 3_000
"""Names in all folders together."""
MAX_DEPTH = 3
MAX_FOUND = 8


def gather_loose_secrets(call: Call, means: EngineMeans) -> tuple[str, ...]:
    """The first of them, nearest to the top first; looked for only when a command adds everything by force."""
    known = read_call_command(call)
    if known is None or known.git_verbs.isdisjoint(ADDING_VERBS):
        return ()
    home = call.env.get("HOME") or USER_HOME
    found: dict[str, None] = {}
    for folder in list_widened_adds(known, home, call.root):
        place = find_place(folder)
        for path in _iter_files(folder):
            if is_secret(path, home) and not _is_kept_already(path, place):
                found[path] = None
            if len(found) >= MAX_FOUND:
                break
    return tuple(found)


def _iter_files(folder: str) -> Iterator[str]:
    """Files below a folder, those nearest to it first; a folder that cannot be read has none."""
    waiting = deque([(folder, 0)])
    left = MAX_LOOKED_AT
    while waiting and left > 0:
        current, depth = waiting.popleft()
        try:
            with os.scandir(current) as entries:
                for entry in entries:
                    left -= 1
                    if left <= 0:
                        return
                    if entry.is_dir(follow_symlinks=False):
                        if entry.name not in LEFT_OUT and depth + 1 < MAX_DEPTH:
                            waiting.append((entry.path, depth + 1))
                    else:
                        yield entry.path
        except (OSError, ValueError):  # a name that no file system could have
            continue


def _is_kept_already(path: str, place: RepositoryPlace | None) -> bool:
    """Whether the repository has the file as it is: then to add it changes nothing."""
    top = place.top.rstrip("/") if place is not None else ""
    if place is None or not path.startswith(f"{top}/"):
        return False
    return is_unchanged(f"{place.folder}/index", top, path.removeprefix(f"{top}/"))


FACTS: Mapping[str, Gatherer] = {"loose_secrets": gather_loose_secrets}

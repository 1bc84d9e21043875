"""What a repository knows of its remotes: asked only where a forced push hangs on it."""

import re
from collections.abc import Iterator, Mapping
from itertools import islice

from synaptic.facts import git
from synaptic.facts.gather import EngineMeans, Gatherer, read_call_command
from synaptic.facts.repository_place import CONFIG_LIMIT, find_place
from synaptic.files.bounded import read_content
from synaptic.files.snapshot import iter_names
from synaptic.model.call import Call
from synaptic.model.project import KnownRemotes
from synaptic.policies.git.push import read_push

REMOTE_SECTION = re.compile(r'^\s*\[\s*remote\s+"((?:[^"\\]|\\.)*)"\s*\]', re.IGNORECASE | re.MULTILINE)
MAX_FOLDERS = 4
MAX_REFERENCES = 20_000
MAX_DEPTH = 8


def gather_tracking(call: Call, means: EngineMeans) -> Mapping[str, KnownRemotes]:
    """The remotes of each repository that is pushed from with force, by the folder of the push."""
    command = read_call_command(call)
    if command is None or "push" not in command.git_verbs:
        return {}
    pushes = (push for found in command.acting_git_calls if (push := read_push(found, "")))
    folders = dict.fromkeys(push.call.cwd for push in pushes if push.force_flags or push.plus_refspecs)
    return {
        folder: known
        for folder in islice(filter(None, folders), MAX_FOLDERS)
        if (known := _read_remotes(folder)) is not None
    }


FACTS: Mapping[str, Gatherer] = {"tracking": gather_tracking}


def _read_remotes(folder: str) -> KnownRemotes | None:
    try:
        place = find_place(folder)
        if place is None:
            return None
        content = read_content(f"{place.common}/config", CONFIG_LIMIT)
        settings = content.decode("utf-8", "replace") if isinstance(content, bytes) else ""
        names = tuple(islice(_iter_references(place.common), MAX_REFERENCES + 1))
    except (OSError, ValueError):
        return None
    if len(names) > MAX_REFERENCES:
        return None
    return KnownRemotes(
        remotes=frozenset(REMOTE_SECTION.findall(settings)),
        branches=frozenset(name.removeprefix("refs/remotes/") for name in names if name.startswith("refs/remotes/")),
        tags=frozenset(name.removeprefix("refs/tags/") for name in names if name.startswith("refs/tags/")),
    )


def _iter_references(common: str) -> Iterator[str]:
    packed = git.read_git_file(f"{common}/packed-refs", git.PACKED_LIMIT)
    yield from (line.partition(" ")[2] for line in packed.splitlines() if line[:1] not in ("#", "^"))
    for kind in ("refs/remotes", "refs/tags"):
        yield from _iter_loose(common, kind, MAX_DEPTH)


def _iter_loose(common: str, name: str, depth: int) -> Iterator[str]:
    """The references in a folder; what has no names in it is one."""
    inner = list(iter_names(f"{common}/{name}")) if depth else []
    if not inner:
        yield name
    for each in inner:
        yield from _iter_loose(common, f"{name}/{each}", depth - 1)

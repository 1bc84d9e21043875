"""Which files of this machine a container sees, and under which names."""

import re
from collections.abc import Iterator

import msgspec

from synaptic.policies.reading import CONTAINER_PROGRAMS, select_commands
from synaptic.shell.paths import is_inside
from synaptic.shell.read.script import Script

VOLUME = re.compile(r"(?:-v|--volume=)?([~/.$][^:]*):(/[^:]*)(?::([\w,]*))?")
READ_ONLY = frozenset({"readonly", "ro"})
MAX_MOUNT_WORD = 1000
MAX_MOUNTS = 64
"""Characters of a word, and mounts of one script, that are looked at."""


class Mount(msgspec.Struct, frozen=True):
    """A folder or file of this machine, and its name in a container."""

    source: str
    target: str
    writable: bool = True


def find_mounts(found: Script) -> tuple[Mount, ...]:
    """What the containers of a script are given: `-v SOURCE:TARGET`, `--mount source=...,target=...`."""
    # Cheap question first: most scripts run no container, and several policies ask.
    if CONTAINER_PROGRAMS.isdisjoint(found.by_name):
        return ()
    texts = (
        text
        for outer in select_commands(found, CONTAINER_PROGRAMS)
        for text in outer.args
        if len(text) <= MAX_MOUNT_WORD
    )
    return tuple(mount for text in texts for mount in _parse_mount(text))[:MAX_MOUNTS]


def _parse_mount(text: str) -> Iterator[Mount]:
    if volume := VOLUME.fullmatch(text):
        yield Mount(volume[1], volume[2], READ_ONLY.isdisjoint((volume[3] or "").split(",")))
        return
    if "target=" not in text and "dst=" not in text and "destination=" not in text:
        return
    pairs = dict(part.partition("=")[::2] for part in text.removeprefix("--mount=").split(","))
    source = pairs.get("source") or pairs.get("src")
    target = pairs.get("target") or pairs.get("dst") or pairs.get("destination")
    if source and target:
        yield Mount(source, target, READ_ONLY.isdisjoint(pairs))


def find_host_paths(path: str, mounted: tuple[Mount, ...], writes: bool = False) -> Iterator[str]:
    """The paths on this machine of a path in a container; only where it may write, if it does."""
    for mount in mounted:
        if (mount.writable or not writes) and is_inside(path, (mount.target,)):
            yield mount.source.rstrip("/") + path[len(mount.target.rstrip("/")) :] or "/"

"""Which files of this machine a container sees, and under which names."""

import re
from collections.abc import Iterator

import msgspec

from synaptic.parse.shell.script import Script
from synaptic.policies.reading import CONTAINERS, named

VOLUME = re.compile(r"(?:-v|--volume=)?([~/.$][^:]*):(/[^:]*)(?::[\w,]*)?")
LONGEST = 1000


class Mount(msgspec.Struct, frozen=True):
    """A folder or file of this machine, and its name in a container."""

    source: str
    target: str


def mounts(found: Script) -> tuple[Mount, ...]:
    """What the containers of a script are given: `-v SOURCE:TARGET`, `--mount source=...,target=...`."""
    texts = (text for outer in named(found, CONTAINERS) for text in outer.args if len(text) <= LONGEST)
    return tuple(mount for text in texts for mount in _mount(text))


def _mount(text: str) -> Iterator[Mount]:
    if volume := VOLUME.fullmatch(text):
        yield Mount(volume[1], volume[2].rstrip("/"))
        return
    if "target=" not in text and "dst=" not in text and "destination=" not in text:
        return
    pairs = dict(part.partition("=")[::2] for part in text.removeprefix("--mount=").split(","))
    source = pairs.get("source") or pairs.get("src")
    target = pairs.get("target") or pairs.get("dst") or pairs.get("destination")
    if source and target:
        yield Mount(source, target.rstrip("/"))


def outside(path: str, mounted: tuple[Mount, ...]) -> str:
    """The path on this machine of a path in a container; empty when nothing of this machine is there."""
    for mount in mounted:
        if path.rstrip("/") == mount.target or path.startswith(f"{mount.target}/"):
            return mount.source + path[len(mount.target) :]
    return ""

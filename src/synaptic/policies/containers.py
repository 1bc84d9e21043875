"""What a path in a container is on this machine."""

from posixpath import normpath

from synaptic.parse.shell.script import Command, Script
from synaptic.policies.reading import CONTAINERS
from synaptic.policies.secrets.mounts import Mount, mounts, outside

MOST = 64
"""Mounts of one script that are looked at."""


def given_to_containers(found: Script) -> tuple[Mount, ...]:
    """What of this machine the containers of a script see."""
    return mounts(found)[:MOST] if not CONTAINERS.isdisjoint(found.by_name) else ()


def mounted_path(path: str, command: Command, mounted: tuple[Mount, ...]) -> str:
    """The path here of one in the container that a command runs in; empty where nothing of this machine is there."""
    if path[:1] != "/" or not any(label.partition(" ")[0] in CONTAINERS for label in command.via):
        return ""
    here = outside(path, mounted) if mounted else ""
    return normpath(f"/{here.lstrip('/')}") if here[:1] == "/" else ""

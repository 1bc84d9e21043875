"""What the guards ask of an event: its command as read once, and the folders that matter."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

import msgspec

from synaptic.model.event import PreToolUse
from synaptic.model.facts import Facts
from synaptic.parse.flow import plain
from synaptic.parse.paths import Standpoint, resolve
from synaptic.parse.places import SYSTEM, Places
from synaptic.parse.shell.once import KEPT, read_once
from synaptic.parse.shell.script import Command, Script
from synaptic.parse.targets import Target, targets

NOWHERE = "/nowhere/project"
"""Stands for the folder when nobody says where the agent is."""
SCRATCH = ("/tmp", "/var/tmp", "/var/folders", "/dev/shm", "~/.cache")
CONTAINERS = frozenset({"docker", "podman", "nerdctl", "docker-compose", "kubectl", "oc", "k3s"})
ELSEWHERE = CONTAINERS | {"ssh", "autossh"}
MOUNTED = re.compile(r"(?:-v|--volume=)?(?:/[\w.-]*|/home/[\w.-]+|~):/")
"""A volume that holds the whole machine or a whole home."""
SHELLS = ("Bash", "PowerShell")


class Reading(msgspec.Struct, frozen=True):
    """A command as every guard needs it."""

    script: Script
    programs: frozenset[str]
    """What runs, in lower case: some file systems ignore it."""
    targets: tuple[Target, ...]
    """The files that are written."""


def reading(event: PreToolUse, facts: Facts) -> Reading | None:
    """The command of a shell call, understood once for all guards; None for every other tool."""
    text = event.tool.command
    return _reading(text, event.cwd or facts.root, facts.home) if text else None


def script(event: PreToolUse, facts: Facts, programs: frozenset[str] | None = None) -> Script | None:
    """The script of a shell call; None when it runs none of these programs."""
    found = reading(event, facts)
    if found is None or (programs is not None and programs.isdisjoint(found.programs)):
        return None
    return found.script


@lru_cache(maxsize=KEPT)
def _reading(text: str, cwd: str, home: str) -> Reading:
    found = read_once(text, cwd, home)
    programs = frozenset(plain(command.name) for command in found.commands)
    return Reading(found, programs, tuple(targets(found, Standpoint(cwd or NOWHERE, home))))


def named(found: Script, names: Iterable[str]) -> Iterator[Command]:
    """The commands that run one of these programs; some file systems ignore case, so it is ignored."""
    return (command for command in found.commands if command.name in names or command.name.lower() in names)


def elsewhere(command: Command) -> bool:
    """Whether it runs on another machine or in a container, where the paths of this one say nothing."""
    return any(label.partition(" ")[0] in ELSEWHERE for label in command.via)


def boxed(command: Command, found: Script) -> bool:
    """Whether it runs in a container that cannot reach the files of this machine."""
    if not any(label.partition(" ")[0] in CONTAINERS for label in command.via):
        return False
    return not any(MOUNTED.match(text) for outer in named(found, CONTAINERS) for text in outer.args)


def places(event: PreToolUse, facts: Facts, scratch: tuple[str, ...] = SCRATCH) -> Places:
    """The folders that matter to this event."""
    cwd = event.cwd or facts.root or NOWHERE
    return _places(facts.root or cwd, facts.home, cwd, facts.extra_roots, scratch)


@lru_cache(maxsize=64)
def _places(root: str, home: str, cwd: str, more: tuple[str, ...], scratch: tuple[str, ...]) -> Places:
    at = Standpoint(cwd, home)
    folders = tuple(path for name in scratch if (path := resolve(name, at)))
    # A machine or one of its trees is nobody's project, wherever the agent was started.
    project = "" if root == "/" or root.lower() in SYSTEM else root
    return Places(project, home, cwd, more, folders)

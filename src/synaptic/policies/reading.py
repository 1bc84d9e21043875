"""What the guards ask of an event: its command as read once, and the folders that matter."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain
from operator import attrgetter

import msgspec

from synaptic.model.event import PreToolUse
from synaptic.model.facts import Facts
from synaptic.parse.flow import plain
from synaptic.parse.paths import LONGEST, Standpoint, resolve
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
FOLDED = str.maketrans({"\u0130": "i", "\u0131": "i", "\u017f": "s", "\u212a": "k"})
"""Letters that a pattern without case takes for plain ones, and `lower` does not."""


class Reading(msgspec.Struct, frozen=True):
    """A command as every guard needs it."""

    script: Script
    programs: frozenset[str]
    """What runs, in lower case: some file systems ignore it."""
    targets: tuple[Target, ...]
    """The files that are written."""
    words: str
    """Every argument and every file that is named, each once, in lower case."""
    folders: str
    """Every folder that a relative path may start from."""

    def hinted(self, hints: Iterable[str], among: str = "") -> tuple[str, ...]:
        """Those of these texts that a word or a folder holds. Where there is none, no path can hold one either."""
        if among:
            return tuple(hint for hint in hints if hint in among)
        words, folders = self.words, self.folders
        return tuple(hint for hint in hints if hint in words or hint in folders)


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
    programs = frozenset(map(plain, found.by_name))
    files = tuple(targets(found, Standpoint(cwd or NOWHERE, home)))
    folders = {cwd or NOWHERE, home, *(command.cwd for command in found.commands)}
    folders.update(redirect.cwd for redirect in found.redirects)
    return Reading(found, programs, files, _lower(_words(found)), _lower(folders))


def _words(found: Script) -> set[str]:
    texts = {word.text for command in found.commands for word in command.argv[1:]}
    texts.update(path for command in found.commands for path in command.paths)
    texts.update(redirect.target.text for redirect in found.redirects)
    texts.discard("/dev/null")  # in most scripts, and no danger to anybody
    return {text for text in texts if len(text) <= 2 * LONGEST}  # no option is so long that the rest of it is a path


def _lower(texts: Iterable[str]) -> str:
    joined = "\n".join(texts)
    return joined.lower() if joined.isascii() else joined.translate(FOLDED).lower()


@lru_cache(maxsize=256)
def any_of(hints: tuple[str, ...]) -> re.Pattern[str]:
    """A pattern for texts that hold one of these, whatever the case."""
    return re.compile("|".join(map(re.escape, hints)), re.IGNORECASE)


def named(found: Script, names: Iterable[str]) -> Iterator[Command]:
    """The commands that run one of these programs; some file systems ignore case, so it is ignored."""
    hits = [commands for name, commands in found.by_name.items() if name in names or name.lower() in names]
    return iter(hits[0] if len(hits) == 1 else sorted(chain(*hits), key=attrgetter("index")))


def elsewhere(command: Command) -> bool:
    """Whether it runs on another machine or in a container, where the paths of this one say nothing."""
    return bool(command.via) and any(label.partition(" ")[0] in ELSEWHERE for label in command.via)


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

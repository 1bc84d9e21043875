"""What the guards ask of an event: its command as read once, and the folders that matter."""

import re
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from itertools import chain
from operator import attrgetter

import msgspec

from synaptic.model.event import PreToolUse
from synaptic.policies.facts import Facts
from synaptic.shell.effects.flow import VERSIONED, plain
from synaptic.shell.effects.targets import Target, targets
from synaptic.shell.paths import LONGEST, Standpoint, inside, resolve, settled
from synaptic.shell.places import SYSTEM, Places
from synaptic.shell.programs.remote import REMOTES
from synaptic.shell.read.once import KEPT, read_once
from synaptic.shell.read.script import Command, Redirect, Script

NOWHERE = "/nowhere/project"
"""Stands for the folder when nobody says where the agent is."""
SCRATCH = (
    "/tmp", "/var/tmp", "/var/folders", "/dev/shm", "~/.cache", "~/.gradle/caches", "~/.npm/_cacache",
    "~/Library/Caches", "~/Library/Developer/Xcode/DerivedData",
)  # fmt: skip
CONTAINERS = frozenset({"docker", "podman", "nerdctl", "docker-compose", "kubectl", "oc", "k3s", "lxc", "incus"})
ELSEWHERE = CONTAINERS | {"ssh", "autossh", *REMOTES}
MOUNTED = re.compile(
    r"(?:-v|--volume=)?(?:/[\w.-]*|/home/[\w.-]+|~):/"
    r"|(?:--mount=)?(?:(?!source=|src=)[^,\s]++,)*+(?:source|src)=(?:/[\w.-]*|/home/[\w.-]+|~)(?:,|$)"
)
"""A volume that holds the whole machine or a whole home."""
SHELLS = ("Bash", "PowerShell")
TOO_LONG = 2 * LONGEST
"""Characters of a word; no option is so long that the rest of a longer word is a path."""
FOLDED = (("\u0130", "i"), ("\u0131", "i"), ("\u017f", "s"), ("\u212a", "k"))
"""Letters that a pattern without case takes for plain ones, and `lower` does not."""
NOTHING = r"(?!)"
"""A pattern that is found nowhere."""
OUTWARD = ("\n/", "\n~", "=/", "=~", "..", "$home", "${home", "$pwd", "${pwd", "file:")
ATTACHED = re.compile(r"\n-[^\n]*[/~]")
"""What words, in lower case and each on its line, hold that may lead out of the folder they are seen from."""


class Reading(msgspec.Struct, frozen=True, dict=True):
    """A command as every guard needs it."""

    script: Script
    at: Standpoint
    programs: frozenset[str]
    """What runs, in lower case: some file systems ignore it."""
    words: str
    """Every argument and every file that is named, each once, in lower case, but for those too long for a path."""
    shortened: bool
    """Whether a word was too long."""
    starts: frozenset[str]
    """The folders that its commands and redirections are in."""

    @cached_property
    def folders(self) -> str:
        """Every folder that a relative path may start from, in lower case."""
        return _lower({self.at.cwd, self.at.home, *self.starts})

    @cached_property
    def targets(self) -> tuple[Target, ...]:
        """The files that are written."""
        return tuple(targets(self.script, self.at))

    @cached_property
    def patterns(self) -> tuple[Target, ...]:
        """Those of them that are named by a pattern."""
        return tuple(targets(self.script, self.at, patterns=True))

    @cached_property
    def leads_out(self) -> bool:
        """Whether a word may lead out of the folder it is seen from."""
        lines = f"\n{self.words}"
        return any(sign in lines for sign in OUTWARD) or ATTACHED.search(lines) is not None

    def starts_in(self, folder: str) -> bool:
        """Whether every relative path starts in this folder."""
        starts = (start or self.at.cwd for start in self.starts)
        return all(settled(start) and inside(start, (folder,)) for start in starts)

    def stays_in(self, folder: str) -> bool:
        """Whether no word leads out of this folder, so that no file that is written can be elsewhere."""
        return not self.leads_out and self.starts_in(folder)

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
    starts = {command.cwd for command in found.commands}
    starts.update(redirect.cwd for redirect in found.redirects)
    texts = _texts(found)
    shortened = max(map(len, texts), default=0) > TOO_LONG
    words = _lower(text for text in texts if len(text) <= TOO_LONG) if shortened else _lower(texts)
    return Reading(found, Standpoint(cwd or NOWHERE, home), _programs(found), words, shortened, frozenset(starts))


def _programs(found: Script) -> frozenset[str]:
    """The names in lower case and without versions. One look at all of them shows whether there is a version at all."""
    low = frozenset(map(str.lower, found.by_name))
    return frozenset(map(plain, low)) if VERSIONED.search("\n".join(low)) else low


def _texts(found: Script) -> set[str]:
    texts = {word.text for command in found.commands for word in command.argv[1:]}
    texts.update(path for command in found.commands if command.paths for path in command.paths)
    texts.update(redirect.target.text for redirect in found.redirects)
    texts.discard("/dev/null")  # in most scripts, and no danger to anybody
    return texts


def _lower(texts: Iterable[str]) -> str:
    joined = "\n".join(texts)
    if not joined.isascii():
        for letter, plain_letter in FOLDED:
            joined = joined.replace(letter, plain_letter)
    return joined.lower()


@lru_cache(maxsize=256)
def any_of(hints: tuple[str, ...]) -> re.Pattern[str]:
    """A pattern for texts that hold one of these, whatever the case."""
    return re.compile("|".join(map(re.escape, hints)) or NOTHING, re.IGNORECASE)


def named(found: Script, names: Iterable[str]) -> Iterator[Command]:
    """The commands that run one of these programs; some file systems ignore case, so it is ignored."""
    hits = [commands for name, commands in found.by_name.items() if name in names or name.lower() in names]
    return iter(hits[0] if len(hits) == 1 else sorted(chain(*hits), key=attrgetter("index")))


def elsewhere(command: Command | Redirect | Target) -> bool:
    """Whether it runs on another machine or in a container, where the paths of this one say nothing."""
    return bool(command.via) and any(label.partition(" ")[0] in ELSEWHERE for label in command.via)


def contained(command: Command) -> bool:
    """Whether it runs in a container."""
    return bool(command.via) and any(label.partition(" ")[0] in CONTAINERS for label in command.via)


def boxed(command: Command, found: Script) -> bool:
    """Whether it runs in a container that cannot reach the files of this machine."""
    if not contained(command):
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

"""What guards ask about a tool call: its parsed command, where it runs, and which folders matter."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain, dropwhile
from operator import attrgetter

from synaptic.model.event import PreToolUse
from synaptic.policies.facts import Facts
from synaptic.shell.book.entries import names_with
from synaptic.shell.effects.effects import Effect
from synaptic.shell.effects.flow import interpreter
from synaptic.shell.effects.targets import Target
from synaptic.shell.paths import Standpoint, resolve
from synaptic.shell.places import SYSTEM, Places
from synaptic.shell.read.script import Command, Redirect, Script
from synaptic.shell.reading import NOWHERE, CommandReading

SCRATCH = (
    "/tmp", "/var/tmp", "/var/folders", "/dev/shm", "~/.cache", "~/.gradle/caches", "~/.npm/_cacache",
    "~/Library/Caches", "~/Library/Developer/Xcode/DerivedData",
)  # fmt: skip
CONTAINERS = names_with("container")
ELSEWHERE = CONTAINERS | names_with("remote")
MOUNTED = re.compile(
    r"(?:-v|--volume=)?(?:/[\w.-]*|/home/[\w.-]+|~):/"
    r"|(?:--mount=)?(?:(?!source=|src=)[^,\s]++,)*+(?:source|src)=(?:/[\w.-]*|/home/[\w.-]+|~)(?:,|$)"
)
"""A volume that holds the whole machine or a whole home."""
SHELLS = ("Bash", "PowerShell")
ENGINE_PROGRAMS = frozenset({"synaptic", "synaptic-hooks"})
ENGINE_MODULES = frozenset({"synaptic", "synaptic.cli", "synaptic.cli.main"})
NOTHING = r"(?!)"
"""A pattern that is found nowhere."""


def reading(event: PreToolUse, facts: Facts) -> CommandReading | None:
    """The command of a shell call, parsed once for all guards; None for every other tool."""
    return facts.command


def script(event: PreToolUse, facts: Facts, programs: frozenset[str] | None = None) -> Script | None:
    """The script of a shell call; None when it runs none of these programs."""
    found = reading(event, facts)
    if found is None or (programs is not None and programs.isdisjoint(found.programs)):
        return None
    return found.script


@lru_cache(maxsize=256)
def any_of(hints: tuple[str, ...]) -> re.Pattern[str]:
    """A pattern for texts that hold one of these, whatever the case."""
    return re.compile("|".join(map(re.escape, hints)) or NOTHING, re.IGNORECASE)


def named(found: Script, names: Iterable[str]) -> Iterator[Command]:
    """The commands that run one of these programs; some file systems ignore case, so it is ignored."""
    hits = [commands for name, commands in found.by_name.items() if name in names or name.lower() in names]
    # Policies rely on the order of the script. A single list is sorted already.
    return iter(hits[0] if len(hits) == 1 else sorted(chain(*hits), key=attrgetter("index")))


def names_engine(known: CommandReading) -> bool:
    """Whether the engine is called, or named in a word that may be too long to be looked at here."""
    called = not ENGINE_PROGRAMS.isdisjoint(known.programs)
    # Words that are too long are not searched, so they count as a mention: better one look more than a hole.
    return called or known.shortened or "synaptic" in known.words


def engine_arguments(command: Command) -> list[str] | None:
    """What is said to the engine, without its global options; None when another program runs."""
    args = list(command.args)
    if command.name in ENGINE_PROGRAMS:
        return list(dropwhile(lambda text: text[:1] == "-", args))
    if not interpreter(command.name):
        return None
    # `python -m synaptic ...` and `python /path/synaptic ...` are the engine, too.
    if "-m" in args:
        start = args.index("-m") + 1
        return args[start + 1 :] if args[start : start + 1] and args[start] in ENGINE_MODULES else None
    script, *rest = [*dropwhile(lambda text: text[:1] == "-", args), ""]
    return rest[:-1] if script.rpartition("/")[2] in ENGINE_PROGRAMS else None


def elsewhere(command: Command | Redirect | Target | Effect) -> bool:
    """Whether it runs on another machine or in a container, where the paths of this one say nothing."""
    return bool(command.via) and any(label.partition(" ")[0] in ELSEWHERE for label in command.via)


def contained(command: Command) -> bool:
    """Whether it runs in a container."""
    return bool(command.via) and any(label.partition(" ")[0] in CONTAINERS for label in command.via)


def boxed(command: Command, found: Script) -> bool:
    """Whether it runs in a container that cannot reach the files of this machine."""
    if not contained(command):
        return False
    # Any container of the script counts: a volume of one cannot be tied to the command of another by text alone.
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

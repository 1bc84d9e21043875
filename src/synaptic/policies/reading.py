"""What guards ask about a tool call: its parsed command, where it runs, and which folders matter."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain, dropwhile
from operator import attrgetter

from synaptic.model.decision import Verdict, deny, rewrite
from synaptic.model.event import PreToolUse
from synaptic.policies.facts import Facts
from synaptic.shell.book.entries import list_names_with
from synaptic.shell.effects.effects import Effect
from synaptic.shell.effects.flow import classify_interpreter
from synaptic.shell.effects.losses import PathLoss
from synaptic.shell.effects.targets import WriteTarget
from synaptic.shell.names import split_names
from synaptic.shell.paths import Standpoint, is_inside, resolve_path
from synaptic.shell.places import SYSTEM_TREES, WorkFolders
from synaptic.shell.read.script import Command, Redirect, Script
from synaptic.shell.reading import UNKNOWN_PROJECT, CommandReading

SCRATCH_FOLDERS = (
    "/tmp", "/var/tmp", "/var/folders", "/dev/shm", "~/.cache", "~/.gradle/caches", "~/.npm/_cacache",
    "~/Library/Caches", "~/Library/Developer/Xcode/DerivedData", "/mnt/session/outputs", "/mnt/user-data/outputs",
)  # fmt: skip
"""Folders whose contents are nobody's loss; the last two are given to one session of an agent for its results."""
CONTAINER_PROGRAMS = list_names_with("container")
REMOTE_PROGRAMS = list_names_with("remote")
ELSEWHERE_PROGRAMS = CONTAINER_PROGRAMS | REMOTE_PROGRAMS
OTHER_FILES_PROGRAMS = ELSEWHERE_PROGRAMS | split_names(
    "chroot arch-chroot nsenter wsl bwrap proot systemd-nspawn distrobox toolbox"
)
"""Programs below which a path may be another file than here."""
WHOLE_VOLUME = re.compile(
    r"(?:-v|--volume=)?(?:/[\w.-]*|/home/[\w.-]+|~):/"
    r"|(?:--mount=)?(?:(?!source=|src=)[^,\s]++,)*+(?:source|src)=(?:/[\w.-]*|/home/[\w.-]+|~)(?:,|$)"
)
"""A volume that holds the whole machine or a whole home."""
SHELL_TOOLS = ("Bash", "PowerShell")
ENGINE_PROGRAMS = frozenset({"synaptic", "syn", "synaptic-hooks"})
ENGINE_NAME = re.compile(r"syn(?:aptic|(?<![\w.-]syn)(?![\w.-]))")
"""The engine's name in a text: the short one only as a whole word, since `rsync` and `syntax` hold it too. What stands
before it is looked at behind it: a pattern that begins with plain text is found twenty times as fast."""
ENGINE_MODULE = "synaptic"
RUN_MODULE = re.compile(r"-[A-Za-z]*m(.*)", re.DOTALL)
"""An option of Python's by which it runs a module: `-m`, among others (`-Im`), with or without a space."""
PYTHON_VALUE_OPTIONS = frozenset({"-X", "-W"})
NEVER_MATCHES = r"(?!)"
"""A pattern that is found nowhere."""


def get_script(event: PreToolUse, facts: Facts, programs: frozenset[str] | None = None) -> Script | None:
    """The script of a shell call; None when it runs none of these programs."""
    found = facts.command
    if found is None or (programs is not None and programs.isdisjoint(found.programs)):
        return None
    return found.script


@lru_cache(maxsize=256)
def compile_hints(hints: tuple[str, ...]) -> re.Pattern[str]:
    """A pattern for texts that hold one of these, whatever the case."""
    return re.compile("|".join(map(re.escape, hints)) or NEVER_MATCHES, re.IGNORECASE)


def select_commands(found: Script, names: Iterable[str]) -> Iterator[Command]:
    """The commands that run one of these programs; some file systems ignore case, so it is ignored."""
    hits = [commands for name, commands in found.by_name.items() if name in names]
    hits += [found.by_name[name] for name in found.capitalized if name not in names and name.lower() in names]
    if len(hits) < 2:
        return iter(hits[0] if hits else ())
    # Policies rely on the order of the script. A single list is sorted already.
    return iter(sorted(chain(*hits), key=attrgetter("index")))


def mentions_engine(known: CommandReading) -> bool:
    """Whether the engine is called, or named in a word that may be too long to be looked at here."""
    called = not ENGINE_PROGRAMS.isdisjoint(known.programs)
    # Words that are too long are not searched, so they count as a mention: better one look more than a hole.
    return called or known.has_long_words or names_engine(known.words)


def names_engine(text: str) -> bool:
    """Whether a text holds one of the engine's names."""
    return ENGINE_NAME.search(text.lower()) is not None


def rewrite_command(event: PreToolUse, command: str, reason: str) -> Verdict:
    """Another command in place of this one; refused with it in the reason where the call cannot say it exactly."""
    new = event.tool.replace_command(command)
    return rewrite(new, reason) if new is not None else deny(f"{reason}\nUse instead: {command}")


def read_engine_arguments(command: Command) -> list[str] | None:
    """What is said to the engine, without its global options; None when another program runs."""
    args = list(command.args)
    if command.name.lower() in ENGINE_PROGRAMS:  # some file systems ignore case
        return list(dropwhile(lambda text: text[:1] == "-", args))
    if not classify_interpreter(command.name):
        return None
    # `python -m synaptic ...` and `python /path/synaptic ...` are the engine, too.
    words = iter(args)
    for text in words:
        if run := RUN_MODULE.fullmatch(text):
            module = run[1] or next(words, "")
            return list(words) if module.partition(".")[0] == ENGINE_MODULE else None
        if text in PYTHON_VALUE_OPTIONS:
            next(words, "")
        elif text[:1] != "-":
            return list(words) if text.rpartition("/")[2] in ENGINE_PROGRAMS else None
    return None


def runs_elsewhere(command: Command | Redirect | WriteTarget | Effect | PathLoss) -> bool:
    """Whether it runs on another machine or in a container, where the paths of this one say nothing."""
    return bool(command.via) and any(label.partition(" ")[0] in ELSEWHERE_PROGRAMS for label in command.via)


def sees_other_files(command: Command | Redirect | WriteTarget | Effect) -> bool:
    """Whether the paths it names are not this machine's: elsewhere, or below another root.

    Only for what is no guard: who may change the root may as well name this machine's own (`chroot / rm -rf ~`).
    """
    return bool(command.via) and any(label.partition(" ")[0] in OTHER_FILES_PROGRAMS for label in command.via)


def runs_in_container(command: Command) -> bool:
    """Whether it runs in a container."""
    return bool(command.via) and any(label.partition(" ")[0] in CONTAINER_PROGRAMS for label in command.via)


def runs_remotely(command: Command) -> bool:
    """Whether it runs on another machine, and there in no container."""
    programs = {label.partition(" ")[0] for label in command.via}
    return not programs.isdisjoint(REMOTE_PROGRAMS) and programs.isdisjoint(CONTAINER_PROGRAMS)


def is_boxed_in(command: Command, found: Script) -> bool:
    """Whether it runs in a container that cannot reach the files of this machine."""
    if not runs_in_container(command):
        return False
    # Any container of the script counts: a volume of one cannot be tied to the command of another by text alone.
    return not any(
        WHOLE_VOLUME.match(text) for outer in select_commands(found, CONTAINER_PROGRAMS) for text in outer.args
    )


def get_work_folders(event: PreToolUse, facts: Facts, scratch: tuple[str, ...] = SCRATCH_FOLDERS) -> WorkFolders:
    """The folders that matter to this event."""
    cwd = event.cwd or facts.root or UNKNOWN_PROJECT
    return make_work_folders(facts.root or cwd, facts.home, cwd, facts.extra_roots, scratch)


@lru_cache(maxsize=64)
def make_work_folders(
    root: str, home: str, cwd: str, more: tuple[str, ...] = (), scratch: tuple[str, ...] = SCRATCH_FOLDERS
) -> WorkFolders:
    """The folders that matter to a call, worked out once for each place that calls come from."""
    at = Standpoint(cwd, home)
    folders = tuple(path for name in scratch if (path := resolve_path(name, at)))
    # A machine, one of its trees, or a folder that holds the home is nobody's project, wherever the agent was started.
    project = "" if root == "/" or root.lower() in SYSTEM_TREES or is_inside(home, (root,)) else root
    return WorkFolders(project, home, cwd, more, folders)

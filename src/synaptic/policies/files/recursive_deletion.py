"""Folders deleted that nobody wants to lose."""

from collections.abc import Iterator
from typing import Annotated

import msgspec

from synaptic.model.decision import Verdict, ask, deny
from synaptic.model.event import PreToolUse
from synaptic.model.facts import Facts
from synaptic.parse.arguments import Arguments, arguments
from synaptic.parse.find import Finding, fd_finding, finding
from synaptic.parse.places import Place, Places
from synaptic.parse.shell.script import Command, Script, Word
from synaptic.parse.targets import RSYNC_VALUED
from synaptic.policies.base import FEWER, Policy
from synaptic.policies.reading import SCRATCH, SHELLS, boxed, elsewhere, named, places, script

HIT = {
    Place.WHOLE: "the root, a home folder, or a folder that holds one of them or the project",
    Place.HERE: "the project itself or the folder you stand in",
    Place.SYSTEM: "a part of the system",
    Place.OUTSIDE: "outside the project",
}
INSTEAD = "Delete the folders you made by their names inside the project, or let the user delete this."
WINDOWS = frozenset({"rd", "rmdir", "del", "erase"})
SHELL_OF_WINDOWS = frozenset({"remove-item", "ri"})
FINDERS = frozenset({"find", "gfind"})
FD = frozenset({"fd", "fdfind"})
RSYNC = frozenset({"--delete", "--delete-before", "--delete-during", "--delete-after", "--delete-excluded", "--del"})
DELETERS = WINDOWS | SHELL_OF_WINDOWS | FINDERS | {"rm", "mv", "rsync"}
TARGET = frozenset({"-t", "--target-directory", "-S", "--suffix"})


class Deletion(msgspec.Struct, frozen=True):
    """What a command deletes and how bluntly."""

    words: tuple[Word, ...]
    forced: bool = True
    recursive: bool = True
    picked: bool = False
    """Only what a search picks out by name, age or size."""
    searched: bool = False


class RecursiveDeletion(Policy):
    """Deleting whole folders outside what may be deleted.

    ## What it does
    Denies recursive deletion (`rm -r`, `find -delete`, `find -exec rm`, `shutil.rmtree`, `Remove-Item -Recurse`,
    `rsync --delete`, `mv` of a whole tree) of the root, system trees, home folders, the project itself, its parents,
    and patterns that match everything in them. Outside the project and the `scratch` folders, `rm -rf` is denied.
    Asks when an unknown variable would make it one of these if it were empty (`rm -rf "$X"/*`), and before
    `xargs rm -rf` of an unknown list. Inside the project everything else may be deleted.
    ## Why
    A wrong path or an empty variable is enough to lose years of work, and no undo exists.
    ## Known gaps
    Links are not followed. A variable that stands alone (`rm -rf "$DIR"`) is not asked about. Scripts in files are
    not read.
    """

    id = "files.recursive-deletion"
    events = (PreToolUse,)
    tools = SHELLS
    priority = 21
    preset = "essentials"
    needs = ("extra_roots",)

    scratch: Annotated[tuple[str, ...], FEWER] = SCRATCH
    """Folders outside the project whose contents may be deleted; `$TMPDIR` is one too."""
    only_output: bool = False
    """Inside the project, delete recursively only what a build makes (`output`), too."""
    output: Annotated[tuple[str, ...], FEWER] = (
        "node_modules", "dist", "build", "out", "target", "coverage", "tmp", "temp", "vendor", "venv", ".venv",
        "__pycache__", ".cache", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".next", ".nuxt", ".turbo", ".tox",
        ".gradle", ".parcel-cache", ".eggs", "htmlcov",
    )  # fmt: skip
    """Names of folders that can be made again; used with `only_output`."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        found = script(event, facts, DELETERS)
        if found is None:
            return None
        at = places(event, facts, self.scratch)
        for command in named(found, DELETERS):
            for deletion in _deletions(command, found):
                if verdict := self._judged(deletion, command, found, at):
                    return verdict
        return None

    def _judged(self, deletion: Deletion, command: Command, found: Script, at: Places) -> Verdict | None:
        for word in deletion.words:
            if word.text == "{}" and not word.known:
                if deletion.forced and deletion.recursive:
                    return ask(
                        "This deletes whatever the list before it holds. Print the list first, then delete by name."
                    )
                continue
            place = Place.HERE if _root_of_all(word, found) else at.hit(word, command.cwd)
            if self._bad(place, word, deletion, at) and not _far(place, command, found):
                return _verdict(word, place, certain=word.known and (bool(command.cwd) or word.text[:1] in "/~"))
            if place is Place.PROJECT and self.only_output and not self._made(word.text):
                return deny(f"{word.text!r} is not a folder that a build makes again. {INSTEAD}")
        return None

    def _bad(self, place: Place, word: Word, deletion: Deletion, at: Places) -> bool:
        if place is Place.OUTSIDE:
            return deletion.forced and deletion.recursive and not deletion.picked
        if place is Place.SYSTEM:
            return not (deletion.picked and word.text.rstrip("/") in at.scratch)
        if place is Place.HERE:
            return not deletion.picked and ((deletion.forced and deletion.recursive) or not deletion.searched)
        return place is Place.WHOLE and not (deletion.picked and word.text.strip("/*"))

    def _made(self, text: str) -> bool:
        return any(part in self.output for part in text.split("/"))


def _far(place: Place, command: Command, found: Script) -> bool:
    """Whether the path says nothing, because the command runs on another machine or in a container."""
    return (place is Place.OUTSIDE and elsewhere(command)) or (place is not Place.WHOLE and boxed(command, found))


def _root_of_all(word: Word, found: Script) -> bool:
    """Whether it is the output of a command that prints where the project is."""
    printed = [found.commands[place] for place in word.outputs]
    return any(one.name == "git" and "--show-toplevel" in one.args for one in printed) and word.text[:1] in "$`"


def _verdict(word: Word, place: Place, certain: bool) -> Verdict:
    if certain:
        return deny(f"This would delete {word.text!r}: {HIT[place]}. {INSTEAD}")
    return ask(
        f"{word.text!r} is {HIT[place]} if what is unknown in it is empty or somewhere else. Write the path out, or "
        'use "${NAME:?}" so that the command stops when it is empty.'
    )


def _deletions(command: Command, found: Script) -> Iterator[Deletion]:
    name = command.name.lower()
    if name == "rm":
        yield from _rm(command, found)
    elif name in FINDERS and (sought := finding(command.argv)).deletes:
        yield Deletion(sought.roots, picked=sought.narrowed)
    elif name in WINDOWS and any(text.lower() == "/s" for text in command.args):
        yield Deletion(tuple(word for word in command.argv[1:] if len(word.text) != 2))
    elif name in SHELL_OF_WINDOWS:
        yield from _remove_item(command)
    elif name == "mv":
        given = arguments(command.argv[1:], TARGET)
        yield Deletion(given.operands if given.has("-t", "--target-directory") else given.operands[:-1], forced=False)
    elif name == "rsync" and any(text in RSYNC for text in command.args):
        last = arguments(command.argv[1:], RSYNC_VALUED).operands[-1:]
        yield Deletion(tuple(word for word in last if ":" not in word.text), forced=False)


def _remove_item(command: Command) -> Iterator[Deletion]:
    flags = [text.lower() for text in command.args if text[:1] == "-"]
    if any(flag.startswith("-r") for flag in flags):
        words = tuple(word for word in command.argv[1:] if word.text[:1] != "-")
        yield Deletion(words, forced=any(flag.startswith("-f") for flag in flags))


def _rm(command: Command, found: Script) -> Iterator[Deletion]:
    given = arguments(command.argv[1:])
    recursive = given.has("-r", "-R", "--recursive") or any(text.lower() == "-recurse" for text in command.args)
    deletion = Deletion(given.operands, _forced(given, command), recursive)
    label = command.via[-1] if command.via else ""
    if label == "find -delete":
        return  # the `find` itself is looked at
    if (sought := _search(command, found)) and (not all(word.known for word in given.operands) or "execdir" in label):
        yield msgspec.structs.replace(deletion, words=sought.roots, picked=sought.narrowed, searched=True)
    elif recursive:
        yield deletion


def _forced(given: Arguments, command: Command) -> bool:
    if given.has("-i", "-I", "--interactive"):
        return False
    return given.has("-f", "--force") or any(text.lower() == "-force" for text in command.args)


def _search(command: Command, found: Script) -> Finding | None:
    """The search whose results a command is given, through `-exec` or a pipe into xargs."""
    searched = any(label.startswith(("find -", "fd -", "gfind -", "fdfind -")) for label in command.via)
    before = found.commands[: command.index] if searched else ()
    if not searched and "xargs" in command.via:
        before = found.upstream(command)
    for other in reversed(before):
        if other.name in FINDERS:
            return finding(other.argv)
        if other.name in FD:
            return fd_finding(other.argv)
    return None

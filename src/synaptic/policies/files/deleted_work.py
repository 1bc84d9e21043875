"""What a command deletes of the project that is worked in: the paths that somebody has to look up in its repository."""

from collections.abc import Iterator
from itertools import chain

import msgspec

from synaptic.model.once import kept_beside
from synaptic.policies.files.lost import OWN_AREAS, deletes_files
from synaptic.policies.files.wiping import EMPTIERS, SILENT_PROGRAMS, iter_emptied
from synaptic.policies.git.sequence import is_chained, is_saved_before
from synaptic.policies.reading import runs_elsewhere
from synaptic.shell.book.entries import find_program
from synaptic.shell.effects.losses import DELETE, PathLoss, find_losses
from synaptic.shell.globs import matches_glob
from synaptic.shell.names import split_names
from synaptic.shell.paths import Standpoint, resolve_path
from synaptic.shell.places import WorkFolders
from synaptic.shell.read.script import Command, Word
from synaptic.shell.reading import CommandReading
from synaptic.shell.worth import are_throwaway, is_made_again, is_throwaway

MAX_DELETIONS = 64
"""Paths of one command that are looked up; where it names more, nobody looks at the others."""
EMPTYING_PROGRAMS = EMPTIERS | SILENT_PROGRAMS
COPYING_PROGRAMS = split_names("cp rsync tar zip ditto")
GLOB_SIGNS = frozenset("*?[")
ANY_DEPTH = "**"


class Deletion(msgspec.Struct, frozen=True):
    """A file, a folder, a pattern, or what a search finds in a folder."""

    path: str
    """From the root of the machine; it may hold patterns."""
    recursive: bool = False
    """Whether folders go with all they hold."""
    names: tuple[str, ...] = ()
    """What the files are called that a search looks for; none means all of them."""

    @property
    def start(self) -> str:
        """The path as far as it holds no pattern."""
        parts = self.path.split("/")
        place = next((at for at, part in enumerate(parts) if GLOB_SIGNS.intersection(part)), len(parts))
        return "/".join(parts[:place]) or "/"

    @property
    def is_wide(self) -> bool:
        """Whether it is more than a file that is named."""
        return self.recursive or bool(self.names) or self.start != self.path

    def takes(self, path: str) -> bool:
        """Whether a file at this path is deleted."""
        return self._reaches(path) and (not self.names or any(_is_called(path, name) for name in self.names))

    def _reaches(self, path: str) -> bool:
        wanted, parts = self.path.split("/"), path.split("/")
        if ANY_DEPTH in wanted:
            wanted, deep = wanted[: wanted.index(ANY_DEPTH)], True
        else:
            deep = self.recursive
        if len(parts) < len(wanted) or (len(parts) > len(wanted) and not deep):
            return False
        return all(matches_glob(part, pattern) for part, pattern in zip(parts, wanted, strict=False))


def _is_called(path: str, pattern: str) -> bool:
    """Whether a search for a name, or for a path, finds a file."""
    shown = path if "/" in pattern else path.rpartition("/")[2]
    wanted = f"*{pattern.removeprefix('.')}" if "/" in pattern else pattern
    return matches_glob(shown, wanted) or matches_glob(shown.lower(), wanted)


@kept_beside
def list_deletions(known: CommandReading, at: WorkFolders) -> tuple[Deletion, ...]:
    """What is deleted or emptied in the project, but for what is made again and what the line has kept before."""
    found: dict[Deletion, None] = {}
    for deletion in chain(_iter_deleted(known, at), _iter_emptied(known, at)):
        if at.classify(deletion.start) in OWN_AREAS and not _comes_back(deletion, at):
            found[deletion] = None
        if len(found) >= MAX_DELETIONS:
            break
    return tuple(found)


def _iter_deleted(known: CommandReading, at: WorkFolders) -> Iterator[Deletion]:
    if not deletes_files(known):
        return
    for loss in find_losses(known.effects, lambda words, folders: False):
        if loss.kind == DELETE and loss.index >= 0 and not runs_elsewhere(loss):
            command = known.script.commands[loss.index]
            if not _is_kept(loss.word, command, known):
                yield from _read_loss(loss, command, at)


def _iter_emptied(known: CommandReading, at: WorkFolders) -> Iterator[Deletion]:
    if known.programs.isdisjoint(EMPTYING_PROGRAMS):
        return
    for word, command in iter_emptied(known.script):
        path = "" if runs_elsewhere(command) else _locate(word, command.cwd, at)
        if path and not _is_kept(word, command, known):
            yield Deletion(path)


def _read_loss(loss: PathLoss, command: Command, at: WorkFolders) -> Iterator[Deletion]:
    search = loss.search
    if search is not None:
        # What is picked out by age, or by what is in it, is not known by its name.
        if not (search.aged or search.tail or search.folders or (search.narrowed and not search.names)):
            for root in search.roots:
                if path := _locate(root, search.cwd or loss.cwd, at):
                    yield Deletion(path, True, search.names)
    elif path := _locate(loss.word, loss.cwd, at):
        given = find_program(command.name).read(command.argv[1:])
        yield Deletion(path, given.has("recursive") or any(text.lower() == "-recurse" for text in command.args))


def _locate(word: Word, cwd: str, at: WorkFolders) -> str:
    return resolve_path(word.text, Standpoint(cwd or at.cwd, at.home)) or "" if word.known and word.text else ""


def _comes_back(deletion: Deletion, at: WorkFolders) -> bool:
    below = deletion.path.removeprefix(at.project) if at.project else deletion.path
    if are_throwaway(deletion.names) or is_throwaway(below, ""):
        return True
    return deletion.recursive and is_made_again(deletion.path, at.project or at.cwd)


def _is_kept(word: Word, command: Command, known: CommandReading) -> bool:
    """Whether the same line has put everything away before, or copied it, and stops if it could not."""
    if is_saved_before(command, known):
        return True
    before = (one for one in known.script.commands[: command.index] if one.name in COPYING_PROGRAMS)
    named = word.text.rstrip("/")
    return any(named in [text.rstrip("/") for text in one.args] and is_chained(one, command, known) for one in before)

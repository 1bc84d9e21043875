"""Which of the paths that a command destroys, overwrites or makes are nobody's licence: outside what is worked in."""

import re
from collections.abc import Iterator
from functools import lru_cache

import msgspec

from synaptic.model.once import kept_beside
from synaptic.policies.files.led import LedPath, NamedPlace, follow_led, list_led
from synaptic.policies.reading import runs_elsewhere
from synaptic.shell.effects.commands import CHANGING_PROGRAMS, DELETING_PROGRAMS
from synaptic.shell.effects.created import sets_up
from synaptic.shell.effects.losses import DELETE, FILL, MOVE, PathLoss, find_losses, find_made
from synaptic.shell.effects.numbered import is_numbered, settle_number
from synaptic.shell.paths import Standpoint, is_inside, resolve_path
from synaptic.shell.places import PathArea, WorkFolders, strip_match_all
from synaptic.shell.read.script import Script, Word
from synaptic.shell.reading import CommandReading
from synaptic.shell.worth import are_throwaway, is_throwaway

OWN_AREAS = frozenset({PathArea.PROJECT, PathArea.HERE})
"""What may be deleted in a project, and is a question where there is none."""
FREE_AREAS = frozenset({PathArea.SCRATCH, PathArea.UNKNOWN})
OTHER_CHANGERS = CHANGING_PROGRAMS - {"git"}
MAKING_VERBS = ("clone", "worktree", "init")
"""Verbs of git that make a folder; what others change is the repository's."""
ENVIRONMENT = " venv "
"""What stands in a command that makes an environment for Python, whichever program does."""
READING_OPERATORS = frozenset({">&", "<", "<<", "<<<", "<&"})
CERTAIN_FOLDER = re.compile(r"(?:~/|/)(?:[^/$`{*?\[]+/)*(?=[^/]*[$`{])")
"""The folders at the start of a path that is not known further on."""
LEFT_BY_MANY = re.compile(r"\*[*.]*(?:\.?(?:log|out|err|tmp|temp|part|crdownload|sw[op]|orig|rej)|~)\*?", re.IGNORECASE)
"""What is left over by any program at all. In one folder that is rubbish; in a home it is also a chat or a training."""
DEVICES = ("/dev", "/proc", "/sys")


class LostPath(msgspec.Struct, frozen=True):
    """One path that would be lost, and where it is."""

    loss: PathLoss
    path: str
    """As far as it is certain: the folder of a pattern."""
    area: PathArea
    sweeps: bool = False
    """A pattern, or a search, that may hit many."""
    below: tuple[str, ...] = ()
    """What would be written if the path is a folder."""
    into: PathArea | None = None
    """Where it is moved to."""


def may_change(known: CommandReading) -> bool:
    """Whether a command can destroy or make anything at all."""
    for redirect in known.script.redirects:
        # `2>&1`, `< file` and `> /dev/null` are in most scripts.
        if redirect.operator not in READING_OPERATORS and redirect.target.text != "/dev/null":
            return True
    programs = known.programs
    if not OTHER_CHANGERS.isdisjoint(programs):
        return True
    if "git" in programs and any(verb in known.text for verb in MAKING_VERBS):
        return True
    return ENVIRONMENT in known.text


def deletes_files(known: CommandReading) -> bool:
    """Whether a command may take something away."""
    return not DELETING_PROGRAMS.isdisjoint(known.programs)


def stays_in_project(known: CommandReading, at: WorkFolders) -> bool:
    """Whether no word leads out of the project."""
    return bool(at.project) and known.stays_in(at.project)


@kept_beside
def list_lost(known: CommandReading, at: WorkFolders) -> tuple[LostPath, ...]:
    """The paths outside of what may be lost freely, and of the project those that are deleted."""
    if not may_change(known):
        return ()
    found: list[LostPath] = []
    scratch = _list_scratch_starts(at)
    led = list_led(known, at)
    for loss in find_losses(known.effects, lambda words, folders: bool(led) or not at.stay_below(words, folders)):
        if runs_elsewhere(loss):
            continue
        if not _is_plainly_free(loss.word, scratch):
            found += _locate(loss, at)
        for real in _follow(loss, led, at) if led else ():
            found += _locate(real, at)
    return tuple(found)


def _follow(loss: PathLoss, led: tuple[LedPath, ...], at: WorkFolders) -> Iterator[PathLoss]:
    """The same loss of what the line has linked or moved to that place before."""
    search = loss.search
    if search is not None:
        starts = (NamedPlace(root, search.cwd or loss.cwd, loss.index) for root in search.roots)
        if roots := tuple(real for one in starts for real in follow_led(one, led, at)):
            yield msgspec.structs.replace(loss, search=msgspec.structs.replace(search, roots=roots))
        return
    for real in follow_led(NamedPlace(loss.word, loss.cwd, loss.index), led, at, whole=loss.kind == DELETE):
        yield msgspec.structs.replace(loss, word=real, below=())


@kept_beside
def list_made(known: CommandReading, at: WorkFolders) -> tuple[str, ...]:
    """The paths that a command makes, but for scratch, if they are not there yet."""
    if not may_change(known):
        return ()
    scratch = _list_scratch_starts(at)
    named = (one for one in find_made(known.effects) if one.word.known and not one.word.glob)
    made = (one for one in named if not _is_plainly_free(one.word, scratch) and not runs_elsewhere(one))
    paths = (path for one in made for path in _iter_made_paths(one, at))
    return tuple(dict.fromkeys(path for path in paths if at.classify(path) not in (PathArea.WHOLE, *FREE_AREAS)))


@lru_cache(maxsize=64)
def _list_scratch_starts(at: WorkFolders) -> tuple[str, ...]:
    """How a path in a scratch folder begins, for those folders in which neither a home nor a project lies."""
    return tuple(f"{one}/" for one in at.scratch if not (is_inside(at.home, (one,)) or is_inside(at.project, (one,))))


def _is_plainly_free(word: Word, scratch: tuple[str, ...]) -> bool:
    # Most of what is written outside a project, and told without resolving anything.
    return word.text.startswith(scratch) and word.known and ".." not in word.text


def is_made_before(
    path: str, command_index: int, known: CommandReading, at: WorkFolders, was_missing: bool = False
) -> bool:
    """Whether the same line has made a path, or a folder it is in.

    Where nobody knows that nothing was there, only by what fails where something is there already.
    """
    made = _index_made(known, at, was_missing)
    if was_missing and any(index < command_index and is_inside(one, (path,)) for one, index in made.items()):
        return True  # a folder on the way to what was made
    while made and path.strip("/"):
        if made.get(path, command_index) < command_index:
            return True
        path = path.rpartition("/")[0]
    return False


@lru_cache(maxsize=32)
def _index_made(known: CommandReading, at: WorkFolders, was_missing: bool) -> dict[str, int]:
    """The paths that a line makes anew, each with the place of the first command that does."""
    found: dict[str, int] = {}
    for one in find_made(known.effects):
        one = msgspec.structs.replace(one, word=settle_number(one.word))
        if one.word.known and not one.word.glob and (was_missing or _makes_anew(one, known.script)):
            for path in _iter_made_paths(one, at):
                found[path] = min(one.index, found.get(path, one.index))
    return found


def _makes_anew(made: PathLoss, script: Script) -> bool:
    if made.index < 0:
        return True
    command = script.commands[made.index]
    if is_numbered(made.word.text):
        return True  # nothing of that name was there
    if command.name == "touch" or sets_up(command):
        return False
    return command.name != "mkdir" or not any(text[:2] == "-p" or text == "--parents" for text in command.args)


def _iter_made_paths(made: PathLoss, at: WorkFolders) -> Iterator[str]:
    for word in (made.word, *made.below):
        if path := resolve_path(word.text, Standpoint(made.cwd or at.cwd, at.home)):
            yield path


def _locate(loss: PathLoss, at: WorkFolders) -> Iterator[LostPath]:
    if loss.search is not None:
        yield from _locate_searched(loss, at)
    elif not loss.word.known and loss.kind == DELETE:
        yield from _locate_below(loss, at)
    elif loss.word.known and loss.word.text:
        # A script may delete thousands of files of its project.
        plain = at.are_plain_names((loss.word,), loss.cwd)
        area = PathArea.PROJECT if plain else at.classify_word(loss.word, loss.cwd)
        if not _matters(loss, area):
            return
        path = _resolve_certain(loss.word, loss.cwd, at)
        if path and not is_inside(path, DEVICES) and not _is_worthless(loss, path, at.home):
            into = _classify_into(loss.into, loss.cwd, at) if loss.into is not None else None
            below = tuple(filter(None, (_resolve_certain(word, loss.cwd, at) for word in loss.below)))
            yield LostPath(loss, path, area, loss.word.glob, below, into)


def _classify_into(word: Word, cwd: str, at: WorkFolders) -> PathArea:
    # `mv x /tmp/`: the folder itself is the machine's, what is put into it is scratch.
    return PathArea.SCRATCH if _resolve_certain(word, cwd, at) in at.scratch else at.classify_word(word, cwd)


def _locate_below(loss: PathLoss, at: WorkFolders) -> Iterator[LostPath]:
    """What is deleted in a folder that is certain, whatever the rest of the name will be: `~/Documents/$FILE`."""
    folder = CERTAIN_FOLDER.match(loss.word.text)
    if folder is None or is_throwaway(loss.word.text, at.home):
        return
    path = resolve_path(folder[0], Standpoint(loss.cwd or at.cwd, at.home)) or ""
    area = at.classify(path)
    if path and path not in at.scratch and area not in OWN_AREAS and _matters(loss, area):
        yield LostPath(loss, path, area, sweeps=True)


def _locate_searched(loss: PathLoss, at: WorkFolders) -> Iterator[LostPath]:
    search = loss.search
    if search is None or (search.tail and is_throwaway(search.tail, "")):
        return
    worthless = are_throwaway(search.names)
    into = _classify_into(loss.into, loss.cwd, at) if loss.into is not None else None
    for root in search.roots:
        area = at.classify_word(root, search.cwd or loss.cwd)
        path = _resolve_certain(root, search.cwd or loss.cwd, at)
        if worthless and not (is_inside(at.home, (path,)) and any(map(_is_of_many, search.names))):
            continue
        if path and _matters(loss, area) and path not in at.scratch and not is_throwaway(path, at.home):
            yield LostPath(loss, path, area, sweeps=True, into=into)


def _is_of_many(pattern: str) -> bool:
    # Logs of one program are begun anew; those of every program and user are what is left to look at.
    return LEFT_BY_MANY.fullmatch(pattern) is not None


def _matters(loss: PathLoss, area: PathArea) -> bool:
    """Whether a loss there may be one: in what is worked in, only what is taken away."""
    return area not in FREE_AREAS and (area not in OWN_AREAS or loss.kind in (DELETE, MOVE))


def _is_worthless(loss: PathLoss, path: str, home: str) -> bool:
    # Of a pattern the last part says what is meant: `~/x/*.pyc`.
    last = loss.word.text.rpartition("/")[2]
    if loss.word.glob and is_inside(home, (path,)) and _is_of_many(last):
        return False
    whole = f"{path}/{last}" if loss.word.glob else path
    return loss.kind != FILL and is_throwaway(whole, home)


def _resolve_certain(word: Word, cwd: str, at: WorkFolders) -> str:
    """The path of a word; of a pattern the folder that is certain."""
    text = word.text
    if word.glob:
        text = strip_match_all(text)
        while any(sign in text.rpartition("/")[2] for sign in "*?["):
            text = text.rpartition("/")[0] or ("/" if text[:1] == "/" else ".")
    return resolve_path(text, Standpoint(cwd or at.cwd, at.home)) or ""

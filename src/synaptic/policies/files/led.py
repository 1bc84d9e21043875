"""Where the words of a line lead after the line itself has set links or has moved something."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

import msgspec

from synaptic.model.once import kept_beside
from synaptic.policies.reading import runs_elsewhere, select_commands
from synaptic.shell.book.arguments import Arguments
from synaptic.shell.book.entries import find_program
from synaptic.shell.effects.numbered import settle_number
from synaptic.shell.globs import GLOB_SIGN
from synaptic.shell.paths import Standpoint, resolve_path
from synaptic.shell.places import WorkFolders
from synaptic.shell.read.script import Command, Word
from synaptic.shell.reading import CommandReading

LINKERS = frozenset({"ln", "gln"})
MOVERS = frozenset({"mv", "gmv"})
MOUNTERS = frozenset({"mount", "bindfs"})
LEADERS = LINKERS | MOVERS | MOUNTERS
MAX_LED = 50
"""Links and moves of one line that are followed."""
MAX_STEPS = 4
"""Links that lead to links."""
MAX_REAL = 32
"""Paths that one word can turn out to be."""
BEFORE = -2
"""In front of the first command."""
UNKNOWN_PART = re.compile(r"[$`{]")
"""Where in a word begins what is not known."""
NO_FOLDER = ("T", "no-target-directory")


class LedPath(msgspec.Struct, frozen=True):
    """A path that is another one since a command of the line."""

    path: str
    source: str
    index: int
    """The place of the command."""
    is_link: bool


class NamedPlace(msgspec.Struct, frozen=True):
    """A word of a command, the folder it is seen from, and the place of the command; -1 where that is not known."""

    word: Word
    cwd: str
    index: int


@kept_beside
def list_led(known: CommandReading, at: WorkFolders) -> tuple[LedPath, ...]:
    """What a line has linked and moved, in its order."""
    if LEADERS.isdisjoint(known.programs):
        return ()
    found: list[LedPath] = []
    for command in select_commands(known.script, LEADERS):
        if not runs_elsewhere(command) and len(found) < MAX_LED:
            found += _read_leading(command, at)
    return tuple(found[:MAX_LED])


def read_links(links: Mapping[str, str]) -> tuple[LedPath, ...]:
    """Links that are there before the line begins."""
    return tuple(LedPath(path, source, BEFORE, True) for path, source in links.items())


def _read_leading(command: Command, at: WorkFolders) -> Iterator[LedPath]:
    given = find_program(command.name).read(command.argv[1:])
    is_link = command.name in LINKERS
    if is_link and not given.has("symbolic"):
        return
    if command.name in MOUNTERS:
        yield from _read_mount(command, given, at)
        return
    into = given.get_by_role("into")
    sources = given.operands if into or len(given.operands) < 2 else given.operands[:-1]
    target = into[0] if into else given.operands[-1] if len(given.operands) > 1 else Word(".")
    # What is not known in it is the same wherever the same stands: `$d/l` is `$d/l`.
    place = resolve_path(settle_number(target).text, Standpoint(command.cwd or at.cwd, at.home))
    if place is None or not (is_link or settle_number(target).known):
        return
    inside = bool(into) or len(sources) > 1 or target.text[-1:] in ("/", ".")
    for word in sources[:MAX_LED]:
        for path in _list_new_places(word, place, inside, given.has(*NO_FOLDER)):
            # What a link holds is seen from the folder that the link is in.
            start = path.rpartition("/")[0] if is_link else command.cwd or at.cwd
            source = resolve_path(_cut_pattern(word)[0], Standpoint(start, at.home)) if word.known else None
            if source and source != path:
                yield LedPath(path, source, command.index, is_link)


def _read_mount(command: Command, given: Arguments, at: WorkFolders) -> Iterator[LedPath]:
    """`mount --bind SOURCE TARGET`: no link, since what is deleted with the target is the source."""
    if len(given.operands) < 2 or (command.name == "mount" and not any("bind" in text for text in command.args)):
        return
    here = Standpoint(command.cwd or at.cwd, at.home)
    source, place = (resolve_path(word.text, here) if word.known else None for word in given.operands[-2:])
    if source and place and source != place:
        yield LedPath(place, source, command.index, False)


def _list_new_places(word: Word, place: str, inside: bool, itself: bool) -> list[str]:
    """What a source is called then: the target, or in it, where that is a folder."""
    name = word.text.rstrip("/").rpartition("/")[2]
    below = [f"{place.rstrip('/')}/{name}"] if name and not word.glob else [place] if inside else []
    return ([] if inside else [place]) + ([] if itself else below)


def _cut_pattern(word: Word) -> tuple[str, str]:
    """The folder in which a pattern begins, and the pattern."""
    sign = GLOB_SIGN.search(word.text) if word.glob else None
    return _cut_at(word.text, sign.start()) if sign else (word.text, "")


def _cut_at(text: str, place: int) -> tuple[str, str]:
    folder, slash, _ = text[:place].rpartition("/")
    return folder or slash or ".", text[len(folder) + len(slash) :]


class LedIndex:
    """The paths that a line has led elsewhere, found by a path in them or above them."""

    __slots__ = ("_by_path", "_paths")

    def __init__(self, led: Iterable[LedPath]) -> None:
        self._by_path: dict[str, list[LedPath]] = {}
        for one in led:
            self._by_path.setdefault(one.path, []).append(one)
        self._paths = sorted(self._by_path)

    def iter_above(self, path: str) -> Iterator[LedPath]:
        """Those that a path is, or lies in."""
        while path:
            yield from self._by_path.get(path, ())
            path = path.rpartition("/")[0]
        yield from self._by_path.get("/", ())

    def iter_below(self, path: str) -> Iterator[LedPath]:
        """Those that lie in a path."""
        start = path.rstrip("/") + "/"
        for place in range(bisect_left(self._paths, start), len(self._paths)):
            if not self._paths[place].startswith(start):
                return
            yield from self._by_path[self._paths[place]]


@lru_cache(maxsize=32)
def _index_led(led: tuple[LedPath, ...]) -> LedIndex:
    return LedIndex(led)


def follow_led(named: NamedPlace, led: tuple[LedPath, ...], at: WorkFolders, whole: bool = False) -> tuple[Word, ...]:
    """The words for what is really meant, where the line has led a word elsewhere; `whole`: with all below it."""
    word = settle_number(named.word)
    if not led or not word.text:
        return ()
    starts = [_cut_pattern(word)]
    if not word.known and (sign := UNKNOWN_PART.search(word.text)):
        starts.append(_cut_at(word.text, sign.start()))
    return tuple(real for start in starts for real in _follow_start(start, word, named, (led, at, whole)))


def _follow_start(
    given: tuple[str, str], word: Word, named: NamedPlace, way: tuple[tuple[LedPath, ...], WorkFolders, bool]
) -> Iterator[Word]:
    (start, rest), (led, at, whole) = given, way
    path = resolve_path(start, Standpoint(named.cwd or at.cwd, at.home)) or ""
    through = bool(rest) or word.text[-1:] in ("/", ".")
    index, found, waiting = _index_led(led), {path: None}, [path]
    for _ in range(MAX_STEPS):
        reached = dict.fromkeys(real for one in waiting for real in _step(one, named.index, index, through, whole))
        waiting = [one for one in reached if one not in found][: MAX_REAL - len(found)]
        found.update(dict.fromkeys(waiting))
    for text in (f"{real}/{rest}" if rest else real for real in found if real != path):
        yield Word(text, word.known or UNKNOWN_PART.search(text) is None, glob=word.glob)


def _step(path: str, index: int, led: LedIndex, through: bool, whole: bool) -> Iterator[str]:
    for one in led.iter_above(path):
        below = path[len(one.path) :]
        if _is_led_before(one, index) and (below or through or not one.is_link):
            yield f"{one.source}{below}"
    if whole:
        for one in led.iter_below(path):
            if _is_led_before(one, index) and not one.is_link:
                yield one.source


def _is_led_before(one: LedPath, index: int) -> bool:
    # When a redirection happens is not known: only a link counts, because it stays what it is.
    return one.index < index or (index < 0 and one.is_link)

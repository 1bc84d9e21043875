"""Where the words of a line lead after the line itself has set links or has moved something."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

import msgspec

from synaptic.model.once import kept_beside
from synaptic.policies.reading import runs_elsewhere, select_commands
from synaptic.shell.book.entries import find_program
from synaptic.shell.effects.numbered import settle_number
from synaptic.shell.globs import GLOB_SIGN
from synaptic.shell.paths import Standpoint, resolve_path
from synaptic.shell.places import WorkFolders
from synaptic.shell.read.script import Command, Word
from synaptic.shell.reading import CommandReading

LINKERS = frozenset({"ln", "gln"})
MOVERS = frozenset({"mv", "gmv"})
LEADERS = LINKERS | MOVERS
MAX_LED = 50
"""Links and moves of one line that are followed."""
MAX_STEPS = 4
"""Links that lead to links."""
MAX_REAL = 32
"""Paths that one word can turn out to be."""
BEFORE = -2
"""In front of the first command."""
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
    into = given.get_by_role("into")
    sources = given.operands if into or len(given.operands) < 2 else given.operands[:-1]
    target = into[0] if into else given.operands[-1] if len(given.operands) > 1 else Word(".")
    place = resolve_path(settle_number(target).text, Standpoint(command.cwd or at.cwd, at.home))
    if place is None or not settle_number(target).known:
        return
    inside = bool(into) or len(sources) > 1 or target.text[-1:] in ("/", ".")
    for word in sources[:MAX_LED]:
        for path in _list_new_places(word, place, inside, given.has(*NO_FOLDER)):
            # What a link holds is seen from the folder that the link is in.
            start = path.rpartition("/")[0] if is_link else command.cwd or at.cwd
            source = resolve_path(_cut_pattern(word), Standpoint(start, at.home)) if word.known else None
            if source and source != path:
                yield LedPath(path, source, command.index, is_link)


def _list_new_places(word: Word, place: str, inside: bool, itself: bool) -> list[str]:
    """What a source is called then: the target, or in it, where that is a folder."""
    name = word.text.rstrip("/").rpartition("/")[2]
    below = [f"{place.rstrip('/')}/{name}"] if name and not word.glob else [place] if inside else []
    return ([] if inside else [place]) + ([] if itself else below)


def _cut_pattern(word: Word) -> str:
    if not word.glob or (sign := GLOB_SIGN.search(word.text)) is None:
        return word.text
    return word.text[: sign.start()].rpartition("/")[0] or "."


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
    if not word.known or not word.text:
        return ()
    start = _cut_pattern(word)
    rest = word.text[len(start) :].lstrip("/") if word.glob else ""
    path = resolve_path(start, Standpoint(named.cwd or at.cwd, at.home)) or ""
    through = bool(rest) or word.text[-1:] in ("/", ".")
    index, found, waiting = _index_led(led), {path: None}, [path]
    for _ in range(MAX_STEPS):
        reached = dict.fromkeys(real for one in waiting for real in _step(one, named.index, index, through, whole))
        waiting = [one for one in reached if one not in found][: MAX_REAL - len(found)]
        found.update(dict.fromkeys(waiting))
    return tuple(Word(f"{real}/{rest}" if rest else real, glob=word.glob) for real in found if real != path)


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

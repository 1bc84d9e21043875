"""The search that a word is a result of: through `-exec`, a pipe, a substitution, or a loop that reads."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import chain

import msgspec

from synaptic.model.once import computed_once
from synaptic.shell.book.entries import BOOK, find_program, list_names_with
from synaptic.shell.effects.find import picks_lines, read_fd, read_fd_names, read_find, read_find_names, read_grep_names
from synaptic.shell.paths import MAX_PATH
from synaptic.shell.places import EXPANSION, strip_match_all
from synaptic.shell.read.script import Command, Script, Word

FIND_PROGRAMS = frozenset(BOOK["find"].names)
FD_PROGRAMS = frozenset(BOOK["fd"].names)
SEARCH_PROGRAMS = FIND_PROGRAMS | FD_PROGRAMS
LISTING_PROGRAMS = SEARCH_PROGRAMS | list_names_with("picks")
LOCATE_PROGRAMS = frozenset({"locate", "plocate", "mlocate", "slocate", "mdfind"})
"""Programs that look a name up in an index of the whole machine."""
SEARCH_LABELS = ("find -", "fd -")
LEADING_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)(?:\[[@*]\])?\})")
READ_BUILTINS = ("read", "mapfile", "readarray")
FOLDER_TEST = "-type d "
"""Words of `find` by which it finds nothing but folders."""
INPUT_OPERATORS = ("<", "<<<")


class FileSearch(msgspec.Struct, frozen=True):
    """Where a search starts, and whether what reaches the word is picked out."""

    roots: tuple[Word, ...]
    narrowed: bool
    names: tuple[str, ...] = ()
    """The names that it looks for."""
    cwd: str = ""
    tail: str = ""
    """What the word adds to each result: `{}/node_modules`."""
    starts: frozenset[str] = frozenset()
    """How the results begin, without a slash at the end."""
    aged: bool = False
    """Whether they are picked out by nothing but age or size."""
    folders: bool = False
    """Whether it finds nothing but folders."""

    @property
    def is_copied_into(self) -> bool:
        """Whether what is written to a result leaves it whole: beside it, or in the folder that it is."""
        return bool(self.tail) or self.folders


class ScriptSearches:
    """The searches of a script, each of them parsed once."""

    def __init__(self, found: Script, among: frozenset[str] = SEARCH_PROGRAMS) -> None:
        self.found = found
        self.among = among
        self.places = sorted(one.index for name in among.intersection(found.by_name) for one in found.by_name[name])
        self._last: dict[tuple[int, ...], FileSearch | None] = {}
        self._fed: dict[int, tuple[int, ...]] = {}
        self._asked: set[tuple[object, ...]] = set()

    def find_search(self, word: Word, command: Command) -> FileSearch | None:
        """The search whose results a word of a command stands for."""
        if not self.places:
            return None
        if any(label.startswith(SEARCH_LABELS) for label in command.via) and _is_filled_in(word, command):
            search = self._find_executing(word, command)
        else:
            search = self._find_latest_cached(self._find_printers(word, command))
        tail = _find_tail(word) if search else ""
        if search is None or not tail:
            return search
        if word.outputs and not any(name in word.text[: -len(tail)] for name in self.among):
            return None  # the result is further behind: `$(mktemp -d)/$(basename "$(find .)")`
        return msgspec.structs.replace(search, narrowed=True, aged=False, tail=tail)

    def ask_once(self, search: FileSearch, *about: object) -> bool:
        """Whether this is asked about the results of a search for the first time: a second look shows nothing new."""
        # By identity, because roots may be thousands of words. Searches are cached, so the same one has the same tuple.
        key = (id(search.roots), search.narrowed, *about)
        if key in self._asked:
            return False
        self._asked.add(key)
        return True

    def _find_executing(self, word: Word, command: Command) -> FileSearch | None:
        """The search that runs a command."""
        place = bisect_left(self.places, command.index)
        search = self._find_latest_cached((self.places[place - 1],)) if place else None
        head, mark, _ = word.text.partition("{}")
        if search is None or not mark or head.rstrip("/") in search.starts:
            return search
        return None  # a copy of the result's path below another folder: `backup/{}`

    def list_printers(self, word: Word, command: Command) -> list[Command]:
        """The commands that print what a word begins with."""
        return [self.found.commands[place] for place in self._find_printers(word, command)]

    def _find_printers(self, word: Word, command: Command) -> tuple[int, ...]:
        if word.text[:2] == "{}" and (not word.known or "xargs" in command.via):
            return self._find_upstream(command)
        if word.known:
            return ()
        if word.outputs:
            return word.outputs if word.text[:1] in ("$", "`") else ()
        name = LEADING_VARIABLE.match(word.text)
        return self._find_read_feeds(name[1] or name[2], command) if name else ()

    def _find_upstream(self, command: Command) -> tuple[int, ...]:
        if command.index not in self._fed:
            self._fed[command.index] = tuple(one.index for one in self.found.find_upstream(command))
        return self._fed[command.index]

    def _find_read_feeds(self, name: str, command: Command) -> tuple[int, ...]:
        """The places of the commands that feed the command which reads a variable."""
        readers = self._readers.get(name, [])
        # The last `read` before the command sets the variable that the command sees.
        place = bisect_left(readers, command.index)
        return (
            (self._find_upstream(self.found.commands[readers[place - 1]]) or self._redirected_places) if place else ()
        )

    @computed_once
    def _readers(self) -> dict[str, list[int]]:
        """The places of the commands that read each variable."""
        readers: dict[str, list[int]] = {}
        for one in chain.from_iterable(self.found.by_name.get(name, ()) for name in READ_BUILTINS):
            for name in one.args:
                readers.setdefault(name, []).append(one.index)
        return {name: sorted(places) for name, places in readers.items()}

    @computed_once
    def _redirected_places(self) -> tuple[int, ...]:
        """The places of the commands whose output is redirected into another: `done < <(find .)`."""
        fed = {place for one in self.found.redirects if one.operator in INPUT_OPERATORS for place in one.target.outputs}
        return tuple(sorted(fed))

    def _find_latest_cached(self, before: tuple[int, ...]) -> FileSearch | None:
        if before not in self._last:
            self._last[before] = self._find_latest([self.found.commands[place] for place in before])
        return self._last[before]

    def _find_latest(self, before: Sequence[Command]) -> FileSearch | None:
        """The last search among these commands; what stands behind it may pick from its results."""
        picked: list[str] = []
        narrowed = False
        for one in reversed(before):
            if one.name in self.among and (search := read_search(one)) is not None:
                names = (*search.names, *picked)
                starts = frozenset(root.text.rstrip("/") for root in search.roots)
                aged = search.aged and not narrowed
                narrowed = narrowed or search.narrowed
                return msgspec.structs.replace(search, narrowed=narrowed, aged=aged, names=names, starts=starts)
            narrowed = narrowed or picks_lines(one)
            picked += read_grep_names(one)
        return None


def _is_filled_in(word: Word, command: Command) -> bool:
    """Whether it is a place that a search fills in; `-execdir` goes to each result."""
    return "{}" in word.text or any("-execdir" in label for label in command.via)


def _find_tail(word: Word) -> str:
    """What stands behind the result, unless it is about all that is in it."""
    if "{}" in word.text:
        tail = word.text.rpartition("{}")[2]
    else:
        expansion = EXPANSION.match(word.text) if len(word.text) <= MAX_PATH else None
        tail = word.text[expansion.end() :] if expansion else ""
    return tail if strip_match_all(tail).strip("/") else ""


def read_search(command: Command) -> FileSearch | None:
    """What a command looks for; None when it is no search."""
    if command.name in FIND_PROGRAMS:
        sought = read_find(command.argv)
        names, folders = read_find_names(command.args), FOLDER_TEST in " ".join((*command.args, ""))
        return FileSearch(sought.roots, sought.narrowed, names, command.cwd, aged=sought.aged, folders=folders)
    if command.name in FD_PROGRAMS:
        sought = read_fd(command.argv)
        return FileSearch(sought.roots, sought.narrowed, read_fd_names(command), command.cwd)
    if command.name in LOCATE_PROGRAMS:
        names = tuple(text for text in command.args if text[:1] != "-")
        return FileSearch((Word("/"),), bool(names), names, command.cwd)
    given = find_program(command.name).read(command.argv[1:])
    if not given.has_role("lists", "no-pattern"):
        return None
    whole = given.has_role("pattern", "pattern-file", "no-pattern")
    return FileSearch((given.operands if whole else given.operands[1:]) or (Word("."),), True, (), command.cwd)

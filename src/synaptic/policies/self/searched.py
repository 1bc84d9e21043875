"""Files of the engine and of agents' settings that a search of a script finds and hands over to be changed."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import msgspec

from synaptic.model.home import Home
from synaptic.model.once import kept_beside
from synaptic.policies.reading import runs_elsewhere, select_commands
from synaptic.policies.self.changed import READERS
from synaptic.policies.self.guard import ENGINE_FOLDER, Guard
from synaptic.shell.effects.commands import CHANGING_KINDS, CHANGING_PROGRAMS, find_acts
from synaptic.shell.effects.find import NAME_TESTS, NOT_SIGNS, read_find, read_find_names
from synaptic.shell.effects.searched import (
    FIND_PROGRAMS,
    LISTING_PROGRAMS,
    LOCATE_PROGRAMS,
    FileSearch,
    ScriptSearches,
    read_search,
)
from synaptic.shell.globs import GLOB_SIGN, matches_glob
from synaptic.shell.names import split_names
from synaptic.shell.paths import Standpoint, is_inside, resolve_path
from synaptic.shell.read.script import Command, Word, are_known, join_texts
from synaptic.shell.reading import CommandReading

ALL_SEARCHES = LISTING_PROGRAMS | LOCATE_PROGRAMS
MODE_CHANGERS = split_names("chmod chown chgrp setfacl xattr chflags chcon")
EMPTY_TEST = "-empty"
FILLED_IN = re.compile(r"[{%$]")
"""What a word holds in the place of a result."""
HANDING_LABELS = ("find", "fd", "xargs", "parallel")
OWN_SIGN = "synaptic"
MAX_WORDS = 200
"""Words that may be results of a search, of one script."""


class SearchedFile(msgspec.Struct, frozen=True):
    """A guarded file that a search may find."""

    path: str
    certain: bool
    """Whether its name was asked for, and what it is handed to changes files."""


@lru_cache(maxsize=16)
def list_sought_files(kept: tuple[str, ...]) -> tuple[str, ...]:
    """What a search by name can find of these files, in lower case: of the engine's folder, what decides."""
    engine = [path for path in kept if path.endswith(f"/{ENGINE_FOLDER}")]
    own = (str(file) for folder in engine for file in _list_deciding_files(Home(Path(folder))))
    return tuple(dict.fromkeys((*kept, *own)))


def _list_deciding_files(home: Home) -> Iterator[Path]:
    # Not the log and the spool: nothing is decided by them, and `find ~ -name '*.log' -delete` is ordinary.
    yield from (home.bin, home.dispatch, home.launcher, home.short_launcher, home.engine, home.config)
    yield from (home.registry.parent, home.registry, home.database, home.run, home.socket, home.refusals)


@kept_beside
def find_searched(known: CommandReading, guard: Guard, root: str) -> SearchedFile | None:
    """The first guarded file that a search of the script may hand over to something that changes it."""
    found = known.script
    if ALL_SEARCHES.isdisjoint(found.by_name) or _stays_below(known, root):
        return None
    for command in select_commands(found, FIND_PROGRAMS & found.by_name.keys()):
        if "-delete" in command.args and not runs_elsewhere(command):
            sought = read_find(command.argv)
            names = read_find_names(command.args)
            search = FileSearch(sought.roots, sought.narrowed, names, command.cwd)
            path = _find_reached(search, command.args, known.standpoint, guard)
            # Without a name it deletes a whole home: the policy about deletions says that better.
            if path and (names or path not in guard.user.files):
                return SearchedFile(path, certain=True)
    return _find_handed_over(known, guard) or _find_redirected(known, guard)


def _stays_below(known: CommandReading, root: str) -> bool:
    """Whether every search starts in the project, which holds none of the user's files."""
    if not root or is_inside(known.standpoint.home, (root,)) or not LOCATE_PROGRAMS.isdisjoint(known.script.by_name):
        return False
    return known.stays_in(root)


def _find_handed_over(known: CommandReading, guard: Guard) -> SearchedFile | None:
    found = known.script
    searches = ScriptSearches(found, ALL_SEARCHES)
    tests = [text for command in select_commands(found, FIND_PROGRAMS) for text in command.args]
    looked = 0
    for command in _select_named_by_results(known):
        if command.name in READERS or command.name in ALL_SEARCHES:
            continue
        if runs_elsewhere(command):
            continue
        changes = command.name in CHANGING_PROGRAMS or command.name in MODE_CHANGERS
        if changes and "xargs" in command.via and _names_engine(known, command):
            return SearchedFile(guard.user.files[0] if guard.user.files else OWN_SIGN, certain=False)
        for word in _list_changed(command):
            looked += 1
            search = searches.find_search(word, command) if looked < MAX_WORDS else None
            if search is None or not (path := _find_reached(search, tests, known.standpoint, guard)):
                continue
            if changes or any(OWN_SIGN in name.lower() for name in search.names):
                return SearchedFile(path, changes and bool(search.names))
    return None


def _select_named_by_results(known: CommandReading) -> list[Command]:
    """The commands that a search may have run, or filled in a word of."""
    found = known.script
    if not (
        known.has_long_words or "{}" in known.text or "{}" in known.words or any("{}" in one for one in found.by_name)
    ):
        return found.uncertain
    return [one for one in found.commands if one.via or not are_known(one.argv) or "{}" in join_texts(one.argv)]


def _names_engine(known: CommandReading, command: Command) -> bool:
    """Whether a list that is picked by the engine's name feeds a command, whatever has made it."""
    return any(OWN_SIGN in text.lower() for one in known.script.find_upstream(command) for text in one.args)


def _find_redirected(known: CommandReading, guard: Guard) -> SearchedFile | None:
    """What a search finds and a redirection of what it starts writes: `find ~ | xargs -I% sh -c 'echo > %'`."""
    found = known.script
    filled = [
        one
        for one in found.redirects
        if one.is_write and one.via and FILLED_IN.search(one.target.text) and one.via[0].startswith(HANDING_LABELS)
    ]
    for command in select_commands(found, ALL_SEARCHES & found.by_name.keys()) if filled else ():
        search = read_search(command)
        if search is not None and (path := _find_reached(search, command.args, known.standpoint, guard)):
            return SearchedFile(path, bool(search.names))
    return None


def _list_changed(command: Command) -> Sequence[Word]:
    """The words that may name what a command changes; of a program that nobody knows, every word."""
    if command.name in CHANGING_PROGRAMS:
        return [word for kind, word in find_acts(command) if kind in CHANGING_KINDS]
    return [word for word in command.argv[1:] if not word.known or "{}" in word.text]


def _find_reached(search: FileSearch, tests: Sequence[str], at: Standpoint, guard: Guard) -> str:
    """The first guarded file that is below a root of the search and has a name that is looked for."""
    here = Standpoint(search.cwd or at.cwd, at.home)
    roots = [path.lower() for root in search.roots if (path := resolve_path(root.text, here))]
    if EMPTY_TEST in tests:
        return ""  # what decides something is not empty
    for root in roots:
        if not GLOB_SIGN.search(root) and (guard.user.holds(root, ()) or guard.environment.holds(root, ())):
            return root
    for file in list_sought_files(guard.user.files):
        if is_inside(file, roots) and file not in roots and _is_sought(file, search) and not _is_left_out(file, tests):
            return file
    return ""


def _is_sought(file: str, search: FileSearch) -> bool:
    if not search.names:
        return True
    name = file.rpartition("/")[2]
    return any(_matches(one.lower(), name, file) for one in search.names)


def _matches(pattern: str, name: str, file: str) -> bool:
    # `fd`, `grep` and `locate` look for a part of the path; for `find` a pattern is about the name or the whole path.
    whole = pattern if GLOB_SIGN.search(pattern) else f"*{pattern}*"
    return matches_glob(name, pattern) or matches_glob(file, whole)


def _is_left_out(file: str, tests: Sequence[str]) -> bool:
    """Whether a test of the search says that it does not want this file: `-not -path '*/.*'`, `-maxdepth 1`."""
    for place, text in enumerate(tests[:-2]):
        if text in NOT_SIGNS and tests[place + 1] in NAME_TESTS and matches_glob(file, tests[place + 2].lower()):
            return True
    return False

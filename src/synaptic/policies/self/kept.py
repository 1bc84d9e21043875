"""Guarded files, and which paths and patterns can reach them."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

import msgspec

from synaptic.shell.globs import GLOB_SIGN, matches_glob
from synaptic.shell.paths import find_stem, is_inside

EXTENDED_PATTERN = re.compile(r"[@+?*!]\([^()]*\)")
"""`@(a|b)` and its like, of bash with `extglob`, of ksh and zsh."""
NAMED_CLASS = re.compile(r"\[[!^]?[^\]]*\[:\w+:\][^\]]*\]")
"""`[[:alpha:]]`."""


class GuardedFiles(msgspec.Struct, frozen=True):
    """Guarded files, in lower case, because some file systems ignore case."""

    files: tuple[str, ...]
    stems: tuple[str, ...]
    """How what is inside of them begins."""
    ways: tuple[tuple[str, ...], ...]
    """Their paths in parts, the last part first: it differs most."""
    starts: Mapping[str, set[str]]
    """How a pattern may begin in each of the folders around them; a leading dot has to be written."""

    def holds(self, low: str, folders: tuple[str, ...]) -> bool:
        """Whether a path is one of them, below one, or one of the folders around that have such a name."""
        if low.startswith(self.stems) and is_inside(low, self.files):
            return True
        return low.endswith(folders) and any(is_inside(one, (low,)) for one in self.files)

    def is_near(self, folder: str, start: str, hidden: bool = False) -> bool:
        """Whether a pattern in a folder that begins so may still match one of these files.

        With `hidden` a pattern matches a leading dot that is not written, as under `shopt -s dotglob`.
        """
        known = self.starts.get(folder)
        return known is not None and (start in known or (hidden and not start))

    def is_near_pattern(self, low: str, hidden: bool = False) -> bool:
        """The same of a whole path; one without signs is no pattern."""
        sign = GLOB_SIGN.search(low)
        if sign is None:
            return False
        folder, _, start = low[: sign.start()].rpartition("/")
        return self.is_near(folder, start, hidden)

    def matches_pattern(self, pattern: str, hidden: bool = False) -> bool:
        """Whether a pattern may match one of them, something in it, or a folder around it."""
        parts = pattern.split("/")
        size = len(parts)
        backwards = parts[::-1]
        return any(
            _parts_match(backwards[max(0, size - len(way)) :], way[max(0, len(way) - size) :], hidden)
            for way in self.ways
        )


@lru_cache(maxsize=64)
def make_guarded_files(folder: str, names: tuple[str, ...], more: tuple[str, ...] = ()) -> GuardedFiles:
    """These files of a folder, none of them when there is no folder; and more of them, by their whole paths."""
    files = (*(f"{folder}/{name}".lower() for name in names if folder), *more)
    ways = tuple(tuple(file.split("/")[::-1]) for file in files)
    return GuardedFiles(files, tuple(map(find_stem, files)), ways, _collect_starts(files))


def _collect_starts(files: Iterable[str]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for file in files:
        folder, _, name = file.rpartition("/")
        while name:
            least = 1 if name[0] == "." else 0
            found.setdefault(folder, set()).update(name[:size] for size in range(least, len(name) + 1))
            folder, _, name = folder.rpartition("/")
    return found


def _parts_match(parts: Iterable[str], way: Iterable[str], hidden: bool) -> bool:
    return all(
        (hidden or name[:1] != "." or part[:1] == ".") and matches_glob(name, part)
        for part, name in zip(parts, way, strict=True)
    )


def simplify_pattern(text: str) -> str:
    """A shell's pattern in the signs that are compared here: what they cannot say matches anything."""
    if "(" in text:
        text = EXTENDED_PATTERN.sub("*", text)
    if "[" in text:
        text = NAMED_CLASS.sub("?", text).replace("[^", "[!")
    return text

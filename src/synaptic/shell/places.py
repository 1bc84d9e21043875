"""What a path is to its user: the whole system or home, a part of the system, the project, scratch, or elsewhere."""

import re
from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache

import msgspec

from synaptic.shell.globs import CLASS, SIGN, matches
from synaptic.shell.paths import LONGEST, PLAIN, REMEMBERED, SHORT, Standpoint, inside, resolve, settled
from synaptic.shell.read.script import Word

SYSTEM = (
    "/applications", "/bin", "/boot", "/dev", "/efi", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/library",
    "/lost+found", "/nix", "/opt", "/private", "/proc", "/root", "/run", "/sbin", "/snap", "/srv", "/sys", "/system",
    "/usr", "/var",
)  # fmt: skip
"""Trees that belong to the machine; compared without case, as some file systems do."""
TOPS = (*SYSTEM, "/home", "/users")
MOUNTED = re.compile(
    r"/(?:mnt|media|sysroot|target)(?:/[^/]+)?/(?:bin|boot|etc|lib|lib64|sbin|usr|var|root|home|users|windows"
    r"|program files)(?:/|$)"
)
"""The same trees of a system that is mounted somewhere."""
HOMES = re.compile(r"/(?:home|users)(?:/[^/]+)?$")
WINDOWS = re.compile(r"[A-Za-z]:")
"""A Windows drive. The shell may have removed the backslashes behind it, so none is asked for."""
EXPANSION = re.compile(r"\$\{[^}]*\}|\$\((?:[^()]|\([^()]*\))*\)|\$\w+|\$[@*#?!-]|`[^`]*`")
CERTAIN = re.compile(r"\$\{\w+:\?")
"""`${X:?}`: the shell stops when it is empty."""
TEMPORARY = re.compile(r"\$\{?TMPDIR\b[^}/]*\}?/+(?!\.\.(?:/|$))[^/]")
PROBES = ("q9z", ".q9z", "q9z.w7k", "w")
"""Names that only a pattern for everything matches."""
PROBED = frozenset("*?".join(PROBES))


class Place(StrEnum):
    """What would be hit."""

    WHOLE = "whole"
    """The root of the machine, a home folder, or a folder that holds one of them or the project."""
    HERE = "here"
    """The project itself, or the folder the agent stands in."""
    SYSTEM = "system"
    PROJECT = "project"
    SCRATCH = "scratch"
    OUTSIDE = "outside"
    UNKNOWN = "unknown"


class Places(msgspec.Struct, frozen=True):
    """The folders that matter to one user at one moment."""

    project: str
    home: str
    cwd: str = ""
    """Where the agent stands when the command starts."""
    more: tuple[str, ...] = ()
    """Further folders that are worked in."""
    scratch: tuple[str, ...] = ()

    def of(self, path: str) -> Place:
        """What a resolved path is."""
        if path == "/" or inside(self.home, (path,)):
            return Place.WHOLE
        if path in (self.project, self.cwd):
            return Place.HERE
        # A parent of the project or of the current folder: deleting it deletes the work as well.
        if inside(self.project, (path,)) or inside(self.cwd, (path,)):
            return Place.PROJECT if inside(path, (self.project,)) else Place.WHOLE
        if inside(path, (self.project, *self.more)):
            return Place.PROJECT
        if any(
            inside(path, (folder,)) and path != folder and self._disposable(path, folder) for folder in self.scratch
        ):
            return Place.SCRATCH
        return Place.SYSTEM if self._system(path) else Place.OUTSIDE

    def _disposable(self, path: str, folder: str) -> bool:
        """Whether a scratch folder says what a path in it is: a home that lies in one is a home all the same."""
        return not inside(path, (self.home,)) or inside(folder, (self.home,))

    def _system(self, path: str) -> bool:
        if inside(path, (self.home,)):
            return False
        low = path.lower()
        return low.count("/") == 1 or inside(low, SYSTEM) or bool(HOMES.match(low) or MOUNTED.match(low))

    def ordinary(self, words: Iterable[Word], cwd: str) -> bool:
        """Whether all of these are plain names below the project, which need no closer look."""
        if not _works_in(cwd or self.cwd, self.project, self.cwd, self.home):
            return False
        return all(word.known and not word.glob and PLAIN.fullmatch(word.text) for word in words)

    def hit(self, word: Word, cwd: str) -> Place:
        """What a word of a command would hit, patterns and unknown parts taken at their worst."""
        if len(word.text) > LONGEST:
            return Place.UNKNOWN
        if not word.known and TEMPORARY.match(word.text):
            return Place.SCRATCH
        text = _least(word)
        if not text or (_headless(word) and text.strip("/") and ".." not in text):
            return Place.UNKNOWN
        if WINDOWS.match(text):
            return Place.OUTSIDE
        path = resolve(text, Standpoint(cwd or self.cwd, self.home))
        if path is None:
            return Place.UNKNOWN
        if word.glob and path in self.scratch and text != word.text:
            return Place.SCRATCH  # what is in it, not the folder
        if self.cwd == "/" and _below_here(text) and not inside(path.lower(), SYSTEM):
            return Place.PROJECT  # an agent that was started at the root works there, as in a container
        sign = SIGN.search(path) if word.glob else None
        return self._pattern(path, path[: sign.start()]) if sign else self.of(path)

    def _pattern(self, path: str, certain: str) -> Place:
        """What a pattern would hit that is certain up to its first sign."""
        first = path.split("/", 2)[1].lower()
        # The pattern stands in the first folder below the root: `/e*` and `/[ub]*` reach system trees.
        if certain.count("/") == 1 and any(matches(top[1:], first) for top in TOPS):
            return Place.SYSTEM
        whole = any(held.startswith(certain) and matches(held, path) for held in (self.project, self.home))
        return Place.WHOLE if whole else self.of(path)


@lru_cache(maxsize=256)
def _works_in(folder: str, project: str, cwd: str, home: str) -> bool:
    """Whether everything below a folder is the project's, and neither the agent nor the home is further below."""
    if not project or not settled(folder) or inside(home, (folder,)):
        return False
    return inside(folder, (project,)) and inside(folder, (cwd,))


def _least(word: Word) -> str:
    """The text with what is unknown left out, and without patterns that match everything in a folder."""
    text = word.text
    if not word.known:
        # An unknown variable counts as empty, the worst case for a deletion; `${X:?}` cannot be empty.
        text = EXPANSION.sub("x" if CERTAIN.search(text) else "", text)
    if word.glob or not word.known:
        text = without_everything(text)
    return text


def _below_here(text: str) -> bool:
    return text[:1] not in "/~" and ".." not in text and bool(text.strip("./"))


def _headless(word: Word) -> bool:
    """Whether it begins with something unknown, so that its folder cannot be told."""
    return not word.known and EXPANSION.match(word.text) is not None


def without_everything(text: str) -> str:
    """`build/*` is about `build`, `*` about the folder one stands in."""
    if len(text) > LONGEST:
        return text
    return _remembered(text) if len(text) <= SHORT else _without_everything(text)


def _without_everything(text: str) -> str:
    while SIGN.search(last := text.rstrip("/").rpartition("/")[2]) and matches_everything(last):
        text = text.rstrip("/")[: -len(last)] or "."
    return text


_remembered = lru_cache(maxsize=REMEMBERED)(_without_everything)


def matches_everything(pattern: str) -> bool:
    """Whether a pattern matches any name, hidden or not."""
    if not PROBED.issuperset(CLASS.sub("", pattern) if "[" in pattern else pattern):
        return False  # it says more than a pattern for everything would
    return any(matches(probe, pattern) for probe in PROBES)

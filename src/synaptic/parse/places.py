"""What a path is to its user: the whole system or home, a part of the system, the project, scratch, or elsewhere."""

import re
from enum import StrEnum
from fnmatch import fnmatchcase

import msgspec

from synaptic.parse.paths import LONGEST, Standpoint, inside, resolve
from synaptic.parse.shell.script import Word

SYSTEM = (
    "/applications", "/bin", "/boot", "/dev", "/efi", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/library",
    "/lost+found", "/nix", "/opt", "/private", "/proc", "/root", "/run", "/sbin", "/snap", "/srv", "/sys", "/system",
    "/usr", "/var",
)  # fmt: skip
"""Trees that belong to the machine; compared without case, as some file systems do."""
MOUNTED = re.compile(
    r"/(?:mnt|media|sysroot|target)(?:/[^/]+)?/(?:bin|boot|etc|lib|lib64|sbin|usr|var|root|home|users|windows"
    r"|program files)(?:/|$)"
)
"""The same trees of a system that is mounted somewhere."""
HOMES = re.compile(r"/(?:home|users)(?:/[^/]+)?$")
WINDOWS = re.compile(r"[A-Za-z]:")
"""A drive; a shell may have eaten the backslashes behind it."""
GLOB = re.compile(r"[*?\[]")
EXPANSION = re.compile(r"\$\{[^}]*\}|\$\((?:[^()]|\([^()]*\))*\)|\$\w+|\$[@*#?!-]|`[^`]*`")
CERTAIN = re.compile(r"\$\{\w+:\?")
"""`${X:?}`: the shell stops when it is empty."""
TEMPORARY = re.compile(r"\$\{?TMPDIR\b[^}/]*\}?/+(?!\.\.(?:/|$))[^/]")
PROBES = ("q9z", ".q9z", "q9z.w7k", "w")
"""Names that only a pattern for everything matches."""
PROBED = frozenset("*?".join(PROBES))
CLASS = re.compile(r"\[!?\]?[^\]]*+\]")


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
        if inside(self.project, (path,)) or inside(self.cwd, (path,)):
            return Place.PROJECT if inside(path, (self.project,)) else Place.WHOLE
        if inside(path, (self.project, *self.more)):
            return Place.PROJECT
        if any(inside(path, (folder,)) and path != folder for folder in self.scratch):
            return Place.SCRATCH
        return Place.SYSTEM if self._system(path) else Place.OUTSIDE

    def _system(self, path: str) -> bool:
        if inside(path, (self.home,)):
            return False
        low = path.lower()
        return low.count("/") == 1 or inside(low, SYSTEM) or bool(HOMES.match(low) or MOUNTED.match(low))

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
        return self._pattern(path) if word.glob and GLOB.search(path) else self.of(path)

    def _pattern(self, path: str) -> Place:
        first = path.split("/")[1]
        tops = [top for top in (*SYSTEM, "/home", "/users") if fnmatchcase(top[1:], first.lower())]
        if GLOB.search(first) and tops:
            return Place.SYSTEM
        whole = any(held and fnmatchcase(held, path) for held in (self.project, self.home))
        return Place.WHOLE if whole else self.of(path)


def _least(word: Word) -> str:
    """The text with what is unknown left out, and without patterns that match everything in a folder."""
    text = word.text
    if not word.known:
        text = EXPANSION.sub("x" if CERTAIN.search(text) else "", text)
    if word.glob or not word.known:
        text = without_everything(text)
    return text


def _below_here(text: str) -> bool:
    return text[:1] not in "/~" and ".." not in text and bool(text.strip("./"))


def _headless(word: Word) -> bool:
    """Whether it begins with something unknown: where it leads is anybody's guess."""
    return not word.known and EXPANSION.match(word.text) is not None


def without_everything(text: str) -> str:
    """`build/*` is about `build`, `*` about the folder one stands in."""
    if len(text) > LONGEST:
        return text
    while GLOB.search(last := text.rstrip("/").rpartition("/")[2]) and matches_everything(last):
        text = text.rstrip("/")[: -len(last)] or "."
    return text


def matches_everything(pattern: str) -> bool:
    """Whether a pattern matches any name, hidden or not."""
    if not PROBED.issuperset(CLASS.sub("", pattern)):
        return False  # it says more than a pattern for everything would
    return any(fnmatchcase(probe, pattern) for probe in PROBES)

"""What a path is to its user: the whole system or home, a part of the system, the project, scratch, or elsewhere."""

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import lru_cache

import msgspec

from synaptic.shell.globs import GLOB_CLASS, GLOB_SIGN, matches_glob
from synaptic.shell.paths import (
    CACHED_PATHS,
    MAX_CACHED_PATH,
    MAX_PATH,
    PLAIN_PATH,
    Standpoint,
    is_inside,
    is_settled,
    resolve_path,
)
from synaptic.shell.read.script import Word, are_known, join_texts

SYSTEM_TREES = (
    "/applications", "/bin", "/boot", "/dev", "/efi", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/library",
    "/lost+found", "/nix", "/opt", "/private", "/proc", "/root", "/run", "/sbin", "/snap", "/srv", "/sys", "/system",
    "/usr", "/var",
)  # fmt: skip
"""Trees that belong to the machine; compared without case, as some file systems do."""
TOP_FOLDERS = (*SYSTEM_TREES, "/home", "/users")
MOUNTED_TREES = re.compile(
    r"/(?:mnt|media|sysroot|target)(?:/[^/]+)?/(?:bin|boot|etc|lib|lib64|sbin|usr|var|root|home|users|windows"
    r"|program files)(?:/|$)"
)
"""The same trees of a system that is mounted somewhere."""
HOME_FOLDER = re.compile(r"/(?:home|users)(?:/[^/]+)?$")
WINDOWS_DRIVE = re.compile(r"[A-Za-z]:")
"""A Windows drive. The shell may have removed the backslashes behind it, so none is asked for."""
EXPANSION = re.compile(r"\$\{[^}]*\}|\$\((?:[^()]|\([^()]*\))*\)|\$\w+|\$[@*#?!-]|`[^`]*`")
NEVER_EMPTY = re.compile(r"\$\{\w+:\?")
"""`${X:?}`: the shell stops when it is empty."""
TMPDIR_PATH = re.compile(r"\$\{?TMPDIR\b[^}/]*\}?/+(?!\.\.(?:/|$))[^/]")
PLAIN_WORD = r"(?:https?://)?(?:\w[\w.-]*+/)*+(?:[\w*?-][\w.*?-]*+|(?<=/))"
"""A name below the folder one stands in, a pattern for names there or in a folder of it, or an address on the web.

Not `-o/etc/x`: behind the letter of an option a path may begin at the root.
"""
PLAIN_WORDS = re.compile(rf"{PLAIN_WORD}(?:\n{PLAIN_WORD})*+")
"""Such words, each on its line."""
MAX_PLAIN = 50_000
"""Characters of words that are looked at together."""
PROBE_NAMES = ("q9z", ".q9z", "q9z.w7k", "w")
"""Names that only a pattern for everything matches."""
PROBE_LETTERS = frozenset("*?".join(PROBE_NAMES))


class PathArea(StrEnum):
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


class WorkFolders(msgspec.Struct, frozen=True):
    """The folders that matter to one user at one moment."""

    project: str
    home: str
    cwd: str = ""
    """Where the agent stands when the command starts."""
    more: tuple[str, ...] = ()
    """Further folders that are worked in."""
    scratch: tuple[str, ...] = ()

    def classify(self, path: str) -> PathArea:
        """What a resolved path is."""
        if path == "/" or is_inside(self.home, (path,)):
            return PathArea.WHOLE
        if path in (self.project, self.cwd):
            return PathArea.HERE
        # A parent of the project or of the current folder: deleting it deletes the work as well.
        if is_inside(self.project, (path,)) or is_inside(self.cwd, (path,)):
            return PathArea.PROJECT if is_inside(path, (self.project,)) else PathArea.WHOLE
        if is_inside(path, (self.project, *self.more)):
            return PathArea.PROJECT
        if self.is_scratch(path):
            return PathArea.SCRATCH
        return PathArea.SYSTEM if self._is_system(path) else PathArea.OUTSIDE

    def is_scratch(self, path: str) -> bool:
        """Whether a path is in a scratch folder, also where a project lies in one."""
        return any(
            is_inside(path, (folder,)) and path != folder and self._is_disposable(path, folder)
            for folder in self.scratch
        )

    def _is_disposable(self, path: str, folder: str) -> bool:
        """Whether a scratch folder says what a path in it is: a home that lies in one is a home all the same."""
        return not is_inside(path, (self.home,)) or is_inside(folder, (self.home,))

    def _is_system(self, path: str) -> bool:
        if is_inside(path, (self.home,)):
            return False
        low = path.lower()
        return (
            low.count("/") == 1
            or is_inside(low, SYSTEM_TREES)
            or bool(HOME_FOLDER.match(low) or MOUNTED_TREES.match(low))
        )

    def are_plain_names(self, words: Iterable[Word], cwd: str) -> bool:
        """Whether all of these are plain names below the project, which need no closer look."""
        if not _is_work_folder(cwd or self.cwd, self.project, self.cwd, self.home):
            return False
        return all(word.known and not word.glob and PLAIN_PATH.fullmatch(word.text) for word in words)

    def stay_below(self, words: Sequence[Word], folders: Iterable[str]) -> bool:
        """The same also for patterns in plain folders, seen from several; many words cost little more than one."""
        for cwd in folders:
            if not _is_work_folder(cwd or self.cwd, self.project, self.cwd, self.home):
                return False
        text = join_texts(words)
        if not words or len(text) > MAX_PLAIN:
            return not words
        return are_known(words) and PLAIN_WORDS.fullmatch(text) is not None

    def classify_word(self, word: Word, cwd: str) -> PathArea:
        """What a word of a command would hit, patterns and unknown parts taken at their worst."""
        if len(word.text) > MAX_PATH:
            return PathArea.UNKNOWN
        if not word.known and TMPDIR_PATH.match(word.text):
            return PathArea.SCRATCH
        text = _strip_unknown(word)
        if not text or (_starts_unknown(word) and text.strip("/") and ".." not in text):
            return PathArea.UNKNOWN
        if WINDOWS_DRIVE.match(text):
            return PathArea.OUTSIDE
        path = resolve_path(text, Standpoint(cwd or self.cwd, self.home))
        if path is None:
            return PathArea.UNKNOWN
        if word.glob and path in self.scratch and text != word.text:
            return PathArea.SCRATCH  # what is in it, not the folder
        if self.cwd == "/" and _is_below_cwd(text) and not is_inside(path.lower(), SYSTEM_TREES):
            return PathArea.PROJECT  # an agent that was started at the root works there, as in a container
        sign = GLOB_SIGN.search(path) if word.glob else None
        return self._classify_pattern(path, path[: sign.start()]) if sign else self.classify(path)

    def _classify_pattern(self, path: str, certain: str) -> PathArea:
        """What a pattern would hit that is certain up to its first sign."""
        first = path.split("/", 2)[1].lower()
        # The pattern stands in the first folder below the root: `/e*` and `/[ub]*` reach system trees.
        if certain.count("/") == 1 and any(matches_glob(top[1:], first) for top in TOP_FOLDERS):
            return PathArea.SYSTEM
        whole = any(held.startswith(certain) and matches_glob(held, path) for held in (self.project, self.home))
        return PathArea.WHOLE if whole else self.classify(path)


@lru_cache(maxsize=256)
def _is_work_folder(folder: str, project: str, cwd: str, home: str) -> bool:
    """Whether everything below a folder is the project's, and neither the agent nor the home is further below."""
    if not project or not is_settled(folder) or is_inside(home, (folder,)):
        return False
    return is_inside(folder, (project,)) and is_inside(folder, (cwd,))


def _strip_unknown(word: Word) -> str:
    """The text with what is unknown left out, and without patterns that match everything in a folder."""
    text = word.text
    if not word.known:
        # An unknown variable counts as empty, the worst case for a deletion; `${X:?}` cannot be empty.
        text = EXPANSION.sub("x" if NEVER_EMPTY.search(text) else "", text)
    if word.glob or not word.known:
        text = strip_match_all(text)
    return text


def _is_below_cwd(text: str) -> bool:
    return text[:1] not in "/~" and ".." not in text and bool(text.strip("./"))


def _starts_unknown(word: Word) -> bool:
    """Whether it begins with something unknown, so that its folder cannot be told."""
    return not word.known and EXPANSION.match(word.text) is not None


def is_home_folder(path: str) -> bool:
    """Whether a resolved path is somebody's home, or the folder that homes stand in."""
    return HOME_FOLDER.match(path.lower()) is not None


def strip_match_all(text: str) -> str:
    """`build/*` is about `build`, `*` about the folder one stands in."""
    if len(text) > MAX_PATH:
        return text
    return _strip_match_all_cached(text) if len(text) <= MAX_CACHED_PATH else _strip_match_all(text)


def _strip_match_all(text: str) -> str:
    while GLOB_SIGN.search(last := text.rstrip("/").rpartition("/")[2]) and matches_everything(last):
        text = text.rstrip("/")[: -len(last)] or "."
    return text


_strip_match_all_cached = lru_cache(maxsize=CACHED_PATHS)(_strip_match_all)


def matches_everything(pattern: str) -> bool:
    """Whether a pattern matches any name, hidden or not."""
    if not PROBE_LETTERS.issuperset(GLOB_CLASS.sub("", pattern) if "[" in pattern else pattern):
        return False  # it says more than a pattern for everything would
    return any(matches_glob(probe, pattern) for probe in PROBE_NAMES)

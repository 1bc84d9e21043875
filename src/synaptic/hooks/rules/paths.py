"""Globs of a rule over paths, and the paths of a call as they are compared with them.

Compared part by part and without case, as some file systems do; no regular expression is made of a glob, and only the
last `**` is ever tried again, so no pattern and no path makes the comparison slow.
"""

import re
from collections.abc import Sequence

import msgspec

from synaptic.shell.globs import GLOB_SIGN, matches_glob

MAX_BRACED = 32
"""Patterns that one glob with braces may stand for."""
BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
DEEP = "**"


class NamedPath(msgspec.Struct, frozen=True):
    """A path that a call names: absolute, in lower case, in parts."""

    parts: tuple[str, ...]
    is_pattern: bool = False
    """The shell will fill in names: `*.json`."""
    is_below: bool = False
    """A search finds it, in any folder below the one that is named."""

    @property
    def name(self) -> str:
        return self.parts[-1] if self.parts else ""


class PathPattern(msgspec.Struct, frozen=True):
    """One glob of a rule."""

    parts: tuple[str, ...]
    """From the root of the file system on."""
    anchor: tuple[str, ...]
    """The folder that everything it matches is in, as far as it says; its own path where it has no sign."""
    is_anywhere: bool = False
    """A plain name, in any folder below."""

    def matches(self, path: NamedPath) -> bool:
        """Whether a path is meant, or may be, where it is a pattern itself."""
        if path.is_below:
            return self._may_be_found(path)
        if path.is_pattern:
            return self._may_be_filled_in(path)
        return match_parts(path.parts, self.parts)

    def is_taken_by(self, path: NamedPath) -> bool:
        """Whether what it means is gone with this folder."""
        above = self.anchor[: len(path.parts)]
        if len(above) < len(path.parts) or path.is_below:
            return False
        return path.parts == above or (path.is_pattern and all(map(may_both_match, path.parts, above)))

    def _may_be_filled_in(self, path: NamedPath) -> bool:
        # `dist/*` may hold any name; that alone is no reason to think of one. In the rule's own folder it is.
        if self.is_anywhere and not path.name.strip("*?") and path.parts[:-1] != self.anchor:
            return False
        return match_parts(path.parts, self.parts, overlap=True)

    def _may_be_found(self, path: NamedPath) -> bool:
        start = path.parts[:-1]
        size = min(len(start), len(self.anchor))
        return start[:size] == self.anchor[:size] and may_both_match(path.name, self.parts[-1])


def match_parts(parts: Sequence[str], pattern: Sequence[str], *, overlap: bool = False) -> bool:
    """Whether a pattern matches all parts of a path. `overlap`: parts of the path may be patterns, too."""
    compare = may_both_match if overlap else matches_glob
    at = place = 0
    star, mark, size = -1, 0, len(pattern)
    while at < len(parts):
        if place < size and pattern[place] == DEEP:
            star, mark, place = place, at, place + 1
        elif place < size and compare(parts[at], pattern[place]):
            at, place = at + 1, place + 1
        elif star < 0:
            return False
        else:  # the last `**` takes one part more
            mark += 1
            at, place = mark, star + 1
    return all(part == DEEP for part in pattern[place:])


def may_both_match(one: str, other: str) -> bool:
    """Whether there may be a name that both match; of two patterns only the ends are compared."""
    first, second = GLOB_SIGN.search(one), GLOB_SIGN.search(other)
    if other == DEEP or first is None:
        return matches_glob(one, other)
    if second is None:
        # A shell's pattern does not match a leading dot that it does not write.
        return (other[:1] != "." or one[:1] == ".") and matches_glob(other, one)
    size = min(first.start(), second.start())
    return one[:size] == other[:size] and _ends_agree(one, other)


def _ends_agree(one: str, other: str) -> bool:
    ends = [re.split(r"[*?\]]", text)[-1] for text in (one, other)]
    size = min(map(len, ends))
    return size == 0 or ends[0][-size:] == ends[1][-size:]


def split_path(path: str) -> tuple[str, ...]:
    """The parts of an absolute path, in lower case."""
    return tuple(part for part in path.lower().split("/") if part)


def compile_path_glob(text: str, base: str, home: str) -> tuple[PathPattern, ...]:
    """The patterns of one glob: relative to `base`, or anywhere in it for a plain name. Raises ValueError."""
    return tuple(_compile_plain(one, base, home) for one in _expand_braces(text))


def _compile_plain(text: str, base: str, home: str) -> PathPattern:
    check_glob(text)
    written = text.removeprefix("./")
    if written == "~" or written.startswith("~/"):
        start, written = split_path(home), written[2:]
    elif written.startswith("/"):
        start = ()
    else:
        start = split_path(base)
    inner = written.strip("/")
    folders = (DEEP,) if written.endswith("/") else ()
    parts = [part for part in inner.lower().split("/") if part not in ("", ".")]
    if not parts:
        raise ValueError("names no file")
    if "/" not in inner and not written.startswith("/") and not text.startswith(("~", "./")):
        return PathPattern((*start, DEEP, *parts, *folders), start, True)
    if not base and not written.startswith("/") and not text.startswith("~"):
        return PathPattern((DEEP, *parts, *folders), ())  # without a project nobody knows which folder is meant
    whole = _apply_dots((*start, *parts))
    literal = next((place for place, part in enumerate(whole) if GLOB_SIGN.search(part)), len(whole))
    return PathPattern((*whole, *folders), whole[:literal])


def _apply_dots(parts: Sequence[str]) -> tuple[str, ...]:
    found: list[str] = []
    for part in parts:
        if part == "..":
            del found[-1:]
        else:
            found.append(part)
    return tuple(found)


def check_glob(text: str) -> None:
    """Raises ValueError for a glob that cannot be one."""
    if not text.strip() or "\0" in text:
        raise ValueError("is empty or holds a NUL")
    if text.startswith("!"):
        raise ValueError("begins with `!`: a rule has no exceptions, only what it matches")
    if text.count("[") > len(re.findall(r"\[!?\]?[^\]]*\]", text)):
        raise ValueError("has a `[` without its `]`")


def _expand_braces(text: str) -> list[str]:
    """`*.{js,ts}` is two globs."""
    done, waiting = [], [text]
    while waiting:
        one = waiting.pop()
        found = BRACES.search(one)
        if found is None:
            done.append(one)
        else:
            waiting += [one[: found.start()] + item + one[found.end() :] for item in found[1].split(",")]
        if len(done) + len(waiting) > MAX_BRACED:
            raise ValueError(f"stands for more than {MAX_BRACED} globs")
    return done

"""Paths by their text alone: what a name means, and whether it stays inside a folder. Links are not followed."""

import os
import re
from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import unquote

import msgspec

VARIABLE = re.compile(r"\$(?:(HOME|PWD)\b|\{(HOME|PWD)\})")
ENCODED = re.compile(r"%(?:25)*(?:2e|2f|7e)", re.IGNORECASE)
PLAIN = re.compile(r"(?:[\w-][\w.-]*/)*+[\w-][\w.-]*")
"""Names below the folder one stands in: nothing to work out."""
LONGEST = 4096
"""Characters of a path; no system opens a longer one."""
SHORT = 256
"""Characters of a path whose meaning is remembered."""
REMEMBERED = 8192
"""Paths whose meaning is remembered: more than a script can name, so that each is worked out once for all guards."""
DECODINGS = 4
"""Rounds of percent-decoding, for text that was encoded more than once."""


class Standpoint(msgspec.Struct, frozen=True):
    """Where a relative path starts and where `~` leads."""

    cwd: str
    home: str = ""


def resolve(text: str, at: Standpoint) -> str | None:
    """The absolute, normal form of a path: `~`, `$HOME`, `$PWD`, `..` applied. None: empty, too long, or with a NUL."""
    if len(text) > LONGEST:
        return None
    return _remembered(text, at.cwd, at.home) if len(text) <= SHORT else _resolved(text, at.cwd, at.home)


@lru_cache(maxsize=256)
def settled(folder: str) -> bool:
    """Whether a plain name below a folder is resolved by writing it behind the folder."""
    # Otherwise the folder must be normalized first, and joining would give a second spelling of the same path.
    return folder[-1:] != "/" and ".." not in folder and not folder.startswith("/private")


def _resolved(text: str, cwd: str, home: str) -> str | None:
    if PLAIN.fullmatch(text) and cwd[-1:] != "/" and ".." not in cwd:
        return _canonical(f"{cwd}/{text}")
    if not text or "\0" in text:
        return None
    plain = text.removeprefix("file://")
    if plain.startswith("~"):
        plain = _tilde(plain, home)
    # Two substring tests are cheaper than the pattern, and nearly every word with `$` fails them.
    if "$" in plain and ("HOME" in plain or "PWD" in plain):
        plain = VARIABLE.sub(lambda found: home if "HOME" in found[0] else cwd, plain)
    if not plain.startswith("/"):
        plain = f"{cwd}/{plain}"
    return _canonical("/" + os.path.normpath(plain).lstrip("/"))


_remembered = lru_cache(maxsize=REMEMBERED)(_resolved)
"""Several guards ask about the same words."""


def readings(text: str, at: Standpoint) -> tuple[str, ...]:
    """Every path the text may mean: as it is, and with encoded dots and slashes decoded as a server would."""
    found = [resolve(text, at)]
    # Whoever opens the path may decode it once or more often, so every form counts.
    for _ in range(DECODINGS):
        if not ENCODED.search(text):
            break
        text = unquote(text)
        found.append(resolve(text, at))
    return tuple(dict.fromkeys(path for path in found if path is not None))


def inside(path: str, roots: Iterable[str]) -> bool:
    """Whether a resolved path is one of the roots or below one. An empty root holds nothing."""
    for root in roots:
        if root and path.startswith(start := stem(root)) and path[len(start) : len(start) + 1] in ("", "/"):
            return True
    return False


@lru_cache(maxsize=256)
def stem(root: str) -> str:
    """How every path inside a folder begins."""
    return _canonical(root.rstrip("/"))


def _tilde(text: str, home: str) -> str:
    user, slash, rest = text[1:].partition("/")
    # `~name`: other users' homes are assumed to stand beside this one; the password database is not asked.
    owner, _, own_name = home.rpartition("/")
    folder = home if user in ("", own_name) else f"{owner}/{user}"
    return f"{folder}{slash}{rest}"


def _canonical(path: str) -> str:
    # macOS reaches the same folders under /private.
    return path.removeprefix("/private") if path.startswith(("/private/tmp", "/private/var", "/private/etc")) else path

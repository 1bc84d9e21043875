"""Paths by their text alone: what a name means, and whether it stays inside a folder. Links are not followed."""

import os
import re
from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import unquote

import msgspec

FOLDER_VARIABLE = re.compile(r"\$(?:(HOME|PWD)\b|\{(HOME|PWD)\})")
ENCODED_SIGN = re.compile(r"%(?:25)*(?:2e|2f|7e)", re.IGNORECASE)
PLAIN_PATH = re.compile(r"(?:[\w-][\w.-]*/)*+[\w-][\w.-]*")
"""Names below the folder one stands in: nothing to work out."""
PROC_LINK = re.compile(r"/proc/(?:self|thread-self|\d+|\$\$|\$\{?\w+\}?)(?:/task/[^/]+)?/(cwd|root)(?=/|$)")
"""What Linux calls the folder of a process, or the root of its machine. Of another process it is taken for ours."""
REPEATED_SLASH = re.compile(r"/(?:\.?/)+")
DESCRIPTOR_FOLDER = re.compile(r"^/(?:dev/fd|proc/[^/]+/fd)/\.\./")
MACOS_DATA = "/System/Volumes/Data"
MACOS_DATA_INSIDE = f"{MACOS_DATA}/"
"""Under this name macOS shows the user's folders a second time."""
MAX_PATH = 4096
"""Characters of a path; no system opens a longer one."""
MAX_CACHED_PATH = 256
"""Characters of a path whose meaning is remembered."""
CACHED_PATHS = 8192
"""Paths whose meaning is remembered: more than a script can name, so that each is worked out once for all guards."""
MAX_DECODINGS = 4
"""Rounds of percent-decoding, for text that was encoded more than once."""


class Standpoint(msgspec.Struct, frozen=True):
    """Where a relative path starts and where `~` leads."""

    cwd: str
    home: str = ""


def resolve_path(text: str, at: Standpoint) -> str | None:
    """The absolute, normal form of a path: `~`, `$HOME`, `$PWD`, `..` applied. None: empty, too long, or with a NUL."""
    if len(text) > MAX_PATH:
        return None
    return (
        _resolve_cached(text, at.cwd, at.home)
        if len(text) <= MAX_CACHED_PATH
        else _resolve_uncached(text, at.cwd, at.home)
    )


@lru_cache(maxsize=256)
def is_settled(folder: str) -> bool:
    """Whether a plain name below a folder is resolved by writing it behind the folder."""
    # Otherwise the folder must be normalized first, and joining would give a second spelling of the same path.
    return folder[-1:] != "/" and ".." not in folder and not folder.startswith("/private")


def _resolve_uncached(text: str, cwd: str, home: str) -> str | None:
    if PLAIN_PATH.fullmatch(text) and cwd[-1:] != "/" and ".." not in cwd:
        return _strip_private(f"{cwd}/{text}")
    if not text or "\0" in text:
        return None
    plain = text.removeprefix("file://")
    if plain.startswith("~"):
        plain = _expand_tilde(plain, home)
    # Two substring tests are cheaper than the pattern, and nearly every word with `$` fails them.
    if "$" in plain and ("HOME" in plain or "PWD" in plain):
        plain = FOLDER_VARIABLE.sub(lambda found: home if "HOME" in found[0] else cwd, plain)
    if not plain.startswith("/"):
        plain = f"{cwd}/{plain}"
    # Names of the kernel for folders that have another one; only they make a link of a part of the path by its text.
    if "/proc/" in plain or "/fd/" in plain:
        plain = _leave_proc(plain, cwd)
    return _strip_private("/" + os.path.normpath(plain).lstrip("/"))


_resolve_cached = lru_cache(maxsize=CACHED_PATHS)(_resolve_uncached)
"""Several guards ask about the same words."""


def list_readings(text: str, at: Standpoint) -> tuple[str, ...]:
    """Every path the text may mean: as it is, and with encoded dots and slashes decoded as a server would."""
    found = [resolve_path(text, at)]
    # Whoever opens the path may decode it once or more often, so every form counts.
    for _ in range(MAX_DECODINGS):
        if not ENCODED_SIGN.search(text):
            break
        text = unquote(text)
        found.append(resolve_path(text, at))
    return tuple(dict.fromkeys(path for path in found if path is not None))


def is_inside(path: str, roots: Iterable[str]) -> bool:
    """Whether a resolved path is one of the roots or below one. An empty root holds nothing."""
    for root in roots:
        if root and path.startswith(start := find_stem(root)) and path[len(start) : len(start) + 1] in ("", "/"):
            return True
    return False


@lru_cache(maxsize=256)
def find_stem(root: str) -> str:
    """How every path inside a folder begins."""
    return _strip_private(root.rstrip("/"))


def _expand_tilde(text: str, home: str) -> str:
    user, slash, rest = text[1:].partition("/")
    # `~name`: other users' homes are assumed to stand beside this one; the password database is not asked.
    owner, _, own_name = home.rpartition("/")
    folder = home if user in ("", own_name) else f"{owner}/{user}"
    return f"{folder}{slash}{rest}"


def _leave_proc(path: str, cwd: str) -> str:
    """A path through `/proc/self/cwd` or `/proc/1/root` as it is outside of there."""
    whole = DESCRIPTOR_FOLDER.sub("/proc/self/", REPEATED_SLASH.sub("/", path), count=1)
    found = PROC_LINK.match(whole)
    if found is None:
        return path
    return f"{cwd if found[1] == 'cwd' else ''}{whole[found.end() :]}" or "/"


def _strip_private(path: str) -> str:
    path = path.removeprefix(MACOS_DATA) if path.startswith(MACOS_DATA_INSIDE) else path
    # macOS reaches the same folders under /private.
    return path.removeprefix("/private") if path.startswith(("/private/tmp", "/private/var", "/private/etc")) else path

"""Find the project that an event belongs to."""

import os
import stat
from collections.abc import Iterator, Mapping
from functools import lru_cache

from synaptic.files.long_paths import MAX_PATH_CHARS

CONTEXT_KEYS = ("claude-project-root", "claude_project_root", "claudeProjectRoot", "repository_root")
DECLARING_MARKER = ".synaptic"
PROJECT_MARKERS = (DECLARING_MARKER, ".claude", ".git")


def find_root(payload: Mapping[str, object], env: Mapping[str, str], cwd: str) -> str:
    """The project's root, without a trailing slash: context field, CLAUDE_PROJECT_DIR, marked ancestor, cwd.

    HOME and what lies above it are never a project: their `.synaptic` and `.claude` are the user's own, or put there by
    mistake, and would make one project of everything. No project is "".
    """
    homes = _list_homes(env.get("HOME", ""))
    for key in CONTEXT_KEYS:
        # Field names that different orchestrators send for the same thing.
        named = payload.get(key)
        if isinstance(named, str) and (root := _check_directory(named, homes)):
            return root
    if root := _check_directory(env.get("CLAUDE_PROJECT_DIR", ""), homes):
        return root
    place = _normalise_path(cwd) if cwd.startswith("/") and _can_be_path(cwd) else ""
    return _find_ancestor(place, homes) if 0 < len(place) <= MAX_PATH_CHARS else ""


def _can_be_path(text: str) -> bool:
    """Whether a system can have a folder of that name: without a NUL, and made of whole letters."""
    if "\0" in text:
        return False
    try:
        return text.isascii() or bool(os.fsencode(text))
    except UnicodeEncodeError:
        return False


def list_folders(root: str, cwd: str, home: str) -> tuple[str, ...]:
    """Every folder whose declarations count for a call, the outermost first: the root, and those with a `.synaptic`.

    From the folder of the call up, through the root and beyond it. Neither a `.claude` nor a repository in between
    ends the way: what stands further up was put there by the same user, and whoever works below could make either.
    HOME and what lies above it never count, nor does what somebody else has put over the projects of all.
    """
    if not root:
        return ()
    homes = _list_homes(home)
    place = _normalise_path(cwd) if cwd.startswith("/") and len(cwd) <= MAX_PATH_CHARS and _can_be_path(cwd) else root
    start = place if place.startswith(f"{root.rstrip('/')}/") else root
    found, folder = [], start
    while folder not in homes:
        if folder == root or _declares(folder, start):
            found.append(folder)
        folder = folder.rpartition("/")[0] or "/"
    return tuple(reversed(found)) or (root,)


@lru_cache(maxsize=16)
def _list_homes(home: str) -> frozenset[str]:
    """HOME as it is written and as it is resolved (an agent may report either), and every folder above."""
    if not home.startswith("/"):
        return frozenset({"/"})
    return frozenset({above for one in (_normalise_path(home), os.path.realpath(home)) for above in _iter_upwards(one)})


def _iter_upwards(folder: str) -> Iterator[str]:
    while folder.strip("/"):
        yield folder
        folder = folder.rpartition("/")[0]
    yield "/"


def _check_directory(path: str, homes: frozenset[str]) -> str:
    if not path.startswith("/"):
        return ""
    plain = _normalise_path(path)
    return plain if plain not in homes and os.path.isdir(plain) else ""  # noqa: PTH112 a Path costs as much as the stat


def _normalise_path(path: str) -> str:
    # normpath costs more than the questions it answers for a path that is already plain.
    if path.endswith("/") or "//" in path or "/." in path:
        return "/" + os.path.normpath(path).lstrip("/")
    return path


def _is_marker(path: str, folder: str, cwd: str) -> bool:
    """Whether something marks a project: in the folder itself whoever made it, above it only by the user or the system.

    In a folder that everybody can write to, such as /tmp, anybody can put a marker over the projects of all others.
    """
    try:
        # Not followed: in a worktree or submodule `.git` is a file, and a marker may be a broken link.
        marker = os.lstat(path)
    except (OSError, ValueError):
        return False
    return folder == cwd or _is_own_above(marker.st_uid, folder, cwd)


def _declares(folder: str, start: str) -> bool:
    """Whether a folder has declarations that count. Asked of every folder above, for every call: most have none."""
    path = f"{folder}/{DECLARING_MARKER}"
    # The question first: the exception of a stat costs more than that.
    return os.access(path, os.F_OK) and _is_marker(path, folder, start)


def has_foreign_owner(root: str) -> bool:
    """Whether the `.synaptic` of a folder was put there by somebody else, as anybody can in /tmp."""
    try:
        brought, here = os.lstat(f"{root.rstrip('/')}/.synaptic"), os.stat(root)  # noqa: PTH116
    except (OSError, ValueError):
        return False
    return brought.st_uid not in (0, os.geteuid(), here.st_uid)


def _is_own_above(owner: int, folder: str, cwd: str) -> bool:
    try:
        above, here = os.stat(folder), os.stat(cwd)  # noqa: PTH116 - text paths throughout
    except (OSError, ValueError):
        return False
    # The owner of the folder that the work is in counts as well: a container's root works in its user's projects.
    owners = {0, os.geteuid(), here.st_uid}
    return owner in owners and above.st_uid in owners and not above.st_mode & stat.S_IWOTH


def _find_ancestor(cwd: str, homes: frozenset[str]) -> str:
    folder = cwd
    while folder not in homes:
        prefix = folder.rstrip("/")
        if any(_is_marker(f"{prefix}/{marker}", folder, cwd) for marker in PROJECT_MARKERS):
            return folder
        if not prefix:
            break
        folder = prefix.rpartition("/")[0] or "/"
    # A folder without a marker still is a project of its own: guards protect it, and its state has an owner.
    return "" if cwd in homes else cwd

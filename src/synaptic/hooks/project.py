"""Find the project that an event belongs to."""

import os
from collections.abc import Mapping
from functools import lru_cache

from synaptic.files.long_paths import MAX_PATH_CHARS

CONTEXT_KEYS = ("claude-project-root", "claude_project_root", "claudeProjectRoot", "repository_root")
PROJECT_MARKERS = (".synaptic", ".claude", ".git")


def find_root(payload: Mapping[str, object], env: Mapping[str, str], cwd: str) -> str:
    """The project's root, without a trailing slash: context field, CLAUDE_PROJECT_DIR, marked ancestor, cwd.

    HOME itself is never a project: its `.synaptic` and `.claude` are the user's own. No project is "".
    """
    homes = _list_homes(env.get("HOME", ""))
    for key in CONTEXT_KEYS:
        # Field names that different orchestrators send for the same thing.
        named = payload.get(key)
        if isinstance(named, str) and (root := _check_directory(named, homes)):
            return root
    if root := _check_directory(env.get("CLAUDE_PROJECT_DIR", ""), homes):
        return root
    place = _normalise_path(cwd) if cwd.startswith("/") else ""
    return _find_ancestor(place, homes) if 0 < len(place) <= MAX_PATH_CHARS else ""


@lru_cache(maxsize=16)
def _list_homes(home: str) -> frozenset[str]:
    """HOME as it is written and as it is resolved: an agent may report either."""
    return frozenset({_normalise_path(home), os.path.realpath(home)}) if home.startswith("/") else frozenset()


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


def _find_ancestor(cwd: str, homes: frozenset[str]) -> str:
    folder = cwd
    while folder not in homes:
        prefix = folder.rstrip("/")
        # lexists: in a worktree or submodule `.git` is a file, and a marker may be a broken link.
        if any(os.path.lexists(f"{prefix}/{marker}") for marker in PROJECT_MARKERS):
            return folder
        if not prefix:
            break
        folder = prefix.rpartition("/")[0] or "/"
    # A folder without a marker still is a project of its own: guards protect it, and its state has an owner.
    return "" if cwd in homes else cwd

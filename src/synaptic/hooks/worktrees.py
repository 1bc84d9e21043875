"""Name the repository that a project is a worktree of, so that an agreement can count in all of them.

A `.git` file is part of what a repository brings and may say anything. It counts only where the git folder that it
names knows this worktree, and where everything on the way has one owner: nobody else can write both sides.
"""

import os
import stat

from synaptic.files.bounded import read_content

LINK_LIMIT = 4096
"""Bytes of a file that names a folder."""
NAME_PREFIX = "git:"
"""No root starts like this, so no agreement of a repository is taken for one of a folder."""


def name_repository(root: str) -> str:
    """What all worktrees of a repository have in common: its git folder, and the project's place in the tree.

    Empty where there is no repository, or where only one side says so.
    """
    try:
        place = os.path.realpath(root, strict=True) if root else ""
        top = _find_top(place)
        common = _find_common(top) if top else ""
        if not common or _count_owners(place, top, f"{top}/.git", common) != 1:
            return ""
        name = f"{NAME_PREFIX}{common}//{place[len(top) :].strip('/')}"
        name.encode()
    except (OSError, ValueError):  # missing, or a name that no database holds
        return ""
    return name


def describe_repository(name: str) -> str:
    """The name in words."""
    common, _, folder = name.removeprefix(NAME_PREFIX).rpartition("//")
    return f"worktrees of {common}" + (f", {folder}" if folder else "")


def _find_top(folder: str) -> str:
    while folder.strip("/"):
        if os.path.lexists(f"{folder}/.git"):
            return folder
        folder = folder.rpartition("/")[0]
    return ""


def _find_common(top: str) -> str:
    """The git folder of all worktrees: `.git` itself, or what holds the folder that a `.git` file names."""
    entry = f"{top}/.git"
    mode = os.lstat(entry).st_mode
    if stat.S_ISDIR(mode):
        return entry
    # Not through a link: it would make a main worktree of any folder.
    return _read_linked(entry) if stat.S_ISREG(mode) else ""


def _read_linked(entry: str) -> str:
    admin = _follow(entry, "gitdir:")
    worktrees, _, _ = admin.rpartition("/")
    common = worktrees.removesuffix("/worktrees")
    if not admin or common == worktrees or _follow(f"{admin}/gitdir") != entry:
        return ""
    if _follow(f"{admin}/commondir") != common or _count_owners(entry, admin, f"{admin}/gitdir", common) != 1:
        return ""
    return common


def _follow(file: str, mark: str = "") -> str:
    """The place that a file names, as it is without links; empty when it names none."""
    content = read_content(file, LINK_LIMIT)
    named = os.fsdecode(content).strip() if isinstance(content, bytes) else ""
    if not named.startswith(mark) or not (target := named.removeprefix(mark).strip()):
        return ""
    return os.path.realpath(os.path.join(os.path.dirname(file), target))  # noqa: PTH118, PTH120 - text paths


def _count_owners(*paths: str) -> int:
    return len({os.lstat(path).st_uid for path in paths})

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


MAX_NAMES = 256
"""Upper bound of cached names."""

FileMark = tuple[int, ...] | None
"""What tells one file from another, and from itself before somebody wrote to it; None when there is none."""

_KNOWN_NAMES: dict[str, tuple[str, dict[str, FileMark]]] = {}
"""By root, with every file that was looked at. Each is checked before it is used: this is asked for every event."""


def name_repository(root: str) -> str:
    """What all worktrees of a repository have in common: its git folder, and the project's place in the tree.

    Empty where there is no repository, or where only one side says so.
    """
    known = _KNOWN_NAMES.get(root)
    if known and all(_read_mark(path) == mark for path, mark in known[1].items()):
        return known[0]
    search = _RepositorySearch()
    try:
        name = search.find_name(root) if root else ""
        name.encode()
    except (OSError, ValueError):  # missing, or a name that no database holds
        name = ""
    if len(_KNOWN_NAMES) >= MAX_NAMES:
        _KNOWN_NAMES.clear()
    _KNOWN_NAMES[root] = (name, search.seen)
    return name


def describe_repository(name: str) -> str:
    """The name in words."""
    common, _, folder = name.removeprefix(NAME_PREFIX).rpartition("//")
    return f"worktrees of {common}" + (f", {folder}" if folder else "")


class _RepositorySearch:
    """One search, from the root of a project to the git folder of its repository."""

    def __init__(self) -> None:
        self.seen: dict[str, FileMark] = {}

    def find_name(self, root: str) -> str:
        self._look(root)
        place = os.path.realpath(root, strict=True)
        top = self._find_top(place)
        common = self._find_common(top) if top else ""
        if not common or not self._have_one_owner(place, top, f"{top}/.git", common):
            return ""
        return f"{NAME_PREFIX}{common}//{place[len(top) :].strip('/')}"

    def _find_top(self, folder: str) -> str:
        while folder.strip("/"):
            if self._look(f"{folder}/.git"):
                return folder
            folder = folder.rpartition("/")[0]
        return ""

    def _find_common(self, top: str) -> str:
        """The git folder of all worktrees: `.git` itself, or what holds the folder that a `.git` file names."""
        entry = f"{top}/.git"
        mode = os.lstat(entry).st_mode
        if stat.S_ISDIR(mode):
            return entry
        # Not through a link: it would make a main worktree of any folder.
        return self._read_linked(entry) if stat.S_ISREG(mode) else ""

    def _read_linked(self, entry: str) -> str:
        admin = self._follow(entry, "gitdir:")
        worktrees, _, _ = admin.rpartition("/")
        common = worktrees.removesuffix("/worktrees")
        if not admin or common == worktrees or self._follow(f"{admin}/gitdir") != entry:
            return ""
        if self._follow(f"{admin}/commondir") != common:
            return ""
        return common if self._have_one_owner(entry, admin, f"{admin}/gitdir", common) else ""

    def _follow(self, file: str, mark: str = "") -> str:
        """The place that a file names, as it is without links; empty when it names none."""
        self._look(file)
        content = read_content(file, LINK_LIMIT)
        named = os.fsdecode(content).strip() if isinstance(content, bytes) else ""
        if not named.startswith(mark) or not (target := named.removeprefix(mark).strip()):
            return ""
        return os.path.realpath(os.path.join(os.path.dirname(file), target))  # noqa: PTH118, PTH120 - text paths

    def _have_one_owner(self, *paths: str) -> bool:
        for path in paths:
            self._look(path)
        return len({os.lstat(path).st_uid for path in paths}) == 1

    def _look(self, path: str) -> FileMark:
        """Before it is read: a write in between is seen the next time."""
        return self.seen.setdefault(path, _read_mark(path))


def _read_mark(path: str) -> FileMark:
    try:
        found = os.lstat(path)
    except (OSError, ValueError):
        return None
    who = (found.st_dev, found.st_ino, found.st_uid, found.st_mode)
    # A folder's time changes with every call of git.
    return who if stat.S_ISDIR(found.st_mode) else (*who, found.st_size, found.st_ctime_ns)

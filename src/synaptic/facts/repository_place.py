"""Where a working tree and its repository lie, for those who ask git about them."""

import os
import re
from pathlib import Path

import msgspec

from synaptic.facts import git
from synaptic.files.bounded import read_content

CONFIG_LIMIT = 1 << 20
USER_SETTINGS = (".gitconfig", ".config/git/config")
NAMED_TREE = re.compile(rb"\bworktree\s*=")
UNREADABLE_FORMATS = (b"refstorage", b"objectformat")
"""Settings of repositories whose files have another form than is read here."""


class RepositoryPlace(msgspec.Struct, frozen=True, kw_only=True):
    """One working tree."""

    top: str
    folder: str
    """Its own git folder."""
    common: str
    """The git folder that all worktrees share."""
    branch: str = ""
    commit: str = ""
    recurses: bool = False
    """Whether settings may have git do the same in submodules."""

    def name_from_top(self, folder: str, paths: tuple[str, ...]) -> tuple[str, ...] | None:
        """Paths as they are seen from the top; None when one leads out, or has signs that only git reads."""
        start = os.path.realpath(folder)
        found = tuple(self._name_from_top(start, path) for path in paths)
        return None if None in found else tuple(path for path in found if path is not None)

    def _name_from_top(self, start: str, path: str) -> str | None:
        if path == ":/":
            return "."
        if path[:1] == ":" or "\0" in path or path[:1] == "~":
            return None
        whole = os.path.normpath(os.path.join(start, path))  # noqa: PTH118 - text only
        if whole == self.top:
            return "."
        if not whole.startswith(f"{self.top.rstrip('/')}/"):
            # A path that was written through a link: the part in front of its name is looked up.
            parent, _, name = whole.rpartition("/")
            whole = f"{os.path.realpath(parent)}/{name}"
        return whole.removeprefix(f"{self.top.rstrip('/')}/") if whole.startswith(f"{self.top.rstrip('/')}/") else None


def find_place(folder: str) -> RepositoryPlace | None:
    """The working tree around a folder that is there; None where git would find something else, or nothing."""
    if not os.path.isdir(folder):  # noqa: PTH112 - text paths throughout
        return None
    tree = git.read_working_tree(folder)
    inner = git.find_git_folder(tree.top) if tree.is_known else ""
    if not inner:
        return None
    common = git.find_common_folder(inner)
    content = read_content(f"{common}/config", CONFIG_LIMIT)
    settings = content.lower() if isinstance(content, bytes) else b""
    # A submodule names its own working tree; another repository that names one works elsewhere.
    elsewhere = NAMED_TREE.search(settings) is not None and not tree.submodule
    if not settings or elsewhere or any(name in settings for name in UNREADABLE_FORMATS):
        return None
    return RepositoryPlace(
        top=tree.top,
        folder=inner,
        common=common,
        branch=tree.branch,
        commit=tree.commit,
        recurses=b"recurse" in settings or _user_recurses(),
    )


def has_worktrees(folder: str) -> bool:
    """Whether a folder may belong to a repository with linked worktrees; cheaper than reading the repository."""
    current = folder
    while current:
        entry = f"{current.rstrip('/')}/.git"
        if os.path.lexists(entry):
            return os.path.isfile(entry) or os.path.isdir(f"{entry}/worktrees")  # noqa: PTH112, PTH113
        current = current.rpartition("/")[0]
    return False


def _user_recurses() -> bool:
    return any(b"recurse" in _read_settings(str(Path.home() / name)) for name in USER_SETTINGS)


def _read_settings(path: str) -> bytes:
    content = read_content(path, CONFIG_LIMIT)
    return content.lower() if isinstance(content, bytes) else b""

"""What a repository and its practice look like at one moment: facts, without how they were found."""

from collections.abc import Mapping

import msgspec


class Git(msgspec.Struct, frozen=True, kw_only=True):
    """A working tree, read from git's own files. Without a repository everything is empty."""

    top: str = ""
    """The folder that is checked out; empty where there is no repository."""
    branch: str = ""
    """Empty on a detached HEAD."""
    commit: str = ""
    """The commit that is checked out; empty before the first one."""
    bare: bool = False
    linked: bool = False
    """A worktree beside the main one."""
    submodule: bool = False
    main: str = ""
    """The main working tree; empty for a bare repository."""
    worktrees: tuple[str, ...] = ()
    """The linked ones: neither the main one nor a bare repository."""
    missing: bool = False
    """The folder that was asked about is not there; the rest is about the one above it."""
    empty: bool = False
    """It is there, in no repository, and nothing is in it."""

    @property
    def is_known(self) -> bool:
        return bool(self.top)

    @property
    def is_detached(self) -> bool:
        return self.is_known and not self.branch

    @property
    def is_unborn(self) -> bool:
        """A branch without any commit."""
        return bool(self.branch) and not self.commit


class KnownRemotes(msgspec.Struct, frozen=True, kw_only=True):
    """What a repository knows of its remotes."""

    remotes: frozenset[str] = frozenset()
    """Their names."""
    branches: frozenset[str] = frozenset()
    """Branches that were fetched from them, or pushed to them, as `origin/main`."""
    tags: frozenset[str] = frozenset()


class PendingCommit(msgspec.Struct, frozen=True, kw_only=True):
    """What the next commit of a working tree would be."""

    merging: bool = False
    """It would complete a merge."""
    staged: tuple[str, ...] = ()
    """Its files."""


class PlanFile(msgspec.Struct, frozen=True, kw_only=True):
    """`MASTER_PLAN.md` as it is on disk."""

    path: str = ""
    text: str = ""
    modified: float = 0.0

    @property
    def exists(self) -> bool:
        return bool(self.path)


class TestStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The last run of the tests, as `.claude/.test-status` says it."""

    __test__ = False  # a value, whatever its name looks like to a test runner

    result: str
    """`pass` or `fail`."""
    failures: int = 0
    at: float = 0.0

    @property
    def has_passed(self) -> bool:
        return self.result == "pass"

    def compute_age(self, now: float) -> int:
        """Whole seconds."""
        return int(now) - int(self.at)


class TargetFile(msgspec.Struct, frozen=True, kw_only=True):
    """The file that a tool call names, as it is on disk when the event arrives."""

    path: str = ""
    """Absolute."""
    exists: bool = False
    folder: bool = False
    """Its folder is there."""
    text: str = ""
    """Its content; empty for a file that is too large or no text."""


class Tooling(msgspec.Struct, frozen=True, kw_only=True):
    """A program that a project is checked with."""

    name: str = ""
    argv: tuple[str, ...] = ()
    """Empty when nothing was detected, or when the program is not installed."""
    cwd: str = ""


class ChangedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file that the session wrote and that is still there."""

    path: str
    text: str = ""


class CodeDecisions(msgspec.Struct, frozen=True, kw_only=True):
    """Decision ids in the code of a project, each with how often it occurs."""

    decisions: Mapping[str, int] = {}
    complete: bool = True
    """False when there was too much to read."""

"""Read a `git push`: which remote branches it writes, overwrites or deletes."""

from collections.abc import Iterable
from fnmatch import fnmatchcase

import msgspec

from synaptic.shell.book.arguments import Arguments, Flag
from synaptic.shell.programs.git_line import GitCall
from synaptic.shell.read.script import Word

GENTLE_FLAGS = ("force-with-lease", "force-if-includes")
EVERY_BRANCH_FLAGS = ("mirror", "all", "branches")
CURRENT_NAMES = ("HEAD", "@", "")


class Push(msgspec.Struct, frozen=True):
    """One `git push`, with the branch that is checked out."""

    call: GitCall
    given: Arguments
    branch: str = ""

    @property
    def refspecs(self) -> tuple[Word, ...]:
        return self.given.operands[1:]

    @property
    def force_flags(self) -> tuple[Flag, ...]:
        """The flags that overwrite without looking. An option that git does not have, but spelled like them, counts."""
        named = {flag.name: flag for flag in self.given.flags if flag.name.startswith("force")}
        on = {name for name, flag in named.items() if flag.on and name not in GENTLE_FLAGS}
        return tuple(flag for flag in self.given.flags if flag.name in on)

    @property
    def plus_refspecs(self) -> tuple[Word, ...]:
        """Refspecs with a plus sign in front."""
        return tuple(word for word in self.refspecs if word.text[:1] == "+")

    @property
    def deleted_branches(self) -> tuple[str, ...]:
        """Branches of the remote that are deleted; `*` for all that do not exist here."""
        if self.given.has("delete"):
            return tuple(shorten_ref(word.text) for word in self.refspecs)
        named = tuple(shorten_ref(word.text.lstrip("+:")) for word in self.refspecs if word.text.lstrip("+")[:1] == ":")
        gone = tuple(name for name in named if name)
        return (*gone, "*") if self.given.has("prune") else gone

    @property
    def targets(self) -> tuple[str, ...]:
        """Branches of the remote that are written."""
        if self.given.has(*EVERY_BRANCH_FLAGS):
            return ("*",)
        # Without a refspec the current branch is pushed, hence the empty name below.
        names = [word.text.lstrip("+").rpartition(":")[2] for word in self.refspecs]
        return tuple(self.branch if name in CURRENT_NAMES else shorten_ref(name) for name in names or ("",))


def read_push(call: GitCall, branch: str) -> Push | None:
    """The push that a call makes; None for other verbs and for dry runs."""
    if call.verb != "push":
        return None
    given = call.given
    return None if given.has("dry-run") else Push(call, given, branch)


def shorten_ref(ref: str) -> str:
    """A branch without `refs/heads/`."""
    return ref.removeprefix("refs/").removeprefix("heads/")


def find_protected(names: Iterable[str], protected: Iterable[str]) -> str:
    """The first name that is protected, in any case of its letters; `*` is every branch."""
    patterns = [pattern.lower() for pattern in protected]
    for name in names:
        if any("*" in name or fnmatchcase(name.lower(), pattern) for pattern in patterns):
            return name
    return ""

"""What a git command would throw away that nothing else keeps: a fact, without how it was found."""

import msgspec

UNTRACKED = "untracked"
MAX_NAMED = 5
"""Files, commits or stashes that a sentence names; the rest is counted."""


class LostFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file whose content would be gone."""

    path: str
    """As git names it, from the top of the working tree."""
    added: int = 0
    removed: int = 0
    """Lines against the last commit; both 0 where nobody counted."""
    note: str = ""
    """What is special about it: `untracked`, `hidden from git status`."""

    def __str__(self) -> str:
        counts = " ".join(f"{sign}{count}" for sign, count in (("+", self.added), ("-", self.removed)) if count)
        return " ".join(filter(None, (self.path, counts or (f"({self.note})" if self.note else ""))))


class LostWork(msgspec.Struct, frozen=True, kw_only=True):
    """What would be lost. One that holds nothing was looked for and not found."""

    files: tuple[LostFile, ...] = ()
    """Content that is in no commit and in no stash."""
    commits: tuple[str, ...] = ()
    """Commits, with their subjects, that no other branch, tag or remote leads to."""
    stashes: tuple[str, ...] = ()
    """Stashes whose changes are nowhere else, each as git lists it."""
    state: str = ""
    """What is going on in the working tree and would be broken off: `a merge`."""
    more: bool = False
    """There is more than is listed here."""

    @property
    def is_nothing(self) -> bool:
        return not (self.files or self.commits or self.stashes or self.state)

    def __str__(self) -> str:
        parts = (
            _count(self.files, "file", self.more),
            _count(self.commits, "commit", self.more),
            _count(self.stashes, "stash", self.more, "stashes"),
            self.state,
        )
        return "; ".join(filter(None, parts))


def add_losses(first: LostWork, second: LostWork) -> LostWork:
    """Both together."""
    known = {file.path for file in first.files}
    return LostWork(
        files=first.files + tuple(file for file in second.files if file.path not in known),
        commits=first.commits + tuple(one for one in second.commits if one not in first.commits),
        stashes=first.stashes + tuple(one for one in second.stashes if one not in first.stashes),
        state=first.state or second.state,
        more=first.more or second.more,
    )


def _count(items: tuple[object, ...], noun: str, more: bool, plural: str = "") -> str:
    if not items:
        return ""
    named = ", ".join(map(str, items[:MAX_NAMED])) + (", ..." if len(items) > MAX_NAMED or more else "")
    count = f"{len(items)}+" if more else str(len(items))
    return f"{count} {noun if len(items) == 1 and not more else plural or noun + 's'}: {named}"

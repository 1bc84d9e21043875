"""Which branches a command moves to other commits, and which commits something still leads to then: from its words."""

import re
from collections.abc import Iterator, Mapping

import msgspec

from synaptic.policies.git.sequence import is_chained
from synaptic.shell.book.arguments import Arguments
from synaptic.shell.programs.git_line import GitCall
from synaptic.shell.read.script import Word
from synaptic.shell.reading import CommandReading

CURRENT, EVERY_BRANCH = "HEAD", "*"
"""Names for the branch that is checked out, and for all of them."""
HEADS, REFERENCES = "refs/heads/", "refs/"
CURRENT_NAME = re.compile(
    r"\"?\$\(git (?:branch --show-current|rev-parse --abbrev-ref (?:HEAD|@)"
    r"|symbolic-ref (?:-q )?--short (?:-q )?HEAD)\)\"?"
)
OTHER_BRANCH_WORK = ("delete", "D", "move", "M", "copy", "C", "list", "set-upstream-to", "unset-upstream")
LOST_NAMES = ("delete", "D", "d", "move", "M", "force", "f")
TAKING_VERBS = ("merge", "cherry-pick", "rebase")
"""Verbs that take the commits of a branch into another one."""
UPDATE = re.compile(r"^update ([^\s\"]+) ([^\s\"]+)", re.MULTILINE)
UNSEEN_TARGETS = frozenset({"FETCH_HEAD", "ORIG_HEAD", ""})
"""Commits that a call in front of this one may change; nothing is said to be kept by them."""
Move = tuple[str, str]
"""A branch, and the commit that it leads to afterwards; empty when the words do not say it."""


class BranchMoves(msgspec.Struct, frozen=True):
    """What the calls of one folder do to branches, in the end."""

    moved: tuple[str, ...] = ()
    """Branches that lead elsewhere, or are gone."""
    kept: tuple[str, ...] = ()
    """Commits that something leads to, named as they are called in front of the command."""
    made: Mapping[str, str] = {}
    """Branches and tags that the command has made for certain, each with the commit that it leads to."""
    drops_new_commit: bool = False
    """A commit that the same line makes is left as well."""


def list_moves(call: GitCall) -> tuple[Move, ...]:
    """The branches that a call moves by force, wherever they led to."""
    reads = MOVING_VERBS.get(call.verb)
    return tuple((name, target) for name, target in reads(call) if name) if reads is not None else ()


def find_branch_moves(call: GitCall, known: CommandReading, current: str = CURRENT) -> BranchMoves:
    """What becomes of branches up to a call that moves one; `current` is checked out when the command starts."""
    course = _Course(current)
    for other in known.acting_git_calls:
        if other.cwd != call.cwd:
            continue
        if other.command.index <= call.command.index:
            course.follow(other, is_certain=is_chained(other.command, call.command, known))
        else:
            course.drop(other)
    return course.sum_up()


class _Course:
    """Where branches lead, call by call."""

    def __init__(self, current: str) -> None:
        self.current = current
        self.moves: dict[str, str] = {}
        self.made: dict[str, str] = {}
        self.fresh: set[str] = set()
        self.dropped: set[str] = set()
        self.drops_new_commit = False

    def follow(self, call: GitCall, is_certain: bool) -> None:
        for name, target in list_moves(call):
            branch = self.current if name == CURRENT else name
            self.drops_new_commit |= branch in self.fresh and self._resolve(target) != branch
            self.moves[branch] = self._resolve(target)
        self.drops_new_commit |= not self.fresh.isdisjoint(_list_deleted(call))
        self.drop(call)
        if call.verb == "commit" and not call.given.has("dry-run"):
            self.fresh.add(self.current)
        if is_certain:
            self._keep(call)
        self.current = _find_checked_out(call) or self.current

    def drop(self, call: GitCall) -> None:
        """Forget what was made under a name that a call takes away."""
        names = [word.text for word in call.given.operands] if call.verb in ("branch", "tag") else []
        if names and call.given.has(*LOST_NAMES):
            self.dropped.update(names)
            self.moves.update(dict.fromkeys(_list_deleted(call), ""))

    def _keep(self, call: GitCall) -> None:
        if call.verb in TAKING_VERBS:
            self.fresh.difference_update(word.text for word in call.given.operands)
        for name, start in _iter_made(call):
            self.made[name] = self._resolve(start)
            self.fresh.discard(self.current if start == CURRENT else start)

    def _resolve(self, name: str) -> str:
        """A commit as it was called before the first call."""
        start = self.current + name.removeprefix(CURRENT) if name.startswith(CURRENT) else name
        return self.moves.get(start, start)

    def sum_up(self) -> BranchMoves:
        made = {name: at for name, at in self.made.items() if name not in self.dropped | {*self.moves}}
        kept = {*self.moves.values(), *made.values()} - UNSEEN_TARGETS
        return BranchMoves(tuple(sorted(self.moves)), tuple(sorted(kept)), made, self.drops_new_commit)


def _list_deleted(call: GitCall) -> list[str]:
    is_deleting = call.verb == "branch" and call.given.has("D", "delete")
    return [word.text for word in call.given.operands] if is_deleting else []


def _find_checked_out(call: GitCall) -> str:
    """What is checked out after a call, as git understands it; empty when that stays."""
    given = call.given
    if call.verb not in ("checkout", "switch") or given.dashes:
        return ""
    created = given.find_last("b", "B", "create", "force-create", "orphan")
    name = given.get_value(created) if created else given.words[0].text if len(given.words) == 1 else ""
    return "@{-1}" if name == "-" else name


def _iter_made(call: GitCall) -> Iterator[Move]:
    """Branches and tags that a call makes where none was, and what it brings to a remote."""
    given = call.given
    words = [word.text for word in given.operands]
    if call.verb in ("branch", "tag") and words and not given.has("d", "l", "f", "force", *OTHER_BRANCH_WORK):
        yield words[0], words[1] if len(words) > 1 else CURRENT
    elif call.verb in ("checkout", "switch") and (name := given.get_value("b") or given.get_value("create")):
        yield name, words[0] if words else CURRENT
    elif call.verb == "push" and not given.has("dry-run", "delete", "prune"):
        sources = [text.lstrip("+").partition(":")[0] for text in words[1:]] or [CURRENT]
        yield from ((f"pushed {source}", source) for source in sources if source)


def _read_checkout(call: GitCall) -> Iterator[Move]:
    yield from _read_created(call.given.get_values("B"), call.given.words)


def _read_switch(call: GitCall) -> Iterator[Move]:
    yield from _read_created(call.given.get_values("force-create"), call.given.words)


def _read_worktree(call: GitCall) -> Iterator[Move]:
    words = call.given.operands
    if words and words[0].text == "add":
        yield from _read_created(call.given.get_values("B"), words[2:])


def _read_branch(call: GitCall) -> Iterator[Move]:
    given = call.given
    if given.has("force") and not given.has(*OTHER_BRANCH_WORK):
        yield from _read_created(given.operands[:1], given.operands[1:])


def _read_created(names: tuple[Word, ...], starts: tuple[Word, ...]) -> Iterator[Move]:
    if names:
        yield _name_branch(names[-1]), _name_commit(starts[0]) if starts else CURRENT


def _read_update(call: GitCall) -> Iterator[Move]:
    given = call.given
    if given.has("stdin"):
        found = UPDATE.findall(call.command.stdin or "")
        yield from ((_shorten_head(name), _check_commit(target)) for name, target in found)
    elif not given.has("d") and len(given.operands) > 1:
        name = given.operands[0]
        yield _shorten_head(name.text) if name.known else "", _name_commit(given.operands[1])


def _read_fetch(call: GitCall) -> Iterator[Move]:
    given = call.given
    for word in given.operands:
        source, colon, name = word.text.partition(":")
        if not colon or not word.known or not (source[:1] == "+" or _is_forced(given)):
            continue
        branch = _shorten_head(name if name.startswith(REFERENCES) else HEADS + name)
        is_local = given.operands[0].text == "."
        yield EVERY_BRANCH if "*" in branch else branch, _check_commit(source.lstrip("+")) if is_local else ""


def _is_forced(given: Arguments) -> bool:
    return given.has("force", "f")


def _shorten_head(name: str) -> str:
    """The branch of a reference; empty for one that is none."""
    if name in (CURRENT, "@"):
        return CURRENT
    return name.removeprefix(HEADS) if name.startswith(HEADS) else ""


def _name_branch(word: Word) -> str:
    if not word.known:
        return CURRENT if CURRENT_NAME.fullmatch(word.text) else ""
    return word.text.removeprefix(HEADS)


def _name_commit(word: Word) -> str:
    return _check_commit(word.text) if word.known else ""


def _check_commit(text: str) -> str:
    """A commit that can be handed to git as a name; no name is made of zeros alone, which delete a reference."""
    text = f"{CURRENT}{text[1:]}" if text[:1] == "@" and text[:2] != "@{" else text
    return "@{-1}" if text == "-" else text if text.strip("0") and text[:1] != "-" and len(text.split()) == 1 else ""


MOVING_VERBS = {
    "checkout": _read_checkout,
    "switch": _read_switch,
    "worktree": _read_worktree,
    "branch": _read_branch,
    "update-ref": _read_update,
    "fetch": _read_fetch,
    "pull": _read_fetch,
}

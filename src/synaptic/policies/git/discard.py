"""Changes in the working tree that a checkout overwrites."""

import re

from synaptic.model.decision import Verdict, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.git.calls import SHELL_TOOLS, list_guarded_calls
from synaptic.shell.book.arguments import Arguments
from synaptic.shell.programs.git_line import GitCall
from synaptic.shell.read.script import Word

NEW_BRANCH = ("b", "B", "orphan")
CONFLICT = ("ours", "theirs", "merge", "conflict")
FILE_NAME = re.compile(r"(?:^|[^\d])\.[A-Za-z][A-Za-z0-9]{0,5}$")
"""`parser.py`, not `v1.x`: a name with an extension is a file, a version is a branch or a tag."""
WHOLE_TREE = ("", ".", "./", "*", ":/", "/", "..", "../")


class Discard(Policy):
    """Overwriting changed files with what was committed.

    ## What it does
    Denies checkouts and restores that write over files of the working tree: `git checkout -- <path>`,
    `git checkout <commit> <path>`, `git checkout -f`, `git switch --discard-changes`, `git restore <path>`,
    `git rm -rf .` and their kin. Changing or creating a branch, `git restore --staged`, and taking one side of a
    conflict (`--ours`, `--theirs`) are free.
    ## Why
    Git overwrites such files without a copy. What was never committed or stashed is gone for good.
    ## Known gaps
    `git checkout <name>` with one plain name may mean a file; it counts as one only when it looks like one (`.`, a
    glob, a trailing slash, an extension). Whether the file has changes at all is not looked at.
    """

    id = "git.discard"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    speaks_of = frozenset({"git *"})
    priority = 22
    preset = "essentials"
    needs = ("repositories",)

    single_files: bool = True
    """Also refuse it for files that are named one by one; switched off, only forced and sweeping forms are refused."""

    worktrees: bool = False
    """Leave linked worktrees alone: for users who treat them as disposable."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        call = next(
            (
                call
                for call in list_guarded_calls(event, facts, self.worktrees, DISCARDING_VERBS)
                if self._discards_changes(call)
            ),
            None,
        )
        if call is None:
            return None
        return deny(
            f"`git {call.verb}` would overwrite uncommitted changes for good. Keep them with "
            "`git stash push -- <paths>`, look at them with `git diff`, or write another version beside them with "
            "`git show <commit>:<path> > <file>`."
        )

    def _discards_changes(self, call: GitCall) -> bool:
        looks = DISCARDING_VERBS.get(call.verb)
        if looks is None:
            return False
        targets = looks(call.given)
        if targets is None:
            return False
        return self.single_files or not targets or any(_is_sweeping(word) for word in targets)


def _is_sweeping(word: Word) -> bool:
    return word.text in WHOLE_TREE or word.glob or word.text.endswith("/") or not word.known


def _read_checkout(given: Arguments) -> tuple[Word, ...] | None:
    """What is overwritten: nothing named means everything; None when nothing is."""
    if given.has("force"):
        return ()
    if given.has(*NEW_BRANCH) or (given.has(*CONFLICT) and not given.has("patch")):
        return None
    # Which files are meant is in a file or in answers typed later: counts as everything.
    if given.has("pathspec-from-file", "patch"):
        return ()
    if given.dashes:
        return given.behind or None
    if len(given.words) > 1 and not given.has("track", "detach"):
        return given.words[1:]
    return given.words if given.words and _looks_like_file(given.words[0]) else None


def _looks_like_file(word: Word) -> bool:
    text = word.text
    return (
        text in WHOLE_TREE
        or text.endswith("/")
        or word.glob
        or text.startswith(("./", "../", ":/", ":("))
        or (FILE_NAME.search(text) is not None)
    )


def _read_switch(given: Arguments) -> tuple[Word, ...] | None:
    return () if given.has("force", "discard-changes") else None


def _read_restore(given: Arguments) -> tuple[Word, ...] | None:
    if given.has("staged") and not given.has("worktree"):
        return None
    if given.has(*CONFLICT) and not given.has("source"):
        return None
    if given.has("pathspec-from-file", "patch", "worktree"):
        return given.operands
    return given.operands or None


def _read_rm(given: Arguments) -> tuple[Word, ...] | None:
    """Tracked files come back from the last commit, their changes do not; only sweeping removals are refused."""
    if given.has("cached", "dry-run") or not given.has("force"):
        return None
    wide = tuple(word for word in given.operands if word.text in WHOLE_TREE or word.glob)
    return wide or None


def _read_checkout_index(given: Arguments) -> tuple[Word, ...] | None:
    return () if given.has("f", "force") else None


def _read_read_tree(given: Arguments) -> tuple[Word, ...] | None:
    return () if given.has("reset") and given.has("u") else None


def _read_submodule(given: Arguments) -> tuple[Word, ...] | None:
    verb = given.words[0].text if given.words else ""
    return () if verb in ("update", "deinit") and given.has("f", "force") else None


DISCARDING_VERBS = {
    "checkout": _read_checkout,
    "switch": _read_switch,
    "restore": _read_restore,
    "rm": _read_rm,
    "checkout-index": _read_checkout_index,
    "read-tree": _read_read_tree,
    "submodule": _read_submodule,
}

"""What has to be known about a repository before anybody can say what a call of git would lose.

The same reading of the command asks and answers: a gatherer looks up what is asked here, a policy finds the answer
under the question's key. A call about which nothing is asked is judged by its words alone.
"""

from collections.abc import Iterator

import msgspec

from synaptic.model.once import kept_beside
from synaptic.policies.git.branch_moves import CURRENT, MOVING_VERBS, UNSEEN_TARGETS, find_branch_moves, list_moves
from synaptic.policies.git.indirect import (
    INDIRECT_VERBS,
    deletes_listed,
    find_reversed,
    find_unpacked,
    is_patched_back,
)
from synaptic.policies.git.overwritten import (
    WHOLE_TREE,
    deletes_untracked,
    find_losing_mode,
    find_overwritten,
    list_forced_removals,
)
from synaptic.policies.git.printed import PRINTING_VERBS, find_overwritten_by_print
from synaptic.policies.git.rewritten import rewrites_history
from synaptic.policies.git.sequence import find_branch_before, find_disturbing, forgets_remote, is_placed, is_readable
from synaptic.shell.book.arguments import Arguments
from synaptic.shell.book.entries import find_program
from synaptic.shell.paths import Standpoint, resolve_path
from synaptic.shell.programs.git_line import GitCall
from synaptic.shell.read.script import Command, Word
from synaptic.shell.reading import CommandReading

LOSING_VERBS = frozenset(
    {"reset", "checkout", "switch", "restore", "rm", "checkout-index", "read-tree", "submodule", "clean", "branch"}
    | {"stash", "worktree", *PRINTING_VERBS, *INDIRECT_VERBS, *MOVING_VERBS}
)
"""Verbs that may have a question; of other calls nothing on the disk is looked at."""
RM_ENTRY = find_program("rm")
LOOSE_KINDS = ("renamed", "printed")
"""Kinds of which only what is found counts, so that less has to be known about the command."""
SILENT_OPTIONS = ("quiet", "progress", "overlay")
UNSEEN_PATHS = ("pathspec-from-file", "patch", "recurse-submodules", "prefix")
"""Options that say what is written in a way that is not in the words."""


class LossQuestion(msgspec.Struct, frozen=True):
    """What would be lost in a repository, asked in a form that git can answer."""

    kind: str
    """What is meant, and so how it is looked up: `reset`, `tree`, `paths`, `named`, `printed`, `untracked`, `branches`,
    `renamed`, `moved`, `stash`, `worktree`, `folder` or `submodules`."""
    folder: str
    target: str = ""
    """The commit that is written over the files, the options of a `git clean`, the verb of a submodule, the commits
    that moved branches lead to."""
    paths: tuple[str, ...] = ()
    """Paths or names; none means everything. Of a reset: the branch, and what was kept in front of it."""

    @property
    def key(self) -> str:
        """Under which the answer is found."""
        return " ".join(filter(None, (self.kind, self.folder, self.target, *self.paths)))


@kept_beside
def list_questions(known: CommandReading) -> tuple[LossQuestion, ...]:
    """Every question about a command, each once."""
    folders = tuple(iter_folder_questions(known)) if "rm" in known.programs else ()
    if known.git_verbs.isdisjoint(LOSING_VERBS):
        return folders
    losing = [call for call in known.acting_git_calls if call.verb in LOSING_VERBS]
    asked = (question for call in losing for question in find_questions(call, known))
    moves = (question for call in losing if (question := find_move_question(call, known)) is not None)
    return tuple(dict.fromkeys((*asked, *moves, *folders)))


def iter_folder_questions(known: CommandReading) -> Iterator[LossQuestion]:
    """For every folder that `rm -r` deletes: which worktrees are in it, and what they hold."""
    for command in known.script.by_name.get("rm", ()):
        if command.via or not command.cwd:
            continue
        for word in list_deleted_folders(command):
            path = (
                resolve_path(word.text, Standpoint(command.cwd, known.home)) if word.known and not word.glob else None
            )
            if path:
                yield LossQuestion("folder", command.cwd, "", (path,))


def list_deleted_folders(command: Command) -> tuple[Word, ...]:
    """What an `rm -r` names; nothing for an `rm` that deletes no folder."""
    given = RM_ENTRY.read(command.argv[1:])
    return given.operands if given.has("recursive") else ()


def may_lose(call: GitCall) -> bool:
    """Whether the words of a call say that it may lose something."""
    if rewrites_history(call) or list_moves(call):
        return True
    if call.verb in PRINTING_VERBS:
        return bool(call.command.redirects or call.command.stages) and any(":" in word.text for word in call.args)
    if call.verb == "branch":
        return deletes_branch(call.given) or replaces_branch(call.given)
    if call.verb == "stash":
        return bool(call.given.words) and call.given.words[0].text in ("drop", "clear")
    return bool(find_losing_mode(call)) or deletes_untracked(call) or find_overwritten(call) is not None


def find_questions(call: GitCall, known: CommandReading) -> tuple[LossQuestion, ...]:
    """What must be known to judge a call; nothing when it loses nothing, or when the words do not say what it does."""
    ask = ASKING_VERBS.get(call.verb)
    question = ask(call, known) if ask is not None else None
    if question is None:
        return ()
    # The words first: most calls have no question, and to tell whether they can be trusted costs more.
    if not (is_placed(call, known) if question.kind in LOOSE_KINDS else is_readable(call, known)):
        return ()
    if question.kind in ("reset", "tree", "untracked") and find_disturbing(call, known):
        # `git add . && git reset --hard` deletes what was untracked, `git reset && git clean` what was staged.
        return (question, LossQuestion("tree", call.cwd, "HEAD"), LossQuestion("untracked", call.cwd, "-d"))
    return (question,)


def find_move_question(call: GitCall, known: CommandReading) -> LossQuestion | None:
    """Which commits nothing leads to any more once a call has moved a branch; None when it moves none.

    What is in the files is no matter, so less has to be known about the command.
    """
    if not list_moves(call) or not is_placed(call, known):
        return None
    found = find_branch_moves(call, known)
    return LossQuestion("moved", call.cwd, " ".join(found.kept), found.moved)


def _ask_reset(call: GitCall, known: CommandReading) -> LossQuestion | None:
    words = call.given.words
    if not find_losing_mode(call) or not _are_plain(words) or len(words) > 1:
        return None
    branch = find_branch_before(call, known)
    target = words[0].text if words else "HEAD"
    moves = find_branch_moves(call, known)
    kept = moves.kept
    if (made := moves.made.get(target, "")) not in UNSEEN_TARGETS:
        target = made  # git does not know the name yet
    elif branch and target.startswith(("HEAD", "@")):
        target = branch + target.removeprefix("HEAD").removeprefix("@")
    named = (branch or CURRENT, *kept) if branch or kept else ()
    return LossQuestion("reset", call.cwd, target, named)


def _ask_checkout(call: GitCall, known: CommandReading) -> LossQuestion | None:
    given = call.given
    words = find_overwritten(call)
    if given.has(*UNSEEN_PATHS):
        return None
    if words is None:
        return _ask_named(call)
    if given.has("force") and not given.behind:
        return _ask_tree(call, given.words)
    if given.behind:
        return _ask_paths(call, given.behind, given.words[0] if given.words else None)
    return _ask_paths(call, given.words[1:] or given.words, given.words[0] if given.words[1:] else None)


def _ask_named(call: GitCall) -> LossQuestion | None:
    """`git checkout Makefile`: one plain word that may be a branch, and is a file where there is one."""
    given = call.given
    if len(given.words) != 1 or given.dashes or not _are_plain(given.words):
        return None
    if any(flag.name not in SILENT_OPTIONS for flag in given.flags):
        return None
    return LossQuestion("named", call.cwd, "", (given.words[0].text,))


def _ask_switch(call: GitCall, known: CommandReading) -> LossQuestion | None:
    if find_overwritten(call) is None or call.given.has(*UNSEEN_PATHS):
        return None
    return _ask_tree(call, call.given.words)


def _ask_restore(call: GitCall, known: CommandReading) -> LossQuestion | None:
    given = call.given
    if not find_overwritten(call) or given.has(*UNSEEN_PATHS):
        return None
    sources = given.get_values("source")
    source = sources[-1] if sources else Word("HEAD") if given.has("staged") else None
    return _ask_paths(call, given.operands, source)


def _ask_rm(call: GitCall, known: CommandReading) -> LossQuestion | None:
    words = list_forced_removals(call.given)
    return _ask_paths(call, words, Word("HEAD")) if words else None


def _ask_apply(call: GitCall, known: CommandReading) -> LossQuestion | None:
    """`git diff | git apply -R`: what `git checkout -- .` loses."""
    diffed = find_reversed(call, known)
    return _ask_taken_back(call, diffed) if diffed is not None and diffed.cwd == call.cwd else None


def _ask_diff(call: GitCall, known: CommandReading) -> LossQuestion | None:
    """`git diff | patch -R`: the same by another program."""
    return _ask_taken_back(call, call) if is_patched_back(call, known) else None


def _ask_taken_back(call: GitCall, diffed: GitCall) -> LossQuestion | None:
    named = tuple(word for word in diffed.given.words if word.text not in ("HEAD", "@"))
    source = Word("HEAD") if len(named) < len(diffed.given.words) else None
    return _ask_paths(call, named + diffed.given.behind or (Word("."),), source)


def _ask_archive(call: GitCall, known: CommandReading) -> LossQuestion | None:
    """`git archive HEAD | tar -x`: what a commit holds over what is there; the index keeps what is staged."""
    words = find_unpacked(call, known)
    return _ask_paths(call, words, None) if words is not None else None


def _ask_listed(call: GitCall, known: CommandReading) -> LossQuestion | None:
    """`git ls-files --others | xargs rm`: what `git clean -fd` deletes, and mostly what is ignored."""
    if not deletes_listed(call, known) or not _are_plain(call.given.operands):
        return None
    everything = call.verb == "ls-files" and not call.given.has("exclude-standard", "exclude-from", "exclude")
    return LossQuestion("untracked", call.cwd, "-d -x" if everything else "-d", _list_texts(call.given.operands))


def _ask_checkout_index(call: GitCall, known: CommandReading) -> LossQuestion | None:
    if find_overwritten(call) is None or call.given.has("stdin", *UNSEEN_PATHS):
        return None
    return _ask_paths(call, call.given.operands, None)


def _ask_read_tree(call: GitCall, known: CommandReading) -> LossQuestion | None:
    return _ask_tree(call, call.given.words) if find_overwritten(call) is not None else None


def _ask_submodule(call: GitCall, known: CommandReading) -> LossQuestion | None:
    given = call.given
    words = given.words[1:] + given.behind
    if find_overwritten(call) is None or given.has("recursive", "remote") or not _are_plain(words):
        return None
    return LossQuestion("submodules", call.cwd, given.words[0].text, tuple(word.text for word in words))


def _ask_clean(call: GitCall, known: CommandReading) -> LossQuestion | None:
    given = call.given
    if not deletes_untracked(call) or not _are_plain((*given.operands, *given.get_values("exclude"))):
        return None
    # Only what the repository itself ignores is known here, so `-X` is asked about as `-x`, which deletes more.
    only_ignored, all_too = given.has("X"), given.has("x")
    kept = () if only_ignored else tuple(word.text for word in given.get_values("exclude"))
    options = (
        "-d" if given.has("d") else "",
        "-x" if only_ignored or all_too else "",
        "-ff" if _count_force(given) > 1 else "",
    )
    if any(len(text.split()) != 1 for text in kept):
        return None
    texts = (*options, *(f"--exclude={text}" for text in kept))
    return LossQuestion("untracked", call.cwd, " ".join(filter(None, texts)), _list_texts(given.operands))


def _ask_branch(call: GitCall, known: CommandReading) -> LossQuestion | None:
    given = call.given
    if given.has("remotes", "all") or not given.operands or not _are_plain(given.operands):
        return None
    names = tuple(word.text for word in given.operands)
    if deletes_branch(given) and not forgets_remote(call, known):
        others = (other for other in known.acting_git_calls if other.verb == "branch" and other.cwd == call.cwd)
        # Two branches that hold the same commits may not go both.
        gone = {word.text for other in others if deletes_branch(other.given) for word in other.given.operands}
        return LossQuestion("branches", call.cwd, "", tuple(sorted(gone | {*names})))
    if replaces_branch(given) and len(names) <= 2:
        old = names[0] if len(names) == 2 else find_branch_before(call, known)
        return LossQuestion("renamed", call.cwd, old, names[-1:])
    return None


def deletes_branch(given: Arguments) -> bool:
    """Whether a `git branch` deletes a branch that may hold the only way to its commits."""
    return given.has("D") or (given.has("delete") and given.has("force"))


def replaces_branch(given: Arguments) -> bool:
    """Whether a `git branch` puts another branch under a name that may be taken."""
    return given.has("M", "C") or (given.has("move", "copy") and given.has("force"))


def _ask_stash(call: GitCall, known: CommandReading) -> LossQuestion | None:
    words = call.given.words
    verb = words[0].text if words else ""
    if verb not in ("drop", "clear") or not _are_plain(words) or len(words) > 2:
        return None
    return LossQuestion("stash", call.cwd, verb, tuple(word.text for word in words[1:]))


def _ask_worktree(call: GitCall, known: CommandReading) -> LossQuestion | None:
    words = call.given.operands
    if len(words) != 2 or words[0].text != "remove" or not call.given.has("force") or not _are_plain(words):
        return None
    path = resolve_path(words[1].text, Standpoint(call.cwd, known.home))
    return LossQuestion("worktree", call.cwd, "", (path,)) if path else None


def _ask_show(call: GitCall, known: CommandReading) -> LossQuestion | None:
    """`git show HEAD:a.py > a.py`: another version of a file over the one that is there."""
    path = find_overwritten_by_print(call, known)
    return LossQuestion("printed", call.cwd, "", (path,)) if path else None


def _ask_tree(call: GitCall, words: tuple[Word, ...]) -> LossQuestion | None:
    if not _are_plain(words) or len(words) > 1:
        return None
    return LossQuestion("tree", call.cwd, words[0].text if words else "HEAD")


def _ask_paths(call: GitCall, words: tuple[Word, ...], source: Word | None) -> LossQuestion | None:
    if not all(word.known for word in words) or (source is not None and not _are_plain((source,))):
        return None
    return LossQuestion("paths", call.cwd, source.text if source else "", _list_texts(words))


def _list_texts(words: tuple[Word, ...]) -> tuple[str, ...]:
    return tuple(word.text if word.text not in WHOLE_TREE[:2] else "." for word in words)


def _are_plain(words: tuple[Word, ...]) -> bool:
    """Whether words are known and cannot be taken for options."""
    return all(word.known and word.text[:1] != "-" for word in words)


def _count_force(given: Arguments) -> int:
    return sum(flag.name == "force" and flag.on for flag in given.flags)


ASKING_VERBS = {
    "reset": _ask_reset,
    "checkout": _ask_checkout,
    "switch": _ask_switch,
    "restore": _ask_restore,
    "rm": _ask_rm,
    "checkout-index": _ask_checkout_index,
    "read-tree": _ask_read_tree,
    "submodule": _ask_submodule,
    "clean": _ask_clean,
    "branch": _ask_branch,
    "stash": _ask_stash,
    "worktree": _ask_worktree,
    **dict.fromkeys(PRINTING_VERBS, _ask_show),
    "apply": _ask_apply,
    "diff": _ask_diff,
    "archive": _ask_archive,
    "ls-files": _ask_listed,
    "status": _ask_listed,
}

"""Changes in the working tree that a checkout overwrites."""

from synaptic.model.decision import Verdict, ask, deny
from synaptic.model.event import PreToolUse
from synaptic.model.loss import LostWork
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.git.calls import SHELL_TOOLS, list_guarded_calls
from synaptic.policies.git.indirect import PASSING_VERBS
from synaptic.policies.git.lost import find_loss, pick_worst, read_answers
from synaptic.policies.git.overwritten import DISCARDING_VERBS, WHOLE_TREE, find_overwritten
from synaptic.policies.git.printed import PRINTING_VERBS
from synaptic.shell.programs.git_line import GitCall
from synaptic.shell.read.script import Word

OVERWRITING_VERBS = (*DISCARDING_VERBS, *PRINTING_VERBS, *PASSING_VERBS, "apply")
DOUBTFUL_VERBS = frozenset({"checkout", "rm", "apply", *PASSING_VERBS})
"""Verbs that may write over a file although their words do not say so."""


class Discard(Policy):
    """Overwriting changed files with what was committed.

    ## What it does
    Denies checkouts and restores that write over files of the working tree: `git checkout -- <path>`, `git checkout
    <commit> <path>`, `git checkout -f`, `git switch --discard-changes`, `git restore <path>`, `git rm -rf .`, `git
    submodule deinit -f` and their kin, where these files have changes that are in no commit, and names them; where the
    source is the index, a staged change is kept by it. `git checkout Makefile`, `git show HEAD:a.py > a.py` and `git
    show HEAD:a.py | tee a.py` are denied when that file has such changes; so are `git rm -f a.py`, `git diff | git
    apply -R`, `git diff | patch -R`, `git archive HEAD | tar -x`, and a loop that shows each file over itself. Asks for
    a forced switch in the middle of a merge or a rebase. Files without changes are free; so is a line that puts
    everything away first (`git stash && git checkout -f main`), and a repository that the same line makes, or that lies
    in a scratch folder. Where the repository cannot be looked at, they are denied. Changing or creating a branch, `git
    restore --staged`, and taking one side of a conflict (`--ours`, `--theirs`) are free.
    ## Why
    Git overwrites such files without a copy. What was never committed or stashed is gone for good.
    ## Known gaps
    Where the repository cannot be looked at, `git checkout <name>` with one plain name counts as a file only when it
    looks like one (`.`, a glob, a trailing slash, an extension). What the same line has written into a file before is
    not counted as a change.
    """

    id = "git.discard"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    speaks_of = frozenset({"git *"})
    priority = 22
    preset = "essentials"
    needs = ("repositories", "losses")

    single_files: bool = True
    """Also refuse it for files that are named one by one; switched off, only forced and sweeping forms are refused."""

    worktrees: bool = False
    """Leave linked worktrees alone: for users who treat them as disposable."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        calls = list_guarded_calls(event, facts, self.worktrees, OVERWRITING_VERBS)
        return pick_worst(self._judge_call(call, event, facts) for call in calls)

    def _judge_call(self, call: GitCall, event: PreToolUse, facts: Facts) -> Verdict | None:
        if call.verb in PRINTING_VERBS or (call.verb in DOUBTFUL_VERBS and find_overwritten(call) is None):
            return self._judge_doubtful(call, event, facts)
        if not self._discards_changes(call):
            return None
        loss = find_loss(call, event, facts)
        return _refuse(call, loss) if loss is None or not loss.is_nothing else None

    def _judge_doubtful(self, call: GitCall, event: PreToolUse, facts: Facts) -> Verdict | None:
        """A call whose words do not say that a file is overwritten: only what was found in the repository counts."""
        if not facts.losses or not self.single_files or facts.command is None:
            return None
        seen = call.verb == "checkout"
        loss = read_answers(call, facts.command, facts) if seen else find_loss(call, event, facts)
        return _refuse(call, loss) if loss is not None and loss.files else None

    def _discards_changes(self, call: GitCall) -> bool:
        targets = find_overwritten(call)
        if targets is None:
            return False
        return self.single_files or not targets or any(_is_sweeping(word) for word in targets)


def _refuse(call: GitCall, loss: LostWork | None) -> Verdict:
    if loss is not None and not loss.files:
        return ask(f"`git {call.verb}` would break off {loss}. Finish it, or take it back with its own `--abort`.")
    return deny(
        f"`git {call.verb}` would overwrite uncommitted changes for good{f': {loss}' if loss else ''}. Keep them with "
        "`git stash push -- <paths>`, look at them with `git diff`, or write another version beside them with "
        "`git show <commit>:<path> > <file>`."
    )


def _is_sweeping(word: Word) -> bool:
    return word.text in WHOLE_TREE or word.glob or word.text.endswith("/") or not word.known

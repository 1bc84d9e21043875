"""Deletion of files that git does not track."""

from synaptic.model.decision import Verdict, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.git.calls import SHELL_TOOLS, list_guarded_calls
from synaptic.policies.git.indirect import LISTING_VERBS, deletes_listed
from synaptic.policies.git.lost import find_loss, pick_worst
from synaptic.policies.git.overwritten import deletes_untracked
from synaptic.shell.programs.git_line import GitCall

CLEANING_VERBS = ("clean", *LISTING_VERBS)


class Clean(Policy):
    """Deleting untracked files.

    ## What it does
    Denies `git clean` with `-f` in any spelling, and with `clean.requireForce` switched off, where it would delete
    files that nothing makes again, and names them; likewise deleting what git lists as untracked (`git ls-files
    --others | xargs rm`, `git status -s | grep '^??' | ... | xargs rm`). A dry run (`-n`) is free, and so is a clean
    that finds nothing, or only what builds and tests make (`node_modules`, `__pycache__`, `dist`); a line that puts
    untracked files away first (`git stash -u && git clean -fd`); a repository that the same line makes, or that lies in
    a scratch folder. Where the repository cannot be looked at, it is denied.
    ## Why
    Untracked files are in no commit: new source, notes and local settings are deleted for good.
    ## Known gaps
    `clean.requireForce` in the user's own git configuration is not known. `git clean -i` is only seen when something
    answers its questions through a pipe.
    """

    id = "git.clean"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    speaks_of = frozenset({"git clean", "git ls-files", "git status"})
    priority = 22
    preset = "essentials"
    needs = ("repositories", "losses")

    worktrees: bool = False
    """Leave linked worktrees alone: for users who treat them as disposable."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        known = facts.command
        if known is None:
            return None
        calls = list_guarded_calls(event, facts, self.worktrees, CLEANING_VERBS)
        losing = (call for call in calls if deletes_untracked(call) or deletes_listed(call, known))
        return pick_worst(_judge_clean(call, event, facts) for call in losing)


def _judge_clean(call: GitCall, event: PreToolUse, facts: Facts) -> Verdict | None:
    loss = find_loss(call, event, facts, untracked=True)
    if loss is not None and not loss.files:
        return None
    what = "`git clean`" if call.verb == "clean" else "This"
    return deny(
        f"{what} deletes untracked files for good{f': {loss}' if loss else ''}. List them with `git clean -nd` "
        "and delete single files by name, or put them aside with `git stash push -u`."
    )

"""Resets that throw away changes in the working tree."""

from synaptic.model.decision import Verdict, ask, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.git.calls import SHELL_TOOLS, list_guarded_calls
from synaptic.policies.git.lost import find_loss, pick_worst
from synaptic.policies.git.overwritten import find_losing_mode
from synaptic.shell.programs.git_line import GitCall


class ResetHard(Policy):
    """Throwing away uncommitted changes with a reset.

    ## What it does
    Denies `git reset --hard` and `git reset --merge` where files have changes that are in no commit, and names them;
    also untracked files that the commit would be written over. Asks when the branch would leave commits that no other
    branch, tag or remote has, and when a merge, rebase or cherry-pick is going on. Free is a clean tree; a line that
    puts everything away first (`git stash && git reset --hard`); a repository that the same line makes, or that lies
    in a scratch folder. Where the repository cannot be looked at (another machine, a broken repository, `GIT_DIR`),
    both are denied. `--soft`, `--mixed`, `--keep` and resets of paths are free.
    ## Why
    What was never committed is in no reflog: after a hard reset it is gone for good.
    ## Known gaps
    Aliases in the user's own git configuration are not known. What a `git fetch` in the same line brings is not known
    when the untracked files are compared with it.
    """

    id = "git.reset-hard"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    speaks_of = frozenset({"git reset", "git "})
    priority = 22
    preset = "essentials"
    needs = ("repositories", "losses")

    worktrees: bool = False
    """Leave linked worktrees alone: for users who treat them as disposable."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        calls = list_guarded_calls(event, facts, self.worktrees, ("reset", ""))
        return pick_worst(_judge_reset(call, mode, event, facts) for call in calls if (mode := find_losing_mode(call)))


def _judge_reset(call: GitCall, mode: str, event: PreToolUse, facts: Facts) -> Verdict | None:
    loss = find_loss(call, event, facts)
    if loss is None or loss.files:
        what = f": {loss}" if loss else ""
        return deny(
            f"`git reset --{mode}` throws away uncommitted changes for good{what}. Keep them with `git stash push -u` "
            "first and then use `git reset --keep <commit>`, or move only the branch with `git reset --soft <commit>`."
        )
    if loss.commits:
        return ask(
            f"`git reset --{mode}` takes the branch off commits that no other branch, tag or remote has: {loss}. Keep "
            "them first with `git branch backup`; otherwise only the reflog leads to them."
        )
    if loss.state:
        return ask(f"`git reset --{mode}` would break off {loss}. Finish it, or take it back with its own `--abort`.")
    return None

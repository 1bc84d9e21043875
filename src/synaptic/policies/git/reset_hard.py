"""Resets that throw away changes in the working tree."""

from synaptic.model.decision import Verdict, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.git.calls import SHELL_TOOLS, list_guarded_calls
from synaptic.shell.programs.git_line import GitCall

MODES = ("hard", "merge", "keep", "mixed", "soft")


class ResetHard(Policy):
    """Throwing away uncommitted changes with a reset.

    ## What it does
    Denies `git reset --hard` and `git reset --merge`. `--soft`, `--mixed`, `--keep` and resets of paths are free.
    ## Why
    What was never committed is in no reflog: after a hard reset it is gone for good.
    ## Known gaps
    Aliases in the user's own git configuration are not known. Whether the working tree is clean is not looked at.
    """

    id = "git.reset-hard"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    speaks_of = frozenset({"git reset", "git "})
    priority = 22
    preset = "essentials"
    needs = ("repositories",)

    worktrees: bool = False
    """Leave linked worktrees alone: for users who treat them as disposable."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        mode = next(
            filter(None, map(_find_losing_mode, list_guarded_calls(event, facts, self.worktrees, ("reset", "")))), ""
        )
        if not mode:
            return None
        return deny(
            f"`git reset --{mode}` throws away uncommitted changes for good. Keep them with `git stash push -u` first "
            "and then use `git reset --keep <commit>`, or move only the branch with `git reset --soft <commit>`."
        )


def _find_losing_mode(call: GitCall) -> str:
    """The mode that loses something; a verb that cannot be known counts when `--hard` stands behind it."""
    # `git $X --hard`: the option belongs to no other verb.
    if not call.verb:
        return "hard" if any(word.text == "--hard" for word in call.args) else ""
    mode = call.given.find_last(*MODES) if call.verb == "reset" else ""
    return mode if mode in ("hard", "merge") else ""

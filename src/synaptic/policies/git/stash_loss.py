"""Deletion of stashed changes."""

from synaptic.model.decision import Verdict, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.git.calls import SHELL_TOOLS, list_calls
from synaptic.shell.programs.git_line import GitCall


class StashLoss(Policy):
    """Dropping stashed changes.

    ## What it does
    Denies `git stash drop` and `git stash clear`. Stashing, `pop`, `apply`, `list` and `show` are free.
    ## Why
    A stash often holds the only copy of someone's work, and once dropped no command lists it any more.
    ## Known gaps
    `git stash pop` drops the stash after it was applied without a conflict.
    """

    id = "git.stash-loss"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    speaks_of = frozenset({"git stash"})
    priority = 22
    preset = "essentials"

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        verb = next(filter(None, map(_find_losing_verb, list_calls(event, facts, ("stash",)))), "")
        if not verb:
            return None
        return deny(
            f"`git stash {verb}` deletes stashed changes. Leave the stash, or keep its content first with "
            "`git stash branch <name>` or `git stash show -p > stash.patch`, and let the user drop it."
        )


def _find_losing_verb(call: GitCall) -> str:
    verb = call.given.words[0].text if call.verb == "stash" and call.given.words else ""
    return verb if verb in ("drop", "clear") else ""

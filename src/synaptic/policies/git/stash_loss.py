"""Deletion of stashed changes."""

from synaptic.model.decision import Verdict, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.git.calls import SHELL_TOOLS, list_calls
from synaptic.policies.git.lost import pick_worst, read_answers
from synaptic.policies.git.made_here import is_throwaway
from synaptic.policies.git.sequence import is_applied_before, stashes_before
from synaptic.shell.programs.git_line import GitCall


class StashLoss(Policy):
    """Dropping stashed changes.

    ## What it does
    Denies `git stash drop` and `git stash clear` where a stash holds changes that the files do not have, and names it.
    A stash that was applied is free to go (`git stash apply && git stash drop`, or its changes stand in the files or in
    the last commit), and so is one in a repository that the same line makes, or that lies in a scratch folder. Where
    the repository cannot be looked at, both are denied. Stashing, `pop`, `apply`, `list` and `show` are free.
    ## Why
    A stash often holds the only copy of someone's work, and once dropped no command lists it any more.
    ## Known gaps
    `git stash pop` drops the stash after it was applied without a conflict. What was staged when the stash was made is
    not compared.
    """

    id = "git.stash-loss"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    speaks_of = frozenset({"git stash"})
    priority = 22
    preset = "essentials"

    needs = ("repositories", "losses")

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        calls = list_calls(event, facts, ("stash",))
        return pick_worst(_judge_drop(call, verb, event, facts) for call in calls if (verb := _find_losing_verb(call)))


def _judge_drop(call: GitCall, verb: str, event: PreToolUse, facts: Facts) -> Verdict | None:
    if facts.command is None or is_throwaway(call, event, facts) or is_applied_before(call, facts.command):
        return None
    loss = read_answers(call, facts.command, facts)
    # A stash that the same line makes is not there yet.
    if loss is not None and loss.is_nothing and not stashes_before(call, facts.command):
        return None
    what = f": {loss}" if loss is not None and not loss.is_nothing else ""
    return deny(
        f"`git stash {verb}` deletes stashed changes{what}. Leave the stash, or keep its content first with "
        "`git stash branch <name>` or `git stash show -p > stash.patch`, and let the user drop it."
    )


def _find_losing_verb(call: GitCall) -> str:
    verb = call.given.words[0].text if call.verb == "stash" and call.given.words else ""
    return verb if verb in ("drop", "clear") else ""

"""Amended commits."""

from typing import Annotated

from synaptic.model.decision import Verdict, ask, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import ON, Policy
from synaptic.policies.facts import Facts
from synaptic.policies.git.calls import SHELL_TOOLS, list_calls


class AmendedCommit(Policy):
    """Amending the last commit.

    ## What it does
    Asks before `git commit --amend`.
    ## Why
    An agent that amends may change a commit that is the user's, or one that was already pushed.
    ## Known gaps
    Whether the commit was pushed is not looked at. `git rebase` and `git commit --fixup` are free.
    """

    id = "git.amended-commit"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    speaks_of = frozenset({"git commit"})
    priority = 24
    preset = "strict"

    refuse: Annotated[bool, ON] = False
    """Deny it, instead of asking."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        if not any(call.verb == "commit" and call.given.has("amend") for call in list_calls(event, facts)):
            return None
        reason = "This changes the last commit. Make a new commit instead, or let the user decide."
        return deny(reason) if self.refuse else ask(reason)

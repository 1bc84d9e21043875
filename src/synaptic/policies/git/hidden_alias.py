"""Aliases that hide what git is told to do."""

from synaptic.model.decision import Verdict, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.git.calls import SHELL_TOOLS, list_calls


class HiddenAlias(Policy):
    """Running an alias that the command defines with a value nobody can read.

    ## What it does
    Denies it when a command sets a git alias from a variable or a program's output and runs it. Aliases with a readable
    value are resolved and judged as what they stand for, whichever way they are set.
    ## Why
    An alias can run anything, a shell included.
    ## Known gaps
    Aliases in the user's own git configuration are taken for verbs that nobody knows.
    """

    id = "git.hidden-alias"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    speaks_of = frozenset({"git *"})
    priority = 23
    preset = "essentials"

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        hidden = next((call.hidden for call in list_calls(event, facts) if call.hidden), "")
        if not hidden:
            return None
        return deny(
            f"`git {hidden}` is an alias whose value cannot be read from the command. Call the git command itself, "
            "with its arguments written out."
        )

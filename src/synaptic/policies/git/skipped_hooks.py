"""Commits and pushes that leave out the checks of the repository."""

from synaptic.model.decision import Verdict, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.git.calls import SHELL_TOOLS, list_calls
from synaptic.shell.programs.git_line import GitCall

HOOKED_VERBS = ("commit", "push", "merge", "rebase", "am", "cherry-pick", "revert")


class SkippedHooks(Policy):
    """Committing or pushing without the repository's own hooks.

    ## What it does
    Denies `--no-verify` (for a commit also `-n`) and `core.hooksPath` set for one call.
    ## Why
    The repository's hooks are there because someone wants every commit checked; a failing hook is a finding.
    ## Known gaps
    Hook managers that are switched off by a variable of their own (`HUSKY=0`) are not known.
    """

    id = "git.skipped-hooks"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    speaks_of = frozenset({"git *"})
    priority = 24
    preset = "strict"

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        if not any(map(_skips_hooks, list_calls(event, facts))):
            return None
        return deny(
            "This leaves out the repository's own hooks. Run it without `--no-verify`; if a hook fails, repair what it "
            "found or tell the user."
        )


def _skips_hooks(call: GitCall) -> bool:
    if call.verb not in HOOKED_VERBS:
        return False
    asked = [flag.on for flag in call.given.flags if flag.name == "verify"]
    # As in git, the last of `--verify` and `--no-verify` counts.
    unverified = asked[-1:] == [False]
    short = call.verb == "commit" and call.given.has("n")
    return unverified or short or "core.hookspath" in call.settings

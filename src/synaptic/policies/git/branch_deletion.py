"""Deletion of local branches."""

from typing import Annotated

from synaptic.model.decision import Verdict, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import ON, Policy
from synaptic.policies.facts import Facts
from synaptic.policies.git.calls import SHELL_TOOLS, list_calls
from synaptic.shell.programs.git_line import GitCall


class BranchDeletion(Policy):
    """Deleting a branch that may not be merged.

    ## What it does
    Denies `git branch -D` and `git branch -d --force` in any spelling. `git branch -d`, which refuses by itself to
    delete what is not merged, is free unless `merged` is switched on.
    ## Why
    With the branch goes its reflog: commits that are nowhere else can hardly be found again.
    ## Known gaps
    Whether the branch is merged is not looked at. Moving a branch with `git branch -f` or `-M` is free.
    """

    id = "git.branch-deletion"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    speaks_of = frozenset({"git branch"})
    priority = 22
    preset = "essentials"

    merged: Annotated[bool, ON] = False
    """Refuse `git branch -d` as well."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        if not any(self._deletes_branch(call) for call in list_calls(event, facts, ("branch",))):
            return None
        return deny(
            "This deletes a branch even if its commits are nowhere else. Use `git branch -d <branch>`, which refuses "
            "to lose unmerged work, or keep the commits first with `git tag backup/<branch> <branch>`."
            if not self.merged
            else "Branches are not deleted here. Leave the branch, or ask the user to delete it."
        )

    def _deletes_branch(self, call: GitCall) -> bool:
        if call.verb != "branch":
            return False
        given = call.given
        return given.has("D") or (given.has("delete") and (self.merged or given.has("force")))

"""Deletion of branches on a remote."""

from typing import Annotated

from synaptic.model.decision import Verdict, ask, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import MORE, ON, Policy
from synaptic.policies.facts import Facts
from synaptic.policies.git.calls import PROTECTED_BRANCHES, SHELL_TOOLS, iter_with_branches
from synaptic.policies.git.made_remotes import goes_to_throwaway
from synaptic.policies.git.push import find_protected, read_push


class RemoteDeletion(Policy):
    """Deleting a branch or tag on the remote.

    ## What it does
    Asks before `git push --delete`, `git push origin :branch` and `git push --prune`; denies it for a protected branch.
    Free is a remote in a scratch folder, and one that the same line makes where none was.
    ## Why
    What is gone from the remote is gone for everybody, and the remote has no reflog that you can read.
    ## Known gaps
    Deletion through the website or its command line (`gh api`) is not seen here.
    """

    id = "git.remote-deletion"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    speaks_of = frozenset({"git push"})
    priority = 23
    preset = "essentials"
    needs = ("repositories",)

    protected: Annotated[tuple[str, ...], MORE] = PROTECTED_BRANCHES
    """Branches that are never deleted; patterns such as `release/*` are fine."""
    refuse: Annotated[bool, ON] = False
    """Deny it for every branch, instead of asking."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        pushes = (read_push(call, branch) for call, branch in iter_with_branches(event, facts, ("push",)))
        losing = (push for push in pushes if push is not None and push.deleted_branches)
        names = [name for push in losing if not goes_to_throwaway(push, event, facts) for name in push.deleted_branches]
        if not names:
            return None
        held = find_protected((name for name in names if name != "*"), self.protected)
        if held or self.refuse:
            return deny(
                f"`{held or names[0]}` is not deleted on the remote. Leave it, or ask the user to delete it there."
            )
        what = "every remote branch that does not exist here" if names[0] == "*" else f"`{names[0]}` on the remote"
        return ask(f"This deletes {what}, for everybody. Keep its commits first with `git fetch` and a tag.")

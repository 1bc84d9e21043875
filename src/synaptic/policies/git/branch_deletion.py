"""Deletion of local branches."""

from typing import Annotated

from synaptic.model.decision import Verdict, ask, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import ON, Policy
from synaptic.policies.facts import Facts
from synaptic.policies.git.branch_moves import CURRENT, BranchMoves, find_branch_moves
from synaptic.policies.git.calls import SHELL_TOOLS, find_repository, list_calls
from synaptic.policies.git.lost import find_loss, pick_worst
from synaptic.policies.git.made_here import is_throwaway
from synaptic.policies.git.questions import deletes_branch, replaces_branch
from synaptic.shell.programs.git_line import GitCall


class BranchDeletion(Policy):
    """Deleting a branch that may not be merged.

    ## What it does
    Denies `git branch -D` and `git branch -d --force` in any spelling, where the branch leads to commits that no other
    branch, tag or remote has, and names them; also `git branch -M` and `-C` onto such a branch. Free is a branch whose
    commits are elsewhere as well or were kept in front in the same line (`git tag backup topic && ...`), one that does
    not exist, and one of a repository that the same line makes, or that lies in a scratch folder. A branch with a
    commit that the same line has made, and that is in no other branch then, is asked about. Where the repository cannot
    be looked at, `-D` is denied. `git branch -d`, which refuses by itself to delete what is not merged, is free unless
    `merged` is switched on.
    ## Why
    With the branch goes its reflog: commits that are nowhere else can hardly be found again.
    ## Known gaps
    A branch that was squashed into another one counts as not merged. `git branch -f` is judged by `git.moved-branch`.
    """

    id = "git.branch-deletion"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    speaks_of = frozenset({"git branch"})
    priority = 22
    preset = "essentials"
    needs = ("repositories", "losses")

    merged: Annotated[bool, ON] = False
    """Refuse `git branch -d` as well."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        calls = [call for call in list_calls(event, facts, ("branch",)) if call.verb == "branch"]
        if self.merged and any(call.given.has("D", "delete") for call in calls):
            return deny("Branches are not deleted here. Leave the branch, or ask the user to delete it.")
        return pick_worst(_judge_branch(call, event, facts) for call in calls)


def _judge_branch(call: GitCall, event: PreToolUse, facts: Facts) -> Verdict | None:
    deletes = deletes_branch(call.given)
    if not deletes and not replaces_branch(call.given):
        return None
    loss = find_loss(call, event, facts)
    if loss is not None and not loss.commits:
        return _judge_new_commits(call, event, facts) if deletes else None
    if loss is None and not deletes:
        return None
    if not deletes:
        return deny(
            f"This puts another branch in the place of one whose commits are nowhere else: {loss}. Choose another "
            "name, or keep the commits first with `git tag backup/<branch> <branch>`."
        )
    if loss is not None and _is_kept_before(call, facts):
        return None
    what = (
        f"a branch whose commits are nowhere else: {loss}" if loss else "a branch even if its commits are nowhere else"
    )
    return deny(
        f"This deletes {what}. Use `git branch -d <branch>`, which refuses to lose unmerged work, or keep the commits "
        "first with `git tag backup/<branch> <branch>`."
    )


def _is_kept_before(call: GitCall, facts: Facts) -> bool:
    """Whether the same line has put a tag, a branch or a remote onto everything that goes."""
    kept = set(_find_moves(call, facts).made.values())
    return all(word.known and word.text in kept for word in call.given.operands)


def _judge_new_commits(call: GitCall, event: PreToolUse, facts: Facts) -> Verdict | None:
    if is_throwaway(call, event, facts) or not _find_moves(call, facts).drops_new_commit:
        return None
    return ask(
        "This deletes a branch with a commit that the same line has just made, and that nothing else leads to. Merge "
        "or push it first, or keep it with `git tag backup/<branch> <branch>`."
    )


def _find_moves(call: GitCall, facts: Facts) -> BranchMoves:
    if facts.command is None:
        return BranchMoves()
    return find_branch_moves(call, facts.command, find_repository(call, facts).branch or CURRENT)

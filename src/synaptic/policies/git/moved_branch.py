"""Branches that are moved off their commits."""

from synaptic.model.decision import Verdict, ask
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.git.branch_moves import CURRENT, MOVING_VERBS, find_branch_moves, list_moves
from synaptic.policies.git.calls import SHELL_TOOLS, find_repository, list_calls
from synaptic.policies.git.lost import pick_worst
from synaptic.policies.git.made_here import is_throwaway
from synaptic.policies.git.questions import find_move_question
from synaptic.shell.programs.git_line import GitCall

ADVICE = "Keep them first with `git branch backup/<name> <branch>`; otherwise only the reflog leads to them."


class MovedBranch(Policy):
    """Moving a branch off commits that nothing else leads to.

    ## What it does
    Asks before `git checkout -B`, `git switch -C`, `git branch -f`, `git worktree add -B`, `git update-ref` and a
    forced `git fetch origin main:topic` where the branch has commits that no other branch, tag or remote has, and names
    them; also when the same line makes the commit that is left. Free is a branch that does not exist, one whose commits
    are elsewhere as well or were kept in front in the same line (`git branch backup topic && ...`, `git push && ...`),
    and one of a repository that the same line makes, or that lies in a scratch folder. Where the repository cannot be
    looked at, it is free.
    ## Why
    Nobody sees that commits are gone: the branch is still there, and only its reflog, which ends some day, knows them.
    ## Known gaps
    `git reset --soft`, `--mixed` and `--keep` and `git rebase` are free. A branch whose name is not in the words is
    only known where it is the one that is checked out (`"$(git branch --show-current)"`).
    """

    id = "git.moved-branch"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    speaks_of = frozenset(f"git {verb}" for verb in MOVING_VERBS)
    priority = 22
    preset = "essentials"
    needs = ("repositories", "losses")

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        moving = (call for call in list_calls(event, facts, MOVING_VERBS) if list_moves(call))
        return pick_worst(_judge_move(call, event, facts) for call in moving)


def _judge_move(call: GitCall, event: PreToolUse, facts: Facts) -> Verdict | None:
    known = facts.command
    question = find_move_question(call, known) if known is not None else None
    if known is None or question is None or is_throwaway(call, event, facts):
        return None
    loss = facts.losses.get(question.key)
    if loss is not None and loss.commits:
        return ask(
            f"`git {call.verb}` takes a branch off commits that no other branch, tag or remote has: {loss}. {ADVICE}"
        )
    current = find_repository(call, facts).branch or CURRENT
    if loss is not None and find_branch_moves(call, known, current).drops_new_commit:
        return ask(f"`git {call.verb}` takes the branch off a commit that this line has just made. {ADVICE}")
    return None

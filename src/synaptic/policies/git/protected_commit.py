"""Commits on a branch that everybody builds on."""

from typing import Annotated

from synaptic.model.decision import Verdict, deny
from synaptic.model.event import PreToolUse
from synaptic.model.project import PendingCommit
from synaptic.policies.base import MORE, Policy
from synaptic.policies.facts import Facts
from synaptic.policies.git.calls import PROTECTED_BRANCHES, SHELL_TOOLS, find_repository, iter_with_branches, list_calls
from synaptic.policies.source_files import PLAN_NAME
from synaptic.shell.programs.git_line import GitCall

SWEEPING = ("all", "patch", "include", "amend")


class ProtectedCommit(Policy):
    """Committing while main or master is checked out.

    ## What it does
    Denies `git commit` in a working tree that has a protected branch checked out, also before its first commit, and
    wherever the command goes to (`cd`, `git -C`). Free are: the commit that completes a merge, a commit of nothing but
    `MASTER_PLAN.md`, the repository of the agent's own configuration (`.claude`), other branches, a detached HEAD.
    ## Why
    Work on a branch of its own can be reviewed, thrown away and repeated. Work on main is everybody's at once.
    ## Known gaps
    Commits that `git merge`, `git revert` and `git cherry-pick` make are free.
    """

    id = "git.protected-commit"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    speaks_of = frozenset({"git commit"})
    priority = 26
    preset = "practice"
    is_gate = True
    needs = ("repositories", "pending")

    protected: Annotated[tuple[str, ...], MORE] = PROTECTED_BRANCHES
    """Branches on which nothing is committed."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        for call, branch in iter_with_branches(event, facts):
            if call.verb != "commit" or branch not in self.protected or call.given.has("dry-run"):
                continue
            top, waiting = find_repository(call, facts).top, facts.pending.get(call.cwd, PendingCommit())
            if (
                waiting.merging
                or top.endswith("/.claude")
                or _commits_only_plan(call, list_calls(event, facts), waiting)
            ):
                continue
            return deny(
                f"{branch} is checked out in {top or call.cwd}, and nothing is committed there. Work in a worktree: "
                "git worktree add ../<name> -b <branch>, or put this work on a branch with git switch -c <branch>."
            )
        return None


def _commits_only_plan(call: GitCall, calls_before: tuple[GitCall, ...], waiting: PendingCommit) -> bool:
    """Whether the commit holds the plan and nothing else, counting what the same command adds."""
    given = call.given
    if given.has(*SWEEPING) or given.words or given.behind:
        return False
    names = {*waiting.staged}
    for other in calls_before:
        if other.verb == "add":
            names |= {word.text.removeprefix("./") for word in other.given.operands}
            names |= {flag.word.text for flag in other.given.flags}
    return names == {PLAN_NAME}

"""Source that is written on a branch everybody builds on."""

from typing import Annotated

from synaptic.model.decision import Verdict, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import MORE, Policy
from synaptic.policies.facts import Facts
from synaptic.policies.practice.lines import PROTECTED_BRANCHES, WORKTREE_ADVICE, is_on_protected
from synaptic.policies.source_files import is_guarded, to_project_path


class BranchGuard(Policy):
    """Writing source while main or master is checked out.

    ## What it does
    Denies writing a source file into a working tree that has a protected branch checked out, also before its first
    commit and in folders that do not exist yet. Worktrees, other branches, a detached HEAD, files that are no source,
    and what lies outside of any repository are free.
    ## Why
    Work on a branch of its own can be reviewed, thrown away and repeated. Work on main is everybody's at once.
    ## Known gaps
    Files that a shell command writes are not seen. A bare repository has no working tree and is left alone.
    """

    id = "practice.branch-guard"
    events = (PreToolUse,)
    tools = ("Write", "Edit")
    priority = 32
    preset = "practice"
    is_gate = True
    needs = ("file_git",)

    protected: Annotated[tuple[str, ...], MORE] = PROTECTED_BRANCHES
    """Branches on which no source is written."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        path = to_project_path(event.tool.read_text("file_path"), facts.root)
        if not is_guarded(path) or not is_on_protected(facts.file_git, self.protected):
            return None
        return deny(
            f"{facts.file_git.top} has {facts.file_git.branch} checked out, and source is not written there. "
            f"Make a worktree and write in it: {WORKTREE_ADVICE}"
        )

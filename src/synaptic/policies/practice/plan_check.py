"""Source that nobody planned."""

from typing import Annotated

from synaptic.model.decision import Verdict, advise, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import LOWER, Policy
from synaptic.policies.facts import Facts
from synaptic.policies.source_files import PLAN_NAME, count_lines, is_guarded, to_project_path


class PlanCheck(Policy):
    """Writing source without a plan, or with one that has been left behind.

    ## What it does
    In a git repository, a written source file of 20 lines or more needs a `MASTER_PLAN.md` at the top of its working
    tree or of the project. From 20 commits after the plan's last change on it advises to look at the plan, from 40 on
    it denies. Shorter files pass with a word, edits without one.
    ## Why
    A plan that is not followed misleads everybody who reads it.
    ## Known gaps
    Whether the file is part of the plan is not checked. Where git cannot be run, commits are not counted.
    PLAN_STALENESS_WARN and PLAN_STALENESS_DENY can only lower the numbers: a repository can set variables too.
    """

    id = "practice.plan-check"
    events = (PreToolUse,)
    tools = ("Write", "Edit")
    priority = 34
    preset = "practice"
    is_gate = True
    needs = ("file_git", "plan", "plan_commits", "staleness")

    small_lines: Annotated[int, LOWER] = 20
    """Lines from which on a file needs a plan."""
    warn_commits: Annotated[int, LOWER] = 20
    """Commits since the plan's last change from which on it is advised to update it."""
    deny_commits: Annotated[int, LOWER] = 40
    """Commits from which on it has to be updated."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        path = to_project_path(event.tool.read_text("file_path"), facts.root)
        if event.tool_name != "Write" or not is_guarded(path):
            return None
        lines = count_lines(event.tool.read_text("content"))
        if lines < self.small_lines:
            return advise(f"fast-mode bypass: {lines} line(s), so no plan is asked for.")
        if not facts.file_git.is_known:
            return None
        if not facts.plan.exists:
            return deny(
                f"There is no {PLAN_NAME} in {facts.file_git.top}. Write the plan first: the intent, and "
                "a `## Phase N` with a `**Status:**` for each step."
            )
        return self._judge_staleness(facts)

    def _judge_staleness(self, facts: Facts) -> Verdict | None:
        # A repository can set environment variables too, so they may only lower the limits.
        warn = min(self.warn_commits, facts.staleness.get("warn", self.warn_commits))
        limit = min(self.deny_commits, facts.staleness.get("deny", self.deny_commits))
        count = facts.plan_commits
        if count >= limit:
            return deny(
                f"{facts.plan.path} is {count} commits old (limit {limit}). Bring it up to date, then write this."
            )
        if count >= warn:
            return advise(f"{facts.plan.path} is {count} commits old; from {limit} on writes are denied. Update it.")
        return None

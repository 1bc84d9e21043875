"""The lines about a project that several policies tell: git, plan, tests, findings."""

from synaptic.model.project import Git
from synaptic.policies.facts import Facts
from synaptic.policies.practice import plan
from synaptic.policies.practice.sections import FINDINGS, test_status
from synaptic.policies.source_files import PLAN

PROTECTED = ("main", "master")
FRESH = 600
"""Seconds for which a result of the tests counts."""
ADVICE = "git worktree add ../<name> -b <branch>"


def branch_name(git: Git) -> str:
    """The branch's name to show, or what is checked out in its place."""
    if not git.known:
        return "no repository"
    return git.branch or f"detached at {git.commit[:10] or 'nothing'}"


def on_protected(git: Git, protected: tuple[str, ...] = PROTECTED) -> bool:
    return git.known and git.branch in protected


def git_line(facts: Facts) -> str:
    """Branch, uncommitted changes, worktrees."""
    git = facts.git
    return f"Git: branch={branch_name(git)} | {facts.dirty} uncommitted | {len(git.worktrees)} worktrees"


def main_warning(facts: Facts) -> str:
    return f"WARNING: on {facts.git.branch}. Source is written on a branch of its own: {ADVICE}"


def plan_line(facts: Facts) -> str:
    """How far the plan is, or that there is none."""
    if not facts.plan.exists:
        return f"Plan: {PLAN} not found"
    days = plan.age_days(facts.plan.modified, facts.now)
    return f"Plan: {PLAN}: {plan.status(facts.plan.text).line}, {days} day(s) old"


def tests_line(facts: Facts) -> str:
    """The last run of the tests; empty when nobody ran them."""
    status = test_status(facts)
    if status is None:
        return ""
    if status.passed:
        return f"Tests: passed {status.age(facts.now)} s ago"
    return f"Tests: {status.failures} failure(s) {status.age(facts.now)} s ago"


def findings(facts: Facts) -> tuple[str, ...]:
    """What the checks of sub-agents left behind, one line each."""
    return tuple(str(item) for item in facts.state.items(FINDINGS, "items"))

"""The lines about a project that several policies tell: git, plan, tests, findings."""

from synaptic.model.project import Git
from synaptic.policies.facts import Facts
from synaptic.policies.practice import plan
from synaptic.policies.practice.sections import FINDINGS, read_test_status
from synaptic.policies.source_files import PLAN_NAME

PROTECTED_BRANCHES = ("main", "master")
FRESH_SECONDS = 600
"""Seconds for which a result of the tests counts."""
WORKTREE_ADVICE = "git worktree add ../<name> -b <branch>"


def describe_branch(git: Git) -> str:
    """The branch's name to show, or what is checked out in its place."""
    if not git.is_known:
        return "no repository"
    return git.branch or f"detached at {git.commit[:10] or 'nothing'}"


def is_on_protected(git: Git, protected: tuple[str, ...] = PROTECTED_BRANCHES) -> bool:
    return git.is_known and git.branch in protected


def format_git_line(facts: Facts) -> str:
    """Branch, uncommitted changes, worktrees."""
    git = facts.git
    return f"Git: branch={describe_branch(git)} | {facts.dirty} uncommitted | {len(git.worktrees)} worktrees"


def format_main_warning(facts: Facts) -> str:
    return f"WARNING: on {facts.git.branch}. Source is written on a branch of its own: {WORKTREE_ADVICE}"


def format_plan_line(facts: Facts) -> str:
    """How far the plan is, or that there is none."""
    if not facts.plan.exists:
        return f"Plan: {PLAN_NAME} not found"
    days = plan.count_age_days(facts.plan.modified, facts.now)
    return f"Plan: {PLAN_NAME}: {plan.read_plan_status(facts.plan.text).line}, {days} day(s) old"


def format_tests_line(facts: Facts) -> str:
    """The last run of the tests; empty when nobody ran them."""
    status = read_test_status(facts)
    if status is None:
        return ""
    if status.has_passed:
        return f"Tests: passed {status.compute_age(facts.now)} s ago"
    return f"Tests: {status.failures} failure(s) {status.compute_age(facts.now)} s ago"


def list_findings(facts: Facts) -> tuple[str, ...]:
    """What the checks of sub-agents left behind, one line each."""
    return tuple(str(item) for item in facts.state.read_items(FINDINGS, "items"))

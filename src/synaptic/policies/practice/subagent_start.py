"""What a sub-agent should know before it begins."""

from synaptic.model.decision import Verdict, advise
from synaptic.model.event import SubagentStart
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.practice import plan
from synaptic.policies.practice.lines import WORKTREE_ADVICE, describe_branch

PLANNER_ROLE = (
    "Role planner: write MASTER_PLAN.md first, with the original intent and a `## Phase N` with a `**Status:**` "
    "for each step. You write the plan and no source."
)
IMPLEMENTER_ROLE = (
    "Role implementer: work test-first in a worktree, annotate decisions with @decision, and leave commits and "
    "merges to the guardian."
)
FIRST_ACTION = f"CRITICAL: there is no worktree. Your first action is to create one: {WORKTREE_ADVICE}"
GUARDIAN_ROLE = (
    "Role guardian: commit and merge only after explicit approval. Before it, verify @decision annotations and look "
    "for secrets; after a merge, update MASTER_PLAN.md."
)
SILENT_TYPES = frozenset({"Bash", "Explore"})


class SubagentBriefing(Policy):
    """A sub-agent that begins without knowing its place.

    ## What it does
    Tells it branch, uncommitted changes, worktrees and plan in one line, and the duties of its role: planner,
    implementer (with a first action when there is no worktree), guardian.
    ## Why
    A sub-agent has not read the conversation, only its task.
    ## Known gaps
    Roles are known by the name of the agent type alone.
    """

    id = "practice.subagent-start"
    events = (SubagentStart,)
    priority = 60
    preset = "practice"
    needs = ("git", "dirty", "plan")

    def check(self, event: SubagentStart, facts: Facts) -> Verdict | None:
        if not facts.root:
            return None
        return advise("\n".join((_describe_context(facts), *_describe_role(event.agent_type, facts))))


def _describe_context(facts: Facts) -> str:
    known = facts.plan.exists
    told = plan.read_plan_status(facts.plan.text).line if known else "not found"
    count = len(facts.git.worktrees)
    return f"Context: {describe_branch(facts.git)} | {facts.dirty} dirty | {count} worktrees | Plan: {told}"


def _describe_role(kind: str, facts: Facts) -> tuple[str, ...]:
    if kind in ("planner", "Plan"):
        return (PLANNER_ROLE,)
    if kind == "implementer":
        return (IMPLEMENTER_ROLE,) if facts.git.worktrees else (IMPLEMENTER_ROLE, FIRST_ACTION)
    if kind == "guardian":
        return (GUARDIAN_ROLE,)
    return () if kind in SILENT_TYPES or not kind else (f"Agent type: {kind}",)

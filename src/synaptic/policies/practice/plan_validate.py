"""A plan that was just written."""

from synaptic.model.decision import Verdict, deny
from synaptic.model.event import PostToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.practice.plan import find_problems
from synaptic.policies.source_files import PLAN_NAME


class PlanValidate(Policy):
    """A plan that later checks cannot read.

    ## What it does
    After `MASTER_PLAN.md` was written, tells the model what is missing: a heading for the original intent, a
    `**Status:**` of planned, in-progress or completed for every `## Phase N`, a `### Decision Log` entry for every
    completed phase, decision ids such as DEC-AUTH-001.
    ## Why
    The gates and summaries count phases and decisions; a plan in another form counts as none.
    ## Known gaps
    Examples in fenced blocks are not read.
    """

    id = "practice.plan-validate"
    events = (PostToolUse,)
    tools = ("Write", "Edit")
    priority = 62
    preset = "practice"
    needs = ("target",)

    def check(self, event: PostToolUse, facts: Facts) -> Verdict | None:
        if facts.target.path.rpartition("/")[2] != PLAN_NAME or not facts.target.exists:
            return None
        found = find_problems(facts.target.text)
        if not found:
            return None
        listed = "\n".join(f"- {problem}" for problem in found)
        return deny(f"{facts.target.path} has {len(found)} problem(s); correct them:\n{listed}")

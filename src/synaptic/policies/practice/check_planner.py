"""Check the plan when a planner ends."""

from synaptic.model.decision import Verdict
from synaptic.model.event import SubagentStop
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.practice import plan
from synaptic.policies.practice.checks import WAITS_FOR_APPROVAL, report_findings
from synaptic.policies.practice.response import PLANNED, waits_for_approval
from synaptic.policies.source_files import PLAN_NAME


class CheckPlanner(Policy):
    """A planner that ends without a plan that can be followed.

    ## What it does
    When a planner ends, looks at `MASTER_PLAN.md`: is it there, has it phases, a purpose, work items. The findings are
    for the user at once and for the model with the next prompt. It never blocks.
    ## Why
    What is missing in a plan is missing in everything that follows it.
    ## Known gaps
    It reads headings and words, not the sense of the plan.
    """

    id = "practice.check-planner"
    events = (SubagentStop,)
    priority = 50
    preset = "practice"
    needs = ("plan",)

    def check(self, event: SubagentStop, facts: Facts) -> Verdict | None:
        if event.agent_type not in ("planner", "Plan") or not facts.root:
            return None
        issues = _find_plan_issues(facts)
        if waits_for_approval(event.last_assistant_message, PLANNED):
            issues.append(WAITS_FOR_APPROVAL)
        return report_findings(
            "planner", issues, f"the plan looks good ({plan.read_plan_status(facts.plan.text).total} phases)", facts
        )


def _find_plan_issues(facts: Facts) -> list[str]:
    if not facts.plan.exists:
        return [f"{PLAN_NAME} was not written"]
    text = facts.plan.text
    issues = []
    if not plan.parse_phases(text):
        issues.append(f"{PLAN_NAME} has no `## Phase N` headings")
    if not plan.has_purpose(text):
        issues.append(f"{PLAN_NAME} has no section that says what it is for")
    if not plan.mentions_work(text):
        issues.append(f"{PLAN_NAME} names no issue, task or TODO")
    return issues

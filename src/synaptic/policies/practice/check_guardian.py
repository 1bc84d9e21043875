"""Check the project when a guardian ends."""

from synaptic.model.decision import Verdict
from synaptic.model.event import SubagentStop
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.practice.checks import WAITS_FOR_APPROVAL, report_findings
from synaptic.policies.practice.response import EXECUTED, waits_for_approval
from synaptic.policies.source_files import PLAN_NAME


class CheckGuardian(Policy):
    """A guardian that ends with loose ends.

    ## What it does
    When a guardian ends: is the plan there and was it changed within five minutes, is nothing left uncommitted, was
    the work done. The findings are for the user at once and for the model with the next prompt. It never blocks.
    ## Why
    The guardian is the last one to look; what it leaves open stays open.
    ## Known gaps
    A merge that completes no phase still asks for a fresh plan.
    """

    id = "practice.check-guardian"
    events = (SubagentStop,)
    priority = 52
    preset = "practice"
    needs = ("git", "dirty", "plan")

    plan_seconds: int = 300
    """Seconds within which the plan must have been changed."""

    def check(self, event: SubagentStop, facts: Facts) -> Verdict | None:
        if event.agent_type != "guardian" or not facts.root:
            return None
        issues = self._find_plan_issues(facts)
        if facts.dirty:
            issues.append(f"{facts.dirty} uncommitted change(s) are left")
        if waits_for_approval(event.last_assistant_message, EXECUTED):
            issues.append(WAITS_FOR_APPROVAL)
        return report_findings("guardian", issues, "nothing is left open", facts)

    def _find_plan_issues(self, facts: Facts) -> list[str]:
        if not facts.plan.exists:
            return [f"there is no {PLAN_NAME}"]
        if facts.now - facts.plan.modified > self.plan_seconds:
            return [f"{PLAN_NAME} was not updated"]
        return []

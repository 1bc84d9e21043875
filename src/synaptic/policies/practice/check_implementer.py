"""Check the project when an implementer ends."""

from synaptic.model.decision import Verdict
from synaptic.model.event import SubagentStop
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.practice.checks import WAITS_FOR_APPROVAL, report_findings
from synaptic.policies.practice.decisions import DECIDED_LINES, has_decision
from synaptic.policies.practice.lines import is_on_protected
from synaptic.policies.practice.response import IMPLEMENTED, waits_for_approval
from synaptic.policies.practice.sections import CHANGES, TESTS, read_test_status
from synaptic.policies.source_files import count_lines, is_skippable, is_source, is_test, to_project_path

SHOWN = 5


class CheckImplementer(Policy):
    """An implementer that ends on main, without decisions, or with failing tests.

    ## What it does
    When an implementer ends, looks at the branch, at the source files the session changed and at the last test run.
    The findings are for the user at once and for the model with the next prompt. It never blocks.
    ## Why
    What is not said at the end of a task is found by somebody else, later.
    ## Known gaps
    All files of the session count, whichever agent of it wrote them.
    """

    id = "practice.check-implementer"
    events = (SubagentStop,)
    priority = 51
    preset = "practice"
    needs = ("git", "changed", "tests", CHANGES, TESTS)

    fresh: int = 1800
    """Seconds for which a failing test run counts."""

    def check(self, event: SubagentStop, facts: Facts) -> Verdict | None:
        if event.agent_type != "implementer" or not facts.root:
            return None
        issues = [f"work was done on {facts.git.branch}"] if is_on_protected(facts.git) else []
        if silent := list_undecided(facts):
            issues.append(f"no decision in {', '.join(silent[:SHOWN])}")
        status = read_test_status(facts)
        if status and not status.has_passed and status.compute_age(facts.now) < self.fresh:
            issues.append(f"{status.failures} test(s) fail")
        if waits_for_approval(event.last_assistant_message, IMPLEMENTED):
            issues.append(WAITS_FOR_APPROVAL)
        return report_findings("implementer", issues, "the work looks good", facts)


def list_undecided(facts: Facts) -> list[str]:
    """Changed source files that are long and say nothing about decisions, with their lengths."""
    found = []
    for file in facts.changed:
        name, lines = to_project_path(file.path, facts.root), count_lines(file.text)
        if not is_source(name) or is_skippable(name) or is_test(name):
            continue
        if lines >= DECIDED_LINES and not has_decision(file.text):
            found.append(f"{name} ({lines} lines)")
    return found

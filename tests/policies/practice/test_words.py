"""What the user is told at the end of turns and sub-agents, in the words themselves."""

from synaptic.model.event import Stop, SubagentStop
from synaptic.model.project import ChangedFile, Git, PlanFile, TestStatus
from synaptic.model.state import State
from synaptic.policies.facts import Facts
from synaptic.policies.practice.check_planner import CheckPlanner
from synaptic.policies.practice.sections import CHANGES
from synaptic.policies.practice.session_summary import SessionSummary
from synaptic.policies.practice.surface import Surface

FACTS = Facts(
    root="/p",
    now=1000.0,
    git=Git(top="/p", branch="feature", commit="c"),
    dirty=1,
    changed=(ChangedFile(path="/p/src/a.py", text="# @decision DEC-CALC-001\n"),),
    tests=TestStatus(result="fail", failures=2, at=900),
    state=State({CHANGES: {"files": ["/p/src/a.py", "/p/b.md"], "edits": 3}}),
)


def test_a_summary_says_files_decisions_branch_and_tests():
    """S4-161"""
    verdict = SessionSummary().check(Stop(), FACTS)
    assert verdict and verdict.messages == (
        "Session: 2 file(s) changed (1 source, 1 config/other). 1 file(s) with @decision. "
        "Git: feature, 1 uncommitted. Tests: 2 failing. Next: fix them.",
    )


def test_the_audit_before_it_takes_nothing_away_from_it():
    """S4-D02"""
    surfaced = Surface().check(Stop(), FACTS)
    assert surfaced and "without a rationale: src/a.py" in surfaced.messages[0]
    assert all(getattr(effect, "section", "") != CHANGES for effect in surfaced.effects)
    assert SessionSummary().check(Stop(), FACTS) is not None


def test_a_good_plan_is_called_good():
    """S4-141"""
    plan = PlanFile(path="/p/MASTER_PLAN.md", text="# Why\n## Phase 1\n## Phase 2\ntask\n", modified=1)
    verdict = CheckPlanner().check(SubagentStop(agent_type="planner"), Facts(root="/p", plan=plan))
    assert verdict and verdict.messages == ("planner: the plan looks good (2 phases)",)

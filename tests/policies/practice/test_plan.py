"""Plans, read."""

from hypothesis import given
from hypothesis import strategies as st

from synaptic.policies.practice import plan

TWO = "# Plan\n## Phase 1: one\n**Status:** completed\n## Phase 2: two\n**Status:** planned\n## Notes\n**Status:** x\n"


def test_how_far_a_plan_is():
    """S4-031"""
    found = plan.read_plan_status(TWO)
    assert (found.total, found.completed, found.in_progress, found.phase) == (2, 1, 0, "## Phase 2: two")
    assert found.line == "1/2 phases completed, current: Phase 2: two"


def test_a_plan_without_phases_has_none():
    """S4-D07"""
    assert plan.read_plan_status("text").total == 0
    assert plan.parse_phases("") == ()


def test_an_example_in_a_fenced_block_is_no_phase():
    assert plan.read_plan_status("```\n## Phase 1: x\n```\n").total == 0


def test_a_status_belongs_to_its_own_phase():
    """S4-121"""
    one, two = plan.parse_phases("## Phase 1\n## Phase 2\n**Status:** planned\n")
    assert (one.status, two.status) == ("", "planned")


def test_whole_days():
    assert plan.count_age_days(0, 86399) == 0
    assert plan.count_age_days(0, 86400) == 1
    assert plan.count_age_days(100, 0) == 0


@given(st.text())
def test_any_text_can_be_read(text: str):
    plan.read_plan_status(text)
    plan.find_problems(text)

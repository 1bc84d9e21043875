"""Annotations of decisions."""

from synaptic.policies.practice.decisions import (
    find_ids,
    find_malformed_ids,
    find_retired_ids,
    has_decision,
    has_rationale,
)


def test_every_form_is_one():
    """S4-182"""
    for text in (
        "@decision DEC-X-001",
        "# DECISION: x",
        "// DECISION: x",
        "// DECISION(DEC-XY-001): x",
        "#DECISION: x",
    ):
        assert has_decision(text), text
    for text in ("a decision", "DECISIONS: many", "@decisions", "undecided"):
        assert not has_decision(text), text


def test_reasons():
    assert has_rationale("@rationale sums") and has_rationale("Rationale: sums")
    assert not has_rationale("irrational")


def test_ids():
    """S4-120, S4-D08"""
    text = "src/a.py:DEC-AUTH-001 DEC-AUTH-001 DEC-A-1 DEC-AUTH-0001"
    assert find_ids(text) == ("DEC-AUTH-001",)
    assert find_malformed_ids(text) == ("DEC-A-1", "DEC-AUTH-0001")
    assert find_retired_ids("DEC-AA-001\nDEC-AA-002 superseded by DEC-AA-003\nDEC-AA-004") == {
        "DEC-AA-002",
        "DEC-AA-003",
    }

"""The size gate at its real limits."""

import pytest

from synaptic.model.decision import Kind
from synaptic.model.event import PreToolUse
from synaptic.model.project import TargetFile
from synaptic.policies.facts import Facts
from synaptic.policies.sane.oversized_file import OversizedFile
from synaptic.policies.sane.unsummarised_stop import compute_score


def said(size: int, path: str = "/p/a.py") -> Kind:
    event = PreToolUse(tool_name="Write", tool_input={"file_path": path, "content": "x\n" * size})
    verdict = OversizedFile().check(event, Facts(root="/p"))
    return verdict.kind if verdict else Kind.NONE


@pytest.mark.parametrize(("size", "kind"), [(500, Kind.NONE), (501, Kind.ADVISE), (800, Kind.ADVISE), (801, Kind.DENY)])
def test_a_warning_above_500_and_a_block_above_800(size: int, kind: Kind) -> None:
    """S1-070"""
    assert said(size) is kind


@pytest.mark.parametrize(("size", "kind"), [(1200, Kind.NONE), (1500, Kind.NONE), (1501, Kind.DENY)])
def test_markdown_may_be_longer(size: int, kind: Kind) -> None:
    """S1-072"""
    assert said(size, "/p/a.md") is kind


@pytest.mark.parametrize(
    ("before", "more", "kind"), [(795, 10, Kind.DENY), (795, 5, Kind.ADVISE), (900, -20, Kind.ADVISE)]
)
def test_an_edit_is_measured_by_what_it_leaves(before: int, more: int, kind: Kind) -> None:
    """S1-071"""
    old = "x\n" * 30
    event = PreToolUse(
        tool_name="Edit", tool_input={"file_path": "/p/a.py", "old_string": old, "new_string": "x\n" * (30 + more)}
    )
    facts = Facts(root="/p", target=TargetFile(path="/p/a.py", exists=True, text="x\n" * before))
    assert OversizedFile().check(event, facts).kind is kind


@pytest.mark.parametrize(
    ("blocks", "points"), [(0, 10), (1, 9), (2, 9), (3, 8), (4, 8), (5, 7), (7, 7), (8, 6), (10, 6), (11, 5), (50, 5)]
)
def test_the_score_falls_with_the_refusals(blocks: int, points: int) -> None:
    """S1-175"""
    assert compute_score(blocks) == points

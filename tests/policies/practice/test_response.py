"""The last words of an agent."""

import pytest

from synaptic.policies.practice.response import EXECUTED, find_last_paragraph, is_dead_end, waits_for_approval


@pytest.mark.parametrize(
    "text", ["Do you approve?", "do you confirm this", "Shall I proceed?", "Shall I continue", "Ready to merge?"]
)
def test_questions_for_approval(text: str):
    """S4-145"""
    assert waits_for_approval(text, EXECUTED)
    assert not waits_for_approval(f"I merged it. {text}", EXECUTED)


def test_dead_ends():
    """S4-162"""
    assert is_dead_end("Lots of text?\n\nAll set.")
    assert not is_dead_end("The job was abandoned.")
    assert not is_dead_end("")
    assert find_last_paragraph("a\n \n\nb\nc\n\n") == "b\nc"

"""Prompts by their whole text: the tables are in tests/policies/sane/task_prompt.toml and prompt_commands.toml."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synaptic.policies.prompt import (
    GATED_CLASSES,
    PROMPT_COMMANDS,
    classify_prompt,
    extract_requirements,
    find_command,
    is_typed,
)

CORPUS = Path(__file__).parents[1] / "corpus"
NATURAL = tomllib.loads((CORPUS / "prompts.toml").read_text())
HELD_OUT = tomllib.loads((CORPUS / "prompts_held_out.toml").read_text())


@given(st.sampled_from(sorted(PROMPT_COMMANDS)), st.text(min_size=1, max_size=20).filter(str.strip))
def test_a_command_with_anything_around_it_is_no_command(word: str, more: str) -> None:
    """S1-028: the whole prompt, never its beginning."""
    assert find_command(f"{word}x{more}") == ""
    assert find_command(f"please {word}") == ""


@given(st.text())
def test_every_text_has_a_class(prompt: str) -> None:
    assert classify_prompt(prompt) in ("passthrough", "question", "research", "edit", "task", "big_task")
    extract_requirements(prompt)
    find_command(prompt)


def test_a_prompt_of_a_megabyte_is_read_by_its_beginning() -> None:
    assert classify_prompt("fix the bug " + "x" * 1_000_000) == "task"
    assert classify_prompt("what is this " + "x " * 500_000) == "question"
    assert classify_prompt("look at this " + "x " * 500_000 + "?") == "task"
    assert find_command("s-" + " " * 1_000_000) == ""


@pytest.mark.parametrize("prompt", ["fix the bug\n\nin login.py", "fix this\nwhy?\nbecause it is broken"])
def test_a_line_of_a_prompt_decides_nothing(prompt: str) -> None:
    """S1-046"""
    assert classify_prompt(prompt) == "task"


@pytest.mark.parametrize("prompt", NATURAL["task"] + HELD_OUT["task"])
def test_what_is_not_clearly_a_question_is_a_task(prompt: str) -> None:
    """S1-040, S1-063: unknown means task."""
    assert classify_prompt(prompt) in GATED_CLASSES


@pytest.mark.parametrize("prompt", NATURAL["question"] + HELD_OUT["question"])
def test_a_question_an_investigation_and_an_answer_gate_nothing(prompt: str) -> None:
    """S1-040, S1-041, S1-042"""
    assert classify_prompt(prompt) not in GATED_CLASSES


def test_what_is_pasted_below_a_question_is_not_what_the_person_says() -> None:
    assert classify_prompt("Why does this fail?\n```\nrm the cache\nmake it\n```") == "question"
    assert classify_prompt("Why does this fail?\n> fix me") == "question"
    assert classify_prompt("Why does this fail?\n```\nx\n```\nFix it.") == "task"


def test_a_person_does_not_open_with_a_tag() -> None:
    assert is_typed("s-") and is_typed("a < b > c") and is_typed("s-", "user") and is_typed("s-", "sdk")
    assert not is_typed("<task-notification>s-</task-notification>") and not is_typed("s-", "schedule_wakeup")

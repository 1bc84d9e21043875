"""Prompts by their whole text: the tables are in tests/policies/sane/task_prompt.toml and prompt_commands.toml."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synaptic.policies.prompt import (
    PROMPT_COMMANDS,
    are_related,
    classify_prompt,
    extract_requirements,
    find_command,
    find_keywords,
    is_typed,
)


@given(st.sampled_from(sorted(PROMPT_COMMANDS)), st.text(min_size=1, max_size=20).filter(str.strip))
def test_a_command_with_anything_around_it_is_no_command(word: str, more: str) -> None:
    """S1-028: the whole prompt, never its beginning."""
    assert find_command(f"{word}x{more}") == ""
    assert find_command(f"please {word}") == ""


@given(st.text())
def test_every_text_has_a_class(prompt: str) -> None:
    assert classify_prompt(prompt) in ("passthrough", "question", "research", "edit", "task", "big_task")
    extract_requirements(prompt)
    find_keywords(prompt)
    find_command(prompt)


def test_a_prompt_of_a_megabyte_is_read_by_its_beginning_and_its_end() -> None:
    assert classify_prompt("fix the bug " + "x" * 1_000_000) == "task"
    assert classify_prompt("look at this " + "x " * 500_000 + "?") == "question"
    assert find_command("s-" + " " * 1_000_000) == ""


@pytest.mark.parametrize("prompt", ["fix the bug\n\nin login.py", "fix this\nwhy?\nbecause it is broken"])
def test_a_line_of_a_prompt_decides_nothing(prompt: str) -> None:
    """S1-046"""
    assert classify_prompt(prompt) == "task"


def test_related_tasks_share_half_of_their_words() -> None:
    """S1-055"""
    assert are_related(("login", "parser"), ("login", "crash"))
    assert not are_related(("login", "parser", "crash"), ("billing", "export", "crash"))
    assert are_related((), ("login",))


def test_a_person_does_not_open_with_a_tag() -> None:
    assert is_typed("s-") and is_typed("a < b > c") and is_typed("s-", "user") and is_typed("s-", "sdk")
    assert not is_typed("<task-notification>s-</task-notification>") and not is_typed("s-", "schedule_wakeup")

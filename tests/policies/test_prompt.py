"""Prompts by their whole text: the tables are in tests/policies/sane/task_prompt.toml and prompt_commands.toml."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synaptic.policies.prompt import COMMANDS, classify, command, extract, keywords, related, typed


@given(st.sampled_from(sorted(COMMANDS)), st.text(min_size=1, max_size=20).filter(str.strip))
def test_a_command_with_anything_around_it_is_no_command(word: str, more: str) -> None:
    """S1-028: the whole prompt, never its beginning."""
    assert command(f"{word}x{more}") == ""
    assert command(f"please {word}") == ""


@given(st.text())
def test_every_text_has_a_class(prompt: str) -> None:
    assert classify(prompt) in ("passthrough", "question", "research", "edit", "task", "big_task")
    extract(prompt)
    keywords(prompt)
    command(prompt)


def test_a_prompt_of_a_megabyte_is_read_by_its_beginning_and_its_end() -> None:
    assert classify("fix the bug " + "x" * 1_000_000) == "task"
    assert classify("look at this " + "x " * 500_000 + "?") == "question"
    assert command("s-" + " " * 1_000_000) == ""


@pytest.mark.parametrize("prompt", ["fix the bug\n\nin login.py", "fix this\nwhy?\nbecause it is broken"])
def test_a_line_of_a_prompt_decides_nothing(prompt: str) -> None:
    """S1-046"""
    assert classify(prompt) == "task"


def test_related_tasks_share_half_of_their_words() -> None:
    """S1-055"""
    assert related(("login", "parser"), ("login", "crash"))
    assert not related(("login", "parser", "crash"), ("billing", "export", "crash"))
    assert related((), ("login",))


def test_a_person_does_not_open_with_a_tag() -> None:
    assert typed("s-") and typed("a < b > c") and typed("s-", "user") and typed("s-", "sdk")
    assert not typed("<task-notification>s-</task-notification>") and not typed("s-", "schedule_wakeup")

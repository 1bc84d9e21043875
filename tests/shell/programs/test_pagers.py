"""Pagers and editors that a variable names."""

import pytest

from tests.shell.read.seen import seen


@pytest.mark.parametrize(
    "text",
    [
        "PAGER='rm x' git log",
        "VISUAL='rm x' git commit",
        "env EDITOR='rm x' git commit",
        "export PAGER='rm x'; git log",
        "MANPAGER='rm x' man ls",
        "LESSOPEN='|rm x' less a",
        "EDITOR='rm x' crontab -e",
        "SUDO_EDITOR='rm x' sudo -e /a",
        "PAGER='rm x' psql -c 'select 1'",
        "EDITOR='rm x' gh pr create",
    ],
)
def test_the_program_that_is_named_runs(text: str) -> None:
    assert "rm x" in seen(text)


@pytest.mark.parametrize(
    "text", ["PAGER='rm x' ls", "PAGER= git log", "MANPAGER='rm x' git log", "EDITOR='rm x' crontab -l"]
)
def test_a_program_that_starts_none_runs_nothing(text: str) -> None:
    assert "rm x" not in seen(text)

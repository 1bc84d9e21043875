"""The one way in which git is run; what a configuration may not start is in tests/security."""

import asyncio
from pathlib import Path

from synaptic.facts.ask_git import run_git


def test_where_there_is_no_repository_there_is_no_answer(tmp_path: Path):
    assert asyncio.run(run_git(str(tmp_path), "status", "--porcelain")) == ""


def test_a_failing_question_is_no_answer(tmp_path: Path):
    assert asyncio.run(run_git(str(tmp_path / "gone"), "status")) == ""

"""Which files are whose business."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synaptic.policies.source_files import in_agent_folder, is_guarded, is_skippable, is_test, line_count, local


@pytest.mark.parametrize(
    ("path", "want"),
    [
        ("test_a.py", True), ("tests/test_a.py", True), ("tests/helper.py", True), ("test/a.js", True),
        ("a_test.go", True),
        ("a_test.py", True), ("src/a.test.ts", True), ("a.spec.ts", True), ("x/__tests__/a.js", True),
        ("contest.py", False), ("latest/a.py", False), ("src/testing.py", False), ("testimony.py", False),
    ],
)  # fmt: skip
def test_tests(path: str, want: bool):
    """S4-081, S4-083"""
    assert is_test(path) is want


def test_where_a_project_lies_says_nothing_about_its_files():
    """S4-034"""
    assert not is_skippable(local("/home/u/build/project/src/a.py", "/home/u/build/project"))
    assert is_skippable(local("/home/u/project/build/a.py", "/home/u/project"))
    assert local("/elsewhere/a.py", "/home/u/project") == "/elsewhere/a.py"


def test_a_worktree_below_the_agent_folder_is_the_project():
    assert in_agent_folder(".claude/hooks/a.py")
    assert is_guarded(local("/p/.claude/worktrees/side/src/a.py", "/p"))
    assert not is_guarded(local("/p/.claude/worktrees/side/.claude/a.py", "/p"))
    assert not in_agent_folder("my.claude/a.py")


@given(st.lists(st.text(alphabet="ab ", max_size=3), max_size=60))
def test_a_newline_at_the_end_starts_no_line(lines: list[str]):
    """S4-101"""
    text = "\n".join(lines)
    if text and not text.endswith("\n"):
        assert line_count(text) == line_count(text + "\n") == len(lines)
    assert line_count("") == 0

"""Which files are whose business."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synaptic.policies.source_files import (
    count_lines,
    is_guarded,
    is_in_agent_folder,
    is_skippable,
    is_test,
    to_project_path,
    triggers_tests,
)


@pytest.mark.parametrize(
    ("path", "want"),
    [
        ("test_a.py", True), ("tests/test_a.py", True), ("tests/helper.py", True), ("test/a.js", True),
        ("a_test.go", True),
        ("conftest.py", True), ("pkg/conftest.py", True), ("src/a.test.mjs", True), ("src/a.spec.cjs", True),
        ("a_test.py", True), ("src/a.test.ts", True), ("a.spec.ts", True), ("x/__tests__/a.js", True),
        ("contest.py", False), ("latest/a.py", False), ("src/testing.py", False), ("testimony.py", False),
    ],
)  # fmt: skip
def test_tests(path: str, want: bool):
    """S4-081, S4-083"""
    assert is_test(path) is want


@pytest.mark.parametrize(
    ("path", "want"),
    [
        ("src/a.py", True), ("tests/test_a.py", True), ("src/a.ts", True), ("src/a.test.ts", True),
        ("src/a.spec.js", True), ("src/__tests__/a.js", True), ("src/__tests__/a.tsx", True), ("src/a.test.tsx", True),
        ("a.test.mjs", True), ("a.spec.cjs", True), ("a.mts", True), ("lib/a.mjs", True),
        ("node_modules/x/a.test.js", False), ("dist/a.test.js", False), ("vendor/tests/a.js", False),
        (".claude/tests/a.js", False), ("tests/data.json", False), ("README.md", False), ("vite.config.ts", False),
        ("src/a.min.js", False),
    ],
)  # fmt: skip
def test_what_is_a_reason_to_run_the_tests(path: str, want: bool):
    """S4-125: tests are, by whatever name."""
    assert triggers_tests(path) is want


def test_where_a_project_lies_says_nothing_about_its_files():
    """S4-034"""
    assert not is_skippable(to_project_path("/home/u/build/project/src/a.py", "/home/u/build/project"))
    assert is_skippable(to_project_path("/home/u/project/build/a.py", "/home/u/project"))
    assert to_project_path("/elsewhere/a.py", "/home/u/project") == "/elsewhere/a.py"


def test_a_worktree_below_the_agent_folder_is_the_project():
    assert is_in_agent_folder(".claude/hooks/a.py")
    assert is_guarded(to_project_path("/p/.claude/worktrees/side/src/a.py", "/p"))
    assert not is_guarded(to_project_path("/p/.claude/worktrees/side/.claude/a.py", "/p"))
    assert not is_in_agent_folder("my.claude/a.py")


@given(st.lists(st.text(alphabet="ab ", max_size=3), max_size=60))
def test_a_newline_at_the_end_starts_no_line(lines: list[str]):
    """S4-101"""
    text = "\n".join(lines)
    if text and not text.endswith("\n"):
        assert count_lines(text) == count_lines(text + "\n") == len(lines)
    assert count_lines("") == 0


@pytest.mark.parametrize(
    "path",
    [
        "/p/tests/../src/a.py", "/p/build/../src/a.py", "/p/.claude/../src/a.py", "/p/x/__tests__/../../src/a.py",
        "/p//src/a.py", "/p/./src/./a.py", "./src/a.py", "tests/../src/a.py", "/q/../p/src/a.py",
    ],
)  # fmt: skip
def test_a_path_is_judged_by_where_it_leads_and_not_by_the_folders_it_leaves_again(path: str):
    """Otherwise every gate of source could be walked around in one step."""
    assert to_project_path(path, "/p") == "src/a.py"
    assert is_guarded(to_project_path(path, "/p")) and not is_test(to_project_path(path, "/p"))


def test_an_empty_path_stays_one():
    assert to_project_path("", "/p") == ""
    assert to_project_path("/p/.claude/worktrees/w/.github/a.py", "/p") == ".github/a.py"

"""context-lib.sh, and that it agrees with the policies about files."""

import os
import re
import time
from pathlib import Path

import pytest

from synaptic.policies import source_files
from tests.lib.shell import git, repository, sh

STATE = 'get_git_state "$PWD"; echo "$GIT_BRANCH|$GIT_DIRTY_COUNT|$GIT_WT_COUNT|$GIT_WORKTREES"'
PLAN = (
    'get_plan_status "$PWD"; '
    'echo "$PLAN_EXISTS|$PLAN_PHASE|$PLAN_TOTAL_PHASES|$PLAN_COMPLETED_PHASES|$PLAN_AGE_DAYS|$PLAN_COMMITS_SINCE"'
)


def test_git_state(tmp_path: Path):
    """S4-030"""
    repo = repository(tmp_path / "my repo")
    git(repo, "worktree", "add", "-q", str(tmp_path / "side tree"), "-b", "side")
    for name in ("a", "b"):
        (repo / name).write_text("x")
    assert sh(STATE, repo).stdout.strip() == f"main|2|1|{tmp_path}/side tree"


def test_git_state_in_a_worktree_where_git_is_a_file(tmp_path: Path):
    """S4-D05"""
    repo = repository(tmp_path / "repo")
    git(repo, "worktree", "add", "-q", str(tmp_path / "side"), "-b", "side")
    assert sh(STATE, tmp_path / "side").stdout.strip() == f"side|0|1|{tmp_path}/side"


def test_git_state_without_a_repository_and_before_the_first_commit(tmp_path: Path):
    assert sh(STATE, tmp_path).stdout.strip() == "|0|0|"
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    git(fresh, "init", "-q", "-b", "trunk")
    assert sh(STATE, fresh).stdout.strip() == "trunk|0|0|"


def test_plan_status(tmp_path: Path):
    """S4-031, S4-D04"""
    repo = repository(tmp_path / "repo")
    plan = repo / "MASTER_PLAN.md"
    assert sh(PLAN, repo).stdout.strip() == "false||0|0|0|0"
    plan.write_text("# Plan\n## Phase 1: one\n**Status:** completed\n## Phase 2: two\n**Status:** planned\n")
    assert sh(PLAN, repo).stdout.strip().startswith("true|## Phase 2: two|2|1|0|")
    old = time.time() - 3 * 86400 - 60
    os.utime(plan, (old, old))
    assert sh(PLAN, repo).stdout.strip() == "true|## Phase 2: two|2|1|3|1"


def test_a_plan_without_phases_counts_zero_once(tmp_path: Path):
    """S4-D07"""
    (tmp_path / "MASTER_PLAN.md").write_text("nothing\n")
    assert sh(PLAN, tmp_path).stdout.strip() == "true||0|0|0|0"


def test_session_changes(tmp_path: Path):
    """S4-032"""
    show = 'get_session_changes "$PWD"; echo "$SESSION_CHANGED_COUNT|$SESSION_FILE"'
    assert sh(show, tmp_path).stdout.strip() == "0|"
    folder = tmp_path / ".claude"
    folder.mkdir()
    (folder / ".session-changes").write_text("/a\n")
    (folder / ".session-changes-s1").write_text("/a\n/a\n/b\n")
    assert sh(show, tmp_path).stdout.strip() == f"1|{folder}/.session-changes"
    assert sh(show, tmp_path, CLAUDE_SESSION_ID="s1").stdout.strip() == f"2|{folder}/.session-changes-s1"
    told = sh(f"HOOK_INPUT=$(read_input); {show}", tmp_path, '{"session_id":"s1"}')
    assert told.stdout.strip() == f"2|{folder}/.session-changes-s1"


FILES = [
    ("a.tsx", True), ("a.py", True), ("src/x.hpp", True), ("a.zsh", True), ("a.mjs", False), ("a.lua", False),
    ("a.PY", False), ("Makefile", False), ("a.py.bak", False), (".py", False), ("src/.sh", False),
]  # fmt: skip
PATHS = [
    ("src/main.test.ts", True), ("src/main.py", False), ("src/distance.py", False), ("mybuilder.py", False),
    (".github/a.py", False), ("node_modules/x/a.js", True), ("a/vendor/b.go", True), ("a/__tests__/b.js", True),
    ("app.config.js", True), ("a.min.js", True), ("x.generated.ts", True), (".git/hooks/a.sh", True), ("build", False),
    ("a.spec.rb", True), ("/p/dist/a.js", True), ("__pycache__/a.py", True), (".next/a.js", True),
]  # fmt: skip


@pytest.mark.parametrize(("path", "want"), FILES)
def test_source_files_are_the_same_everywhere(tmp_path: Path, path: str, want: bool):
    """S4-033"""
    assert source_files.is_source(path) is want
    assert (sh(f"is_source_file '{path}'", tmp_path).returncode == 0) is want


@pytest.mark.parametrize(("path", "want"), PATHS)
def test_skippable_paths_are_the_same_everywhere(tmp_path: Path, path: str, want: bool):
    """S4-034"""
    assert source_files.is_skippable(path) is want
    assert (sh(f"is_skippable_path '{path}'", tmp_path).returncode == 0) is want


def test_the_extensions_are_one_list(tmp_path: Path):
    """S4-033"""
    assert sh('echo "$SOURCE_EXTENSIONS"', tmp_path).stdout.strip() == "|".join(source_files.SOURCE_EXTENSIONS)


def test_an_audit_line(tmp_path: Path):
    """S4-035, S4-180"""
    done = sh("append_audit \"$PWD\" test_fail $'three\\nlines | here'", tmp_path)
    assert done.returncode == 0, done.stderr
    line = (tmp_path / ".claude" / ".audit-log").read_text().splitlines()[-1]
    when, event, detail = line.split("|", 2)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", when)
    assert (event, detail) == ("test_fail", "three\\nlines | here")

"""The guard as one chain: rewrites add up, and none of them hides a deny."""

import asyncio
import time
from pathlib import Path

import pytest

from synaptic.engine.check import Checker, summarize_decision
from synaptic.model.home import Home
from tests.lib.shell import git, repository


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home")
    home.root.mkdir()
    home.config.write_text('presets = ["essentials", "practice"]\n')
    return home


def decided(home: Home, cwd: Path, command: str) -> dict[str, object]:
    question = {"tool_name": "Bash", "tool_input": {"command": command, "timeout": 5}, "cwd": str(cwd)}
    return summarize_decision(asyncio.run(Checker(home).decide(question)))


@pytest.mark.parametrize(
    "command",
    [
        "echo x > /tmp/a; git reset --hard",
        "git push --force origin f && git reset --hard",
        "git worktree remove ../wt; git clean -fd",
        "echo x > /tmp/a && git push --force origin main",
        "touch /tmp/a; git push -f origin feature; git branch -D feature",
    ],
)
def test_a_rewrite_hides_no_deny(home: Home, tmp_path: Path, command: str) -> None:
    """S4-D01"""
    repo = repository(tmp_path / "repo", "feature")
    (repo / "a.py").write_text("x = 1\n")
    git(repo, "add", "a.py")
    (repo / "notes.md").write_text("x")
    answer = decided(home, repo, command)
    assert answer["decision"] == "deny"
    assert answer["updated_input"] is None


def test_rewrites_add_up_and_other_fields_survive(home: Home, tmp_path: Path) -> None:
    """S4-007, S4-010, S4-050, S4-055"""
    repo = repository(tmp_path / "repo", "feature")
    answer = decided(home, repo, "git push --force origin feature > /tmp/log")
    assert answer["decision"] == "rewrite"
    command = f"mkdir -p {repo}/tmp && git push --force-with-lease origin feature > {repo}/tmp/log"
    assert answer["updated_input"] == {"command": command, "timeout": 5}


def test_a_commit_is_judged_by_the_repository_it_goes_to(home: Home, tmp_path: Path) -> None:
    """S4-053, S4-054"""
    feature, main = repository(tmp_path / "feature", "feature"), repository(tmp_path / "main", "main")
    assert decided(home, feature, "git commit -m x")["decision"] == "allow"
    assert decided(home, feature, f"cd {main} && git commit -m x")["policy"] == "git.protected-commit"
    assert decided(home, feature, f"git -C {main} commit -m x")["policy"] == "git.protected-commit"
    assert decided(home, main, "git switch -c topic && git commit -m x")["decision"] == "allow"


def test_only_the_plan_may_be_committed_on_main(home: Home, tmp_path: Path) -> None:
    """S4-053"""
    repo = repository(tmp_path / "repo", "main")
    (repo / "MASTER_PLAN.md").write_text("plan")
    git(repo, "add", "MASTER_PLAN.md")
    assert decided(home, repo, "git commit -m plan")["decision"] == "allow"
    (repo / "b.py").write_text("x = 1\n")
    git(repo, "add", "b.py")
    assert decided(home, repo, "git commit -m plan")["decision"] == "deny"


def test_a_forced_push_of_the_branch_that_is_checked_out(home: Home, tmp_path: Path) -> None:
    """S4-056"""
    main, feature = repository(tmp_path / "main", "main"), repository(tmp_path / "feature", "feature")
    assert decided(home, main, "git push -f")["decision"] == "deny"
    assert decided(home, feature, "git push -f")["decision"] == "rewrite"


def test_a_worktree_is_removed_from_the_main_one(home: Home, tmp_path: Path) -> None:
    """S4-058"""
    repo = repository(tmp_path / "my repo")
    side = tmp_path / "side"
    git(repo, "worktree", "add", "-q", str(side), "-b", "side")
    answer = decided(home, side, "git worktree remove .")
    assert answer["updated_input"] == {"command": f'cd "{repo}" && git worktree remove {side}', "timeout": 5}


@pytest.mark.parametrize(
    "result, age, want", [("fail|3", 599, "deny"), ("fail|3", 700, "allow"), ("pass|0", 5, "allow")]
)
def test_a_merge_waits_for_the_tests(home: Home, tmp_path: Path, result: str, age: int, want: str) -> None:
    """S4-059"""
    repo = repository(tmp_path / "repo", "feature")
    (repo / ".claude").mkdir()
    (repo / ".claude" / ".test-status").write_text(f"{result}|{int(time.time()) - age}\n")
    assert decided(home, repo, "git merge other")["decision"] == want
    assert decided(home, repo, "git merge-base main other")["decision"] == "allow"

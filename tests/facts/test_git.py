"""The state of repositories of every kind, compared with what git says."""

import subprocess
from pathlib import Path

import pytest

from synaptic.facts import ask_git
from synaptic.facts import git as facts
from synaptic.model.project import Git
from tests.facts.places import call, gathered
from tests.lib.shell import git, repository


def said(folder: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


def test_a_repository(tmp_path: Path):
    """S4-030"""
    repo = repository(tmp_path / "re po", "feature/x")
    found = facts.read_working_tree(str(repo))
    assert (found.top, found.branch, found.commit) == (str(repo), "feature/x", said(repo, "rev-parse", "HEAD"))
    assert (found.linked, found.submodule, found.is_unborn, found.is_detached, found.main) == (
        (False, False, False, False, str(repo))
    )
    assert facts.read_working_tree(str(repo / "new" / "deep")).branch == "feature/x"


def test_a_worktree(tmp_path: Path):
    """S4-102, S4-D05"""
    repo = repository(tmp_path / "repo")
    side = tmp_path / "side"
    git(repo, "worktree", "add", "-q", str(side), "-b", "side")
    found = facts.read_working_tree(str(side))
    assert (found.branch, found.linked, found.main, found.worktrees) == ("side", True, str(repo), (str(side),))
    assert found.commit == said(side, "rev-parse", "HEAD")
    assert facts.read_working_tree(str(repo)).worktrees == (str(side),)
    subprocess.run(["rm", "-r", str(side)], check=True)
    assert facts.read_working_tree(str(repo)).worktrees == ()


def test_a_branch_whose_reference_is_packed(tmp_path: Path):
    repo = repository(tmp_path / "repo")
    git(repo, "branch", "xmain")
    git(repo, "pack-refs", "--all")
    assert not (repo / ".git" / "refs" / "heads" / "main").exists()
    assert facts.read_working_tree(str(repo)).commit == said(repo, "rev-parse", "HEAD")


def test_before_the_first_commit(tmp_path: Path):
    """S4-090"""
    git(tmp_path, "init", "-q", "-b", "main")
    found = facts.read_working_tree(str(tmp_path))
    assert (found.branch, found.is_unborn, found.commit) == ("main", True, "")


def test_a_detached_head(tmp_path: Path):
    repo = repository(tmp_path / "repo")
    git(repo, "checkout", "-q", "--detach")
    found = facts.read_working_tree(str(repo))
    assert (found.is_detached, found.branch, found.commit) == (True, "", said(repo, "rev-parse", "HEAD"))


def test_a_bare_repository_and_a_worktree_of_it(tmp_path: Path):
    repo = repository(tmp_path / "repo")
    bare = tmp_path / "bare.git"
    git(tmp_path, "clone", "-q", "--bare", str(repo), str(bare))
    assert facts.read_working_tree(str(bare)) == Git(bare=True)
    git(bare, "worktree", "add", "-q", str(tmp_path / "side"), "-b", "side")
    found = facts.read_working_tree(str(tmp_path / "side"))
    assert (found.branch, found.main, found.worktrees) == ("side", "", (str(tmp_path / "side"),))


def test_a_submodule(tmp_path: Path):
    inner = repository(tmp_path / "inner")
    outer = repository(tmp_path / "outer")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "lib")
    found = facts.read_working_tree(str(outer / "lib"))
    assert (found.top, found.submodule, found.linked, found.branch) == (str(outer / "lib"), True, False, "main")


@pytest.mark.parametrize("content", ["", "garbage", "gitdir: /nowhere", "gitdir: \0"])
def test_a_git_file_that_leads_nowhere(tmp_path: Path, content: str):
    (tmp_path / ".git").write_text(content)
    found = facts.read_working_tree(str(tmp_path))
    assert found.branch == ""
    assert found.commit == ""


def test_no_repository_and_no_path():
    assert facts.read_working_tree("/proc") == Git()
    assert facts.read_working_tree("") == Git()
    assert facts.read_working_tree("relative") == Git()
    assert facts.read_working_tree("/a\0b") == Git()


def test_the_file_decides_and_links_are_followed(tmp_path: Path):
    """S4-091"""
    repo = repository(tmp_path / "repo")
    (tmp_path / "link").symlink_to(repo)
    about = call(tmp_path, str(tmp_path / "link" / "new" / "deep" / "a.py"))
    assert gathered(facts.gather_file_git, about, tmp_path).branch == "main"
    assert gathered(facts.gather_file_git, call(repo, "new/a.py"), tmp_path).branch == "main"
    assert gathered(facts.gather_file_git, call(repo), tmp_path) == Git()


def test_changes_are_counted_and_shown_by_git(tmp_path: Path):
    repo = repository(tmp_path / "repo")
    (repo / "a.py").write_text("one\n")
    git(repo, "add", "a.py")
    git(repo, "commit", "-q", "-m", "a")
    (repo / "a.py").write_text("one\ntwo\n")
    (repo / "b.py").write_text("new\n")
    assert gathered(facts.gather_dirty, call(repo), tmp_path) == 2
    assert gathered(facts.gather_dirty, call(tmp_path), tmp_path) == 0
    assert gathered(facts.gather_diff, call(repo, str(repo / "a.py")), tmp_path)[-1] == "+two"


def test_nothing_that_the_repository_configures_is_run(tmp_path: Path):
    repo = repository(tmp_path / "repo")
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
    trap.chmod(0o755)
    (repo / "a.py").write_text("one\n")
    git(repo, "add", "a.py")
    git(repo, "commit", "-q", "-m", "a")
    (repo / "a.py").write_text("two\n")
    for name in ("core.fsmonitor", "diff.external", "core.pager"):
        git(repo, "config", name, str(trap))
    assert gathered(facts.gather_dirty, call(repo), tmp_path) == 1
    assert gathered(facts.gather_diff, call(repo, str(repo / "a.py")), tmp_path)
    assert not (tmp_path / "sprung").exists()


def test_without_git_there_is_no_news(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(ask_git, "_find_git", lambda: "")
    repo = repository(tmp_path / "repo")
    (repo / "a").write_text("x")
    assert gathered(facts.gather_dirty, call(repo), tmp_path) == 0
    assert gathered(facts.gather_git, call(repo), tmp_path).branch == "main"

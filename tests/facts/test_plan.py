"""Where a plan is found, and how far it is behind."""

import os
import time
from pathlib import Path

from synaptic.facts import plan as facts
from synaptic.model.project import PlanFile
from tests.facts.places import call, gathered
from tests.lib.shell import git, repository


def written(folder: Path, age: float = 0) -> Path:
    path = folder / "MASTER_PLAN.md"
    path.write_text("# Intent\n")
    then = time.time() - age
    os.utime(path, (then, then))
    return path


def test_beside_the_file_then_in_the_project(tmp_path: Path):
    """S4-102"""
    repo = repository(tmp_path / "repo")
    git(repo, "worktree", "add", "-q", str(tmp_path / "side"), "-b", "side")
    inside = call(repo, str(tmp_path / "side" / "a.py"))
    assert gathered(facts.gather_plan, inside, tmp_path) == PlanFile()
    written(repo)
    assert gathered(facts.gather_plan, inside, tmp_path).path == f"{repo}/MASTER_PLAN.md"
    written(tmp_path / "side")
    assert gathered(facts.gather_plan, inside, tmp_path).path == f"{tmp_path}/side/MASTER_PLAN.md"


def test_commits_since_the_plan(tmp_path: Path):
    """S4-100"""
    repo = repository(tmp_path / "repo")
    for number in range(3):
        git(repo, "commit", "-q", "--allow-empty", "-m", f"{number}")
    path = written(repo, age=3600)

    def count() -> int:
        return gathered(facts.gather_plan_commits, call(repo, str(repo / "a.py")), tmp_path)

    assert count() == 4
    git(repo, "commit", "-q", "--allow-empty", "-m", "one more")
    assert count() == 5
    later = time.time() + 60
    os.utime(path, (later, later))
    assert count() == 0


def test_a_plan_that_cannot_be_read_is_there(tmp_path: Path):
    (tmp_path / "MASTER_PLAN.md").write_bytes(b"\0binary")
    found = gathered(facts.gather_plan, call(tmp_path), tmp_path)
    assert (found.exists, found.text) == (True, "")
    assert gathered(facts.gather_plan_commits, call(tmp_path), tmp_path) == 0


def test_limits_from_the_environment(tmp_path: Path):
    """S4-100"""
    about = call(tmp_path, PLAN_STALENESS_WARN="5", PLAN_STALENESS_DENY="-1")
    assert gathered(facts.gather_staleness, about, tmp_path) == {"warn": 5}

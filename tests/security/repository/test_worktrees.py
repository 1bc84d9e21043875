"""Folders that are, or say that they are, worktrees of a repository whose hooks somebody has agreed to."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from synaptic.cli.trust import remember_hooks
from synaptic.store.db import Store
from tests.hooks.test_worktrees import CLAIMS
from tests.security.repository.hostile import EVIL, Repository

STRANGER = 65534


def git(folder: Path, *words: str) -> None:
    env = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    names = ("-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run(["git", "-C", str(folder), *names, *words], check=True, capture_output=True, env=env)


def agree(repository: Repository) -> None:
    """The person agrees to everything that the first worktree brings, also to what is not covered."""
    store = Store.open(repository.setting.home)
    remember_hooks(store, repository.root, repository.list_items())
    store.close()


def work_in(repository: Repository, folder: Path) -> None:
    """One event of an agent that works in another folder."""
    repository.setting.project = folder
    repository.happens()


@pytest.fixture
def second(repository: Repository) -> Path:
    """A second worktree; its hook notes that it ran."""
    repository.write("x.sh", repository.note_script("good"))
    repository.declare(script="x.sh")
    git(repository.path, "init", "-q")
    git(repository.path, "add", ".")
    git(repository.path, "commit", "-qm", "x")
    git(repository.path, "worktree", "add", "-q", "../second")
    agree(repository)
    return repository.path.parent / "second"


def test_a_worktree_with_the_same_content_runs_what_was_agreed_to(repository: Repository, second: Path):
    work_in(repository, second)
    assert repository.notes == ["good"]


def test_a_worktree_with_another_content_does_not_run(repository: Repository, second: Path):
    (second / "x.sh").write_text(repository.note_script(EVIL))
    work_in(repository, second)
    assert repository.notes == []


def test_a_worktree_that_declares_another_script_does_not_run_it(repository: Repository, second: Path):
    shutil.copy(second / "x.sh", second / "y.sh")
    (second / "y.sh").write_text(repository.note_script(EVIL))
    registry = second / ".synaptic" / "hooks" / "registry.toml"
    registry.write_text(registry.read_text().replace("x.sh", "y.sh"))
    work_in(repository, second)
    assert repository.notes == []


def test_a_script_that_becomes_a_link_out_of_the_worktree_runs_nothing_else(repository: Repository, second: Path):
    work_in(repository, second)
    outside = repository.path.parent / "outside.sh"
    outside.write_text(repository.note_script(EVIL))
    outside.chmod(0o755)
    (second / "x.sh").unlink()
    (second / "x.sh").symlink_to(outside)
    work_in(repository, second)
    assert repository.notes == ["good"]


def test_what_is_not_covered_was_agreed_to_in_one_worktree_only(repository: Repository):
    """The command is the same to the letter, and what it runs is not known: it may be other code there."""
    repository.write("run", f"#!/bin/sh\n{repository.note('good')}")
    repository.declare(command="ls run | xargs -n1 sh")
    git(repository.path, "init", "-q")
    git(repository.path, "add", ".")
    git(repository.path, "commit", "-qm", "x")
    git(repository.path, "worktree", "add", "-q", "../second")
    agree(repository)
    repository.happens()
    assert repository.notes == ["good"]
    second = repository.path.parent / "second"
    (second / "run").write_text(repository.note(EVIL))
    work_in(repository, second)
    assert repository.notes == ["good"]


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.__name__)
def test_a_folder_that_only_says_so_runs_not_even_the_same_bytes(repository: Repository, second: Path, claim):
    hostile = repository.path.parent / "hostile"
    shutil.copytree(second, hostile, ignore=shutil.ignore_patterns(".git"))
    claim(hostile, repository.path)
    work_in(repository, hostile)
    assert repository.notes == []


def test_a_clone_asks_again(repository: Repository, second: Path):
    git(repository.path.parent, "clone", "-q", "project", "clone")
    work_in(repository, repository.path.parent / "clone")
    assert repository.notes == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make files of another user")
def test_a_worktree_of_another_user_asks_again(repository: Repository, second: Path):
    for path in (second, second / ".git"):
        os.chown(path, STRANGER, STRANGER)
    work_in(repository, second)
    assert repository.notes == []

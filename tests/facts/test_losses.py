"""What a command would lose; the table of commands is in tests/engine/lost_work.toml."""

import os
import time
from pathlib import Path

import pytest

from synaptic.facts import ask_git, losses
from synaptic.model.call import Call
from synaptic.model.event import PreToolUse
from synaptic.model.loss import LostFile, LostWork
from tests.facts.places import gathered
from tests.lib.shell import git, repository


@pytest.fixture(autouse=True)
def patient_git(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine is no reason for another answer."""
    monkeypatch.setattr(ask_git, "GIT_TIMEOUT", 60.0)


def call(root: Path, command: str, **env: str) -> Call:
    event = PreToolUse(
        hook_event_name="PreToolUse", session_id="s", cwd=str(root), tool_name="Bash", tool_input={"command": command}
    )
    return Call("c", "claude", event, {}, root=str(root), at=5.0, env={"HOME": "/home/u", **env})


def find(root: Path, command: str, **env: str) -> dict[str, LostWork]:
    return gathered(losses.gather_losses, call(root, command, **env), root.parent)


def make_dirty(folder: Path) -> Path:
    repo = repository(folder)
    (repo / "a.py").write_text("x = 1\n")
    git(repo, "add", "a.py")
    git(repo, "commit", "-q", "-m", "a")
    (repo / "a.py").write_text("x = 1\ny = 2\n")
    return repo


def test_a_changed_file_is_named_with_its_lines(tmp_path: Path) -> None:
    repo = make_dirty(tmp_path / "repo")
    assert find(repo, "git checkout -- a.py") == {
        f"paths {repo} a.py": LostWork(files=(LostFile(path="a.py", added=1),)),
    }


def test_a_repository_cannot_say_that_size_and_time_are_all_that_counts(tmp_path: Path) -> None:
    repo, old = repository(tmp_path / "repo"), 1_700_000_000
    (repo / "a.py").write_text("x = 1\n")
    os.utime(repo / "a.py", (old, old))
    git(repo, "add", "a.py")
    git(repo, "commit", "-q", "-m", "a")
    git(repo, "config", "core.checkStat", "minimal")
    git(repo, "config", "core.trustctime", "false")
    time.sleep(1.1)  # git compares whole seconds
    (repo / "a.py").write_text("x = 2\n")
    os.utime(repo / "a.py", (old, old))
    assert find(repo, "git checkout HEAD -- a.py") == {
        f"paths {repo} HEAD a.py": LostWork(files=(LostFile(path="a.py", added=1, removed=1),)),
    }


@pytest.mark.parametrize(
    "command",
    [
        *("git rm -f a.py", "git diff | git apply -R", "git diff a.py | git apply -R -", "git diff | patch -R -p1"),
        *("git archive HEAD | tar -x", "git archive HEAD a.py | tar -xf - -C .", "git show HEAD:a.py > a.py"),
        'for f in $(git diff --name-only); do git show HEAD:"$f" > "$f"; done',
    ],
)
def test_changes_that_are_lost_by_another_way_are_named(tmp_path: Path, command: str) -> None:
    found = find(make_dirty(tmp_path / "repo"), command)
    assert [loss.files for loss in found.values()] == [(LostFile(path="a.py", added=1),)]


@pytest.mark.parametrize(
    "command",
    [
        "git ls-files --others --exclude-standard -z | xargs -0 rm -f",
        "rm -f $(git ls-files -o --exclude-standard)",
        "git status --porcelain | grep '^??' | cut -c4- | xargs rm -rf",
    ],
)
def test_untracked_files_that_are_listed_and_deleted_are_named(tmp_path: Path, command: str) -> None:
    repo = make_dirty(tmp_path / "repo")
    (repo / "todo.txt").write_text("x\n")
    found = find(repo, command)
    assert [file.path for loss in found.values() for file in loss.files] == ["todo.txt"]


@pytest.mark.parametrize(
    "command",
    [
        *("git status", "git log -p", "ls", "git commit -am x", "git branch -a", "git show HEAD", "git rm a.py"),
        *("git status -s; rm -f x", "git ls-files -o | grep '[.]pyc$' | xargs rm", "git apply -R x.patch"),
        *("git diff", "git diff | patch -R --dry-run", "git archive HEAD -o x.tar", "git archive HEAD | tar -t"),
    ],
)
def test_what_loses_nothing_is_not_looked_up(tmp_path: Path, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(losses, "find_place", lambda folder: pytest.fail("it was looked at"))
    assert find(make_dirty(tmp_path / "repo"), command) == {}


def test_a_branch_that_is_checked_out_starts_no_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(losses, "find_place", lambda folder: pytest.fail("it was looked at"))
    repo = make_dirty(tmp_path / "repo")
    assert find(repo, "git checkout main") == {}
    assert find(repo, "rm -rf build") == {}


def test_where_git_is_missing_nothing_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ask_git, "_find_git", lambda: "")
    assert find(make_dirty(tmp_path / "repo"), "git reset --hard; git clean -fd") == {}


def test_where_git_hangs_nothing_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = tmp_path / "git"
    slow.write_text("#!/bin/sh\nsleep 60\n")
    slow.chmod(0o755)
    monkeypatch.setattr(ask_git, "_find_git", lambda: str(slow))
    monkeypatch.setattr(ask_git, "GIT_TIMEOUT", 0.2)
    assert find(make_dirty(tmp_path / "repo"), "git reset --hard") == {}


def test_an_environment_that_leads_elsewhere_is_not_looked_at(tmp_path: Path) -> None:
    repo = make_dirty(tmp_path / "repo")
    assert find(repo, "git reset --hard", GIT_WORK_TREE="/somewhere") == {}


@pytest.mark.parametrize(
    "setting", ["core.worktree=/somewhere", "extensions.objectFormat=sha256", "extensions.refStorage=x"]
)
def test_a_repository_of_another_form_is_not_known(tmp_path: Path, setting: str) -> None:
    repo = make_dirty(tmp_path / "repo")
    name, _, value = setting.partition("=")
    git(repo, "config", name, value)
    assert find(repo, "git reset --hard") == {}


def test_a_folder_that_is_not_there_is_not_known(tmp_path: Path) -> None:
    repo = make_dirty(tmp_path / "repo")
    assert find(repo, f"git -C {tmp_path}/nothing reset --hard") == {}


def test_a_name_that_git_could_take_for_an_option_is_not_asked_about(tmp_path: Path) -> None:
    repo = make_dirty(tmp_path / "repo")
    assert find(repo, "git branch -D 'a b' ; git branch -D x~") == {}


def test_many_questions_are_not_answered(tmp_path: Path) -> None:
    repo = make_dirty(tmp_path / "repo")
    assert find(repo, "; ".join(f"git checkout -- f{number}.py" for number in range(30))) == {}


def test_commits_that_a_moved_branch_leaves_are_named(tmp_path: Path) -> None:
    repo = make_dirty(tmp_path / "repo")
    git(repo, "switch", "-q", "-c", "topic")
    git(repo, "commit", "-q", "-a", "-m", "my fix")
    (found,) = find(repo, "git checkout -B topic main").values()
    assert [line.partition(" ")[2] for line in found.commits] == ["my fix"]
    git(repo, "tag", "kept")
    assert list(find(repo, "git checkout -B topic main").values()) == [LostWork()]


@pytest.mark.parametrize("name", ["../../config", "a/../../../x", "-x", "a b", "x\\y", "no-such-branch"])
def test_a_name_that_is_no_branch_leaves_nothing(tmp_path: Path, name: str) -> None:
    repo = make_dirty(tmp_path / "repo")
    assert all(not found.commits for found in find(repo, f"git branch -f -- '{name}' HEAD").values())


def test_a_moved_branch_of_a_broken_repository_is_not_known(tmp_path: Path) -> None:
    repo = make_dirty(tmp_path / "repo")
    (repo / ".git" / "refs" / "heads" / "topic").write_text("0" * 39 + "1\n")
    assert find(repo, "git checkout -B topic HEAD") == {}

"""Git's index, read without git."""

import os
from pathlib import Path

from synaptic.facts.git_index import is_unchanged, list_hidden_files
from tests.lib.shell import git, repository


def make_repository(folder: Path) -> Path:
    repo = repository(folder)
    for name in ("a.py", "b/c.py", "b/" + "long" * 60 + ".py"):
        (repo / name).parent.mkdir(exist_ok=True)
        (repo / name).write_text("x = 1\n")
        os.utime(repo / name, (1_600_000_000, 1_600_000_000))
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "files")
    return repo


def ask(repo: Path, path: str) -> bool:
    return is_unchanged(f"{repo}/.git/index", str(repo), path)


def hidden(repo: Path) -> tuple[str, ...] | None:
    return list_hidden_files(f"{repo}/.git/index", str(repo))


def test_a_file_that_nobody_touched_is_known_without_git(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo")
    assert ask(repo, "a.py") and ask(repo, "b/c.py")
    assert ask(repo, "b/" + "long" * 60 + ".py") in (True, False)


def test_whatever_differs_is_left_to_git(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo")
    (repo / "a.py").write_text("x = 2\n")
    os.utime(repo / "a.py", (1_600_000_000, 1_600_000_000))  # same size and time: the inode's change gives it away
    assert not ask(repo, "a.py")
    assert not ask(repo, "c.py")
    assert not ask(repo, "b")
    (repo / "b" / "c.py").unlink()
    assert not ask(repo, "b/c.py")


def test_a_marked_file_is_never_called_unchanged(tmp_path: Path) -> None:
    for mark in ("--assume-unchanged", "--skip-worktree"):
        repo = make_repository(tmp_path / mark)
        git(repo, "update-index", mark, "a.py")
        assert not ask(repo, "a.py")


def test_hidden_changes_are_found_in_every_version(tmp_path: Path) -> None:
    for version in ("2", "4"):
        repo = make_repository(tmp_path / version)
        git(repo, "update-index", "--index-version", version)
        git(repo, "update-index", "--assume-unchanged", "a.py", "b/" + "long" * 60 + ".py")
        git(repo, "update-index", "--skip-worktree", "b/c.py")
        assert hidden(repo) == ()
        (repo / "b" / "c.py").write_text("mine\n")
        (repo / ("b/" + "long" * 60 + ".py")).write_text("mine\n")
        assert sorted(hidden(repo) or ()) == ["b/c.py", "b/" + "long" * 60 + ".py"]


def test_an_index_of_another_form_is_not_known(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo")
    index = repo / ".git" / "index"
    whole = index.read_bytes()
    for broken in (
        b"",
        b"nothing",
        whole[:100],
        b"DIRC\0\0\0\2\xff\xff\xff\xff" + whole[12:],
        whole[:7] + b"\x09" + whole[8:],
    ):
        index.write_bytes(broken)
        assert hidden(repo) is None
    index.write_bytes(whole)
    git(repo, "update-index", "--split-index")
    assert hidden(repo) is None


def test_no_index_hides_nothing(tmp_path: Path) -> None:
    assert list_hidden_files(f"{tmp_path}/none", str(tmp_path)) == ()

import os
import subprocess
from pathlib import Path

import pytest

from synaptic.hooks.worktrees import describe_repository, name_repository

STRANGER = 65534
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can make files of another user")


def git(folder: Path, *words: str) -> None:
    env = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    names = ("-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run(["git", "-C", str(folder), *names, *words], check=True, capture_output=True, env=env)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A repository of the user with two worktrees: `shop` and `second`."""
    path = tmp_path / "shop"
    (path / "api").mkdir(parents=True)
    (path / "api" / "a").write_text("a")
    git(path, "init", "-q")
    git(path, "add", ".")
    git(path, "commit", "-qm", "a")
    git(path, "worktree", "add", "-q", "../second")
    return path


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    path = tmp_path / "hostile"
    path.mkdir()
    return path


def test_all_worktrees_have_one_name_and_each_folder_its_own(shop: Path):
    second = shop.parent / "second"
    assert name_repository(str(shop)) == f"git:{shop}/.git//"
    assert name_repository(str(second)) == name_repository(str(shop))
    assert name_repository(str(second / "api")) == name_repository(str(shop / "api")) == f"git:{shop}/.git//api"


def test_worktrees_of_a_bare_repository_have_one_name(shop: Path):
    git(shop.parent, "clone", "-q", "--bare", "shop", "bare.git")
    for name in ("one", "two"):
        git(shop.parent / "bare.git", "worktree", "add", "-q", "-b", name, f"../{name}")
    assert name_repository(str(shop.parent / "one")) == f"git:{shop.parent}/bare.git//"
    assert name_repository(str(shop.parent / "two")) == f"git:{shop.parent}/bare.git//"


def test_a_clone_is_another_repository(shop: Path):
    git(shop.parent, "clone", "-q", "shop", "clone")
    assert name_repository(str(shop.parent / "clone")) == f"git:{shop.parent}/clone/.git//"


def test_names_in_words():
    assert describe_repository("git:/h/shop/.git//") == "worktrees of /h/shop/.git"
    assert describe_repository("git:/h/shop/.git//api") == "worktrees of /h/shop/.git, api"


@pytest.mark.parametrize("folder", ["/no/such/place", "/", "", "/a\0b"])
def test_where_there_is_no_repository_there_is_no_name(folder: str):
    assert name_repository(folder) == ""


def test_a_folder_that_no_database_can_name_has_none(tmp_path: Path):
    odd = tmp_path / os.fsdecode(b"\xff")
    (odd / ".git").mkdir(parents=True)
    assert name_repository(str(odd)) == ""


def claim_worktree(hostile: Path, shop: Path) -> None:
    (hostile / ".git").write_text(f"gitdir: {shop}/.git/worktrees/second\n")


def claim_main_folder(hostile: Path, shop: Path) -> None:
    (hostile / ".git").write_text(f"gitdir: {shop}/.git\n")


def link_main_folder(hostile: Path, shop: Path) -> None:
    (hostile / ".git").symlink_to(shop / ".git")


def link_worktree_file(hostile: Path, shop: Path) -> None:
    (hostile / ".git").symlink_to(shop.parent / "second" / ".git")


def bring_both_sides(hostile: Path, shop: Path) -> None:
    admin = hostile / "fake" / "worktrees" / "x"
    admin.mkdir(parents=True)
    (admin / "gitdir").write_text(f"{hostile}/.git\n")
    (admin / "commondir").write_text(f"{shop}/.git\n")
    (hostile / ".git").write_text(f"gitdir: {admin}\n")


def bring_linked_worktrees(hostile: Path, shop: Path) -> None:
    """Its own `worktrees` folder is a link into the other repository."""
    (hostile / "fake").mkdir()
    (hostile / "fake" / "worktrees").symlink_to(shop / ".git" / "worktrees")
    (hostile / ".git").write_text(f"gitdir: {hostile}/fake/worktrees/second\n")


def name_a_pipe(hostile: Path, shop: Path) -> None:
    os.mkfifo(hostile / "pipe")
    (hostile / ".git").write_text(f"gitdir: {hostile}\n")
    os.mkfifo(hostile / "gitdir")


def bring_a_long_file(hostile: Path, shop: Path) -> None:
    (hostile / ".git").write_text(f"gitdir: {shop}/.git/worktrees/second{' ' * 5000}\n")


CLAIMS = (
    claim_worktree,
    claim_main_folder,
    link_main_folder,
    link_worktree_file,
    bring_both_sides,
    bring_linked_worktrees,
    name_a_pipe,
    bring_a_long_file,
)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.__name__)
def test_a_repository_cannot_say_that_it_is_a_worktree_of_another(shop: Path, hostile: Path, claim):
    claim(hostile, shop)
    assert name_repository(str(hostile)) == ""
    assert name_repository(str(shop)) == f"git:{shop}/.git//"


@needs_root
@pytest.mark.parametrize("part", ["second", "second/.git", "shop/.git", "shop/.git/worktrees/second"])
def test_what_another_user_owns_is_no_worktree_of_ours(shop: Path, part: str):
    """Such as a folder in /tmp with the name of a worktree that was deleted."""
    os.chown(shop.parent / part, STRANGER, STRANGER)
    assert name_repository(str(shop.parent / "second")) == ""


@needs_root
def test_a_git_folder_of_another_user_above_is_not_ours(tmp_path: Path):
    (tmp_path / "open" / "work").mkdir(parents=True)
    (tmp_path / "open" / ".git").mkdir()
    os.chown(tmp_path / "open" / ".git", STRANGER, STRANGER)
    assert name_repository(str(tmp_path / "open" / "work")) == ""


def test_a_name_is_looked_up_again_when_one_side_changes(shop: Path):
    second = shop.parent / "second"
    name = name_repository(str(second))
    said = shop / ".git" / "worktrees" / "second" / "gitdir"
    before = said.read_text()
    said.write_text("/elsewhere/.git\n")
    assert name_repository(str(second)) == ""
    said.write_text(before)
    assert name_repository(str(second)) == name
    (second / ".git").unlink()
    assert name_repository(str(second)) == ""
    (second / ".git").mkdir()
    assert name_repository(str(second)) == f"git:{second}/.git//"

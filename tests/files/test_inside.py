"""Below a folder no link is followed; above it, all are."""

import os
from pathlib import Path

import pytest

from synaptic.files.inside import (
    IGNORE_TEXT,
    delete_inside,
    drop_folders_inside,
    make_folder_inside,
    name_inside,
    open_inside,
    read_inside,
    replace_inside,
    replace_own_inside,
)
from synaptic.files.place import drop_file, place_file
from synaptic.files.replace import LinkedPathError
from synaptic.model.errors import SettingsError


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "outside").mkdir()
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


def test_a_file_and_its_folders_are_made_and_read_back(root: Path) -> None:
    replace_inside(root, "a/b/c", b"text", 0o640)
    assert read_inside(root, "a/b/c", 10) == b"text"
    assert (root / "a/b/c").stat().st_mode & 0o777 == 0o640
    assert read_inside(root, "a/b/none", 10) is None
    assert read_inside(root, "none/c", 10) is None


def test_an_existing_file_keeps_its_mode(root: Path) -> None:
    (root / "x").write_text("old")
    (root / "x").chmod(0o755)
    replace_inside(root, "x", b"new", 0o600)
    assert (root / "x").stat().st_mode & 0o777 == 0o755


def test_a_deleted_name_is_gone_and_a_missing_one_no_error(root: Path) -> None:
    make_folder_inside(root, "a/b")
    (root / "a/b/c").touch()
    delete_inside(root, "a/b/c")
    delete_inside(root, "a/b/c")
    delete_inside(root, "none/c")
    drop_folders_inside(root, "a/b", "a", "none")
    assert list(root.iterdir()) == []


@pytest.mark.parametrize("name", ["link", "link/deep"])
def test_a_linked_folder_is_refused_by_name(root: Path, name: str) -> None:
    (root / "link").symlink_to(root.parent / "outside")
    works = (
        lambda: replace_inside(root, f"{name}/x", b""),
        lambda: replace_own_inside(root, f"{name}/x", b""),
        lambda: read_inside(root, f"{name}/x", 5),
        lambda: delete_inside(root, f"{name}/x"),
        lambda: make_folder_inside(root, f"{name}/x"),
    )
    for work in works:
        with pytest.raises(LinkedPathError) as raised:
            work()
        assert raised.value.filename == f"{root}/link"
        assert f"rm {root}/link" in raised.value.hint
    assert list((root.parent / "outside").iterdir()) == []


def test_a_linked_file_is_refused_replaced_or_deleted_but_never_followed(root: Path) -> None:
    target = root.parent / "outside" / "mine"
    target.write_text("mine")
    for work in (lambda: replace_inside(root, "x", b""), lambda: read_inside(root, "x", 5)):
        (root / "x").unlink(missing_ok=True)
        (root / "x").symlink_to(target)
        with pytest.raises(LinkedPathError):
            work()
    replace_own_inside(root, "x", b"ours")
    assert not (root / "x").is_symlink()
    (root / "y").symlink_to(target)
    delete_inside(root, "y")
    assert (target.read_text(), (root / "x").read_text()) == ("mine", "ours")


def test_a_file_in_the_place_of_a_folder_is_the_systems_own_error(root: Path) -> None:
    (root / "file").touch()
    with pytest.raises(NotADirectoryError) as raised:
        replace_inside(root, "file/x", b"")
    assert raised.value.filename == f"{root}/file"


def test_a_root_that_is_reached_by_a_link_is_a_root(root: Path) -> None:
    (root.parent / "link").symlink_to(root)
    replace_inside(root.parent / "link", "x", b"text")
    assert (root / "x").read_text() == "text"


@pytest.mark.parametrize("path", ["", "/", "/../x", "/./x", "//x", "/a/", "/a\0b"])
def test_a_path_that_does_not_stay_below_is_no_name(root: Path, path: str) -> None:
    with pytest.raises(ValueError, match=r"not below|does not stay"):
        name_inside(root, f"{root}{path}")


def test_nothing_stays_open(root: Path) -> None:
    before = len(list(Path("/dev/fd").iterdir()))
    (root / "link").symlink_to("/")
    for _ in range(5):
        replace_inside(root, "a/b/c", b"")
        os.close(open_inside(root, "a/b/c", os.O_RDONLY))
        with pytest.raises(OSError):
            read_inside(root, "link/x", 5)
        with pytest.raises(OSError):
            open_inside(root, "a/none", os.O_RDONLY)
    assert len(list(Path("/dev/fd").iterdir())) == before


def test_a_users_own_link_is_followed_and_a_projects_is_not(root: Path) -> None:
    target = root.parent / "outside" / "new" / "config.toml"
    (root / "config.toml").symlink_to(target)
    with pytest.raises(SettingsError, match="symbolic link"):
        place_file(root, root / "config.toml", b"x")
    assert not target.parent.exists()
    place_file(None, root / "config.toml", b"x")
    assert target.read_text() == "x"
    drop_file(root, root / "config.toml")
    assert target.exists()


def test_our_folder_in_a_project_has_its_gitignore_at_once_whatever_is_put_there_first(root: Path) -> None:
    for number, make in enumerate(MAKERS):
        project = root / str(number)
        project.mkdir()
        make(project)
        assert (project / ".synaptic" / ".gitignore").read_bytes() == IGNORE_TEXT


MAKERS = (
    lambda project: replace_inside(project, ".synaptic/config.toml", b""),
    lambda project: replace_own_inside(project, ".synaptic/run/x", b""),
    lambda project: make_folder_inside(project, ".synaptic/hooks"),
    lambda project: os.close(open_inside(project, ".synaptic/a", os.O_WRONLY | os.O_CREAT, make=0o755)),
    lambda project: place_file(project, project / ".synaptic" / "hooks" / "registry.toml", b""),
)


def test_a_folder_that_somebody_else_made_gets_none(root: Path) -> None:
    (root / ".synaptic").mkdir()
    replace_inside(root, ".synaptic/config.toml", b"")
    assert not (root / ".synaptic" / ".gitignore").exists()


def test_it_goes_with_the_folder_unless_somebody_changed_it(root: Path) -> None:
    make_folder_inside(root, ".synaptic")
    drop_folders_inside(root, ".synaptic")
    assert not (root / ".synaptic").exists()
    make_folder_inside(root, ".synaptic")
    (root / ".synaptic" / ".gitignore").write_text("mine\n")
    drop_folders_inside(root, ".synaptic")
    assert (root / ".synaptic" / ".gitignore").read_text() == "mine\n"


def test_one_with_something_in_it_keeps_both(root: Path) -> None:
    replace_inside(root, ".synaptic/config.toml", b"")
    drop_folders_inside(root, ".synaptic")
    assert (root / ".synaptic" / ".gitignore").exists()

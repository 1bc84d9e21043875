from pathlib import Path

import pytest

from synaptic.hooks.project import find_root, list_folders


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home/.synaptic").mkdir(parents=True)
    (tmp_path / "home/.claude").mkdir()
    (tmp_path / "home/.git").mkdir()
    return tmp_path / "home"


def folder(*parts: object) -> str:
    path = Path(*map(str, parts))
    path.mkdir(parents=True, exist_ok=True)
    return str(path)


@pytest.mark.parametrize(
    "key", ["claude-project-root", "claude_project_root", "claudeProjectRoot", "repository_root"]
)  # fmt: skip
def test_the_context_field_names_the_project(home: Path, key: str):
    """S0-021"""
    named, elsewhere = folder(home, "p"), folder(home, "q/.git")
    env = {"HOME": str(home), "CLAUDE_PROJECT_DIR": elsewhere}
    assert find_root({key: f"{named}/"}, env, elsewhere) == named


def test_the_variable_counts_when_it_is_a_directory(home: Path):
    """C-07"""
    named, cwd = folder(home, "p"), folder(home, "q/.git/..")
    assert find_root({}, {"HOME": str(home), "CLAUDE_PROJECT_DIR": named}, cwd) == named
    assert find_root({}, {"HOME": str(home), "CLAUDE_PROJECT_DIR": f"{named}/gone"}, cwd) == str(home / "q")
    assert find_root({}, {"HOME": str(home), "CLAUDE_PROJECT_DIR": "p"}, cwd) == str(home / "q")


@pytest.mark.parametrize("marker", [".synaptic", ".claude", ".git"])
def test_the_nearest_marked_ancestor_counts(home: Path, marker: str):
    """C-07"""
    folder(home, "outer", ".git")
    root = folder(home, "outer/inner")
    folder(root, marker)
    assert find_root({}, {"HOME": str(home)}, folder(root, "a/b")) == root


def test_a_git_file_marks_a_worktree(home: Path):
    root = folder(home, "tree")
    Path(root, ".git").write_text("gitdir: elsewhere")
    assert find_root({}, {"HOME": str(home)}, folder(root, "a")) == root


def test_without_a_marker_it_is_the_cwd(home: Path):
    cwd = folder(home, "plain/a")
    assert find_root({}, {"HOME": str(home)}, cwd) == cwd


def test_home_is_never_a_project(home: Path):
    """C-07: neither as cwd, nor as ancestor, nor by name."""
    env = {"HOME": str(home)}
    assert find_root({}, env, str(home)) == ""
    assert find_root({}, {**env, "CLAUDE_PROJECT_DIR": f"{home}/"}, str(home)) == ""
    assert find_root({"claude-project-root": str(home)}, env, str(home)) == ""


def test_home_under_another_name_is_never_a_project(home: Path, tmp_path: Path):
    (tmp_path / "link").symlink_to(home)
    assert find_root({}, {"HOME": str(tmp_path / "link")}, str(home)) == ""


def test_no_home_and_no_cwd_is_no_project():
    assert find_root({}, {}, "") == ""
    assert find_root({"claude-project-root": 7}, {}, "relative/path") == ""


@pytest.mark.parametrize("name", ["with space", "quo'te\"", "$HOME", "new\nline", "ünï"])
def test_any_name_of_a_folder_is_kept(home: Path, name: str):
    root = folder(home, name)
    folder(root, ".git")
    assert find_root({}, {"HOME": str(home)}, root) == root


def test_nothing_above_home_is_ever_a_project(home: Path):
    (home.parent / ".git").mkdir()
    for above in (str(home.parent), "/"):
        assert find_root({}, {"HOME": str(home)}, above) == ""
        assert find_root({"repository_root": above}, {"HOME": str(home), "CLAUDE_PROJECT_DIR": above}, above) == ""


def test_a_marker_above_home_does_not_count_below_it(home: Path):
    (home.parent / ".git").mkdir()
    folder = home / "notes"
    folder.mkdir()
    assert find_root({}, {"HOME": str(home)}, str(folder)) == str(folder)


def test_the_root_of_the_disk_is_no_project_without_a_home_either():
    assert find_root({}, {}, "/") == ""


def test_every_folder_with_declarations_counts_from_the_call_up(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    package = root / "packages" / "api"
    for folder in (
        root / ".synaptic",
        root / ".git",
        package / ".synaptic",
        package / "src",
        root / "packages" / ".claude",
    ):
        folder.mkdir(parents=True)
    inner, outer = str(package), str(root)
    assert list_folders(inner, str(package / "src"), "/nowhere") == (outer, inner)
    assert list_folders(outer, outer, "/nowhere") == (outer,)
    assert list_folders(outer, str(package / "src"), "/nowhere") == (outer, inner)
    assert list_folders(inner, "/somewhere/else", "/nowhere") == (outer, inner)
    assert list_folders(str(root / "packages"), str(root / "packages"), "/nowhere") == (outer, str(root / "packages"))
    assert list_folders("", outer, "/nowhere") == ()


def test_neither_home_nor_what_lies_above_it_is_a_folder_of_declarations(tmp_path: Path) -> None:
    home, root = tmp_path / "home", tmp_path / "home" / "shop"
    for folder in (tmp_path, home, root):
        (folder / ".synaptic").mkdir(parents=True)
    assert list_folders(str(root), str(root), str(home)) == (str(root),)


def test_a_folder_that_everybody_can_write_to_declares_nothing_for_others(tmp_path: Path) -> None:
    shared, root = tmp_path / "shared", tmp_path / "shared" / "shop"
    (shared / ".synaptic").mkdir(parents=True)
    root.mkdir()
    shared.chmod(0o777)
    assert list_folders(str(root), str(root), "/nowhere") == (str(root),)
    shared.chmod(0o755)
    assert list_folders(str(root), str(root), "/nowhere") == (str(shared), str(root))


@pytest.mark.parametrize("name", ["a\0b", "a\ud800b"])
def test_a_folder_that_no_system_can_have_has_no_declarations(tmp_path: Path, name: str) -> None:
    assert list_folders(str(tmp_path), f"{tmp_path}/{name}", "/nowhere") == (str(tmp_path),)


@pytest.mark.parametrize("name", ["a\0b", "a\ud800b"])
def test_a_folder_that_no_system_can_have_is_no_project(name: str) -> None:
    assert find_root({}, {}, f"/srv/{name}") == ""

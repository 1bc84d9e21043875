"""What a path is worth by its name."""

import pytest

from synaptic.shell.worth import (
    are_throwaway,
    has_build_name,
    is_kept_by_user,
    is_made_again,
    is_throwaway,
    is_user_file,
    is_user_folder,
)

HOME = "/home/u"


@pytest.mark.parametrize(
    "path",
    [
        "/home/u/x/.DS_Store", "/home/u/x/node_modules/a/b", "/home/u/x/a.pyc", "/home/u/.npm/_npx/1", "/home/u/tmp/x",
        "/home/u/Library/Application Support/App/GPUCache/x", "/home/u/a.txt~", "/home/u/x/.git/index.lock",
        "/home/u/.claude/projects/-private-tmp-x", "/home/u/serve.log", "/srv/app/__pycache__",
    ],
)  # fmt: skip
def test_what_comes_back_is_thrown_away(path: str) -> None:
    assert is_throwaway(path, HOME)


@pytest.mark.parametrize(
    "path",
    [
        "/home/u/notes.md", "/home/u/tmp", "/home/u/.claude/projects/-home-u-app", "/home/u/Cargo.lock",
        "/home/u/teacher", "/home/u/x/.git/config", "/home/u/catalog", "/home/u/*", "/home/u/a.tmpl",
    ],
)  # fmt: skip
def test_what_does_not_is_kept(path: str) -> None:
    assert not is_throwaway(path, HOME)


def test_what_a_home_lies_in_says_nothing() -> None:
    assert not is_throwaway("/tmp/cache/u/notes.md", "/tmp/cache/u")


def test_a_search_for_leftovers_alone_is_one_for_leftovers() -> None:
    assert are_throwaway(["*.pyc", "__pycache__", "*/node_modules/*"])
    assert not are_throwaway(["*.pyc", "*.md"])
    assert not are_throwaway([])
    assert not are_throwaway(["*"])


def test_a_build_is_made_again_where_one_works() -> None:
    assert is_made_again("/home/u/papers/build/x", "/home/u/papers")
    assert not is_made_again("/home/u/build/papers/x", "/home/u/build/papers")
    assert has_build_name("/home/u/app/dist")


def test_what_every_user_has_is_known_by_its_place_in_the_home() -> None:
    assert is_user_folder("/home/u/Documents", HOME)
    assert not is_user_folder("/home/u/x/Documents", HOME)
    assert is_user_file("/home/u/.bashrc", HOME)
    assert is_user_file("/home/u/.ssh/id_ed25519", HOME)
    assert not is_user_file("/home/u/.zshrc.bak", HOME)


def test_people_keep_what_is_not_below_hidden_folders() -> None:
    assert is_kept_by_user("/home/u/x/notes.md", HOME)
    assert is_kept_by_user("/home/ana/thesis.tex", HOME)
    assert is_kept_by_user("/home/ana/thesis.tex", "/root")
    assert is_kept_by_user("/Users/ana/thesis.tex", "/Users/u")
    assert not is_kept_by_user("/Users/ana/thesis.tex", HOME)
    assert is_kept_by_user("/home/u/.hidden", HOME)
    assert is_kept_by_user("/home/u/.ssh/config", HOME)
    assert not is_kept_by_user("/home/u/.tool/state", HOME)
    assert not is_kept_by_user("/Users/ana/Library/X/y", "/Users/u")
    assert not is_kept_by_user("/data/x", HOME)

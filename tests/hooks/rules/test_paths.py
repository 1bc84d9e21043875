"""Globs over paths, by their text alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synaptic.hooks.rules.paths import NamedPath, compile_path_glob, may_both_match, split_path
from synaptic.shell.globs import matches_glob

BASE, HOME = "/r/app", "/home/u"


def matches(glob: str, path: str, *, is_pattern: bool = False, base: str = BASE) -> bool:
    named = NamedPath(split_path(path), is_pattern)
    return any(one.matches(named) for one in compile_path_glob(glob, base, HOME))


@pytest.mark.parametrize(
    ("glob", "path", "wanted"),
    [
        ("a.txt", "/r/app/a.txt", True),
        ("a.txt", "/r/app/x/y/a.txt", True),
        ("a.txt", "/r/a.txt", False),
        ("./a.txt", "/r/app/x/a.txt", False),
        ("./a.txt", "/r/app/a.txt", True),
        ("src/**", "/r/app/src", True),
        ("src/**", "/r/app/src/a/b", True),
        ("src/*", "/r/app/src/a/b", False),
        ("src/**/*.py", "/r/app/src/a.py", True),
        ("src/**/*.py", "/r/app/src/a/b/c.PY", True),
        ("**/test/**", "/r/app/a/test/b", True),
        ("dist/", "/r/app/web/dist/x/y", True),
        ("dist/", "/r/app/web/dist", True),
        ("a/b/", "/r/app/a/b/c", True),
        ("a/b/", "/r/app/x/a/b/c", False),
        ("*.{js,ts}", "/r/app/a.ts", True),
        ("~/.x", "/home/u/.x", True),
        ("/etc/*", "/etc/hosts", True),
        ("../lib/*", "/r/lib/a", True),
        ("[ab].c", "/r/app/b.c", True),
        ("[!ab].c", "/r/app/b.c", False),
        ("**", "/r/app/x", True),
        ("**", "/r/other/x", False),
    ],
)
def test_a_glob_means_what_it_says(glob: str, path: str, wanted: bool) -> None:
    assert matches(glob, path) is wanted


def test_without_a_project_a_path_may_be_in_any_folder() -> None:
    assert matches("src/*.py", "/x/y/src/a.py", base="")
    assert matches("a.txt", "/x/a.txt", base="")


@pytest.mark.parametrize(
    ("glob", "path", "wanted"),
    [
        ("a.json", "/r/app/*.json", True),
        ("a.json", "/r/app/web/*.json", True),
        ("a.json", "/r/app/web/*", False),
        ("a.json", "/r/app/*", True),
        (".env", "/r/app/*", False),
        (".env", "/r/app/.e*", True),
        ("src/*.py", "/r/app/*/a*", True),
        ("src/*.py", "/r/app/doc?/*", False),
    ],
)
def test_a_pattern_of_a_shell_may_mean_it(glob: str, path: str, wanted: bool) -> None:
    assert matches(glob, path, is_pattern=True) is wanted


NAMES = st.text("ab.", min_size=1, max_size=5)
GLOBS = st.text("ab.*?", min_size=1, max_size=5)


@given(NAMES, GLOBS, GLOBS)
def test_two_patterns_of_one_name_may_both_match(name: str, one: str, other: str) -> None:
    if matches_glob(name, one) and matches_glob(name, other) and name[0] != ".":
        assert may_both_match(one, other)

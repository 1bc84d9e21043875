"""The names that a search looks for."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synaptic.shell.effects.sought import chooses, fd_names, find_names, grep_names, picks
from synaptic.shell.read.reader import read


def names(text: str) -> set[str]:
    return set(find_names(read(text, "/p", "/h").commands[0].args))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("find . -name a", {"a"}),
        ("find . -name a -delete", {"a"}),
        ("find . -type f -path '*/a/*' -print0", {"*/a/*"}),
        ("find . -name a -o -name b", {"a", "b"}),
        ("find . -name a -prune -o -name b", {"a", "b"}),
        ("find . -name a -prune -o -name b -print", {"b"}),
        ("find . \\( -name a -o -name b \\) -delete", {"a", "b"}),
        ("find . \\( -name a -o -name b \\) -prune -o -name c -delete", {"c"}),
        ("find . ! -name a -delete", set()),
        ("find . -not \\( -name a -o -name b \\) -name c -delete", {"c"}),
        ("find . -name a -exec x \\; -o -name b -delete", {"a", "b"}),
        ("find . -regex '.*/\\.git'", {"*/.git"}),
        ("find . -iname .GIT", {".git"}),
        ("find . -delete", set()),
        ("find . -name", set()),
        ("find . \\) -name a", {"a"}),
    ],
)
def test_names_count_where_the_search_acts_on_them(text: str, found: set[str]):
    assert names(text) == found


@given(st.lists(st.sampled_from(["(", ")", "!", "-o", "-name", "a", "b", "-print", "-delete", "-prune"]), max_size=30))
def test_every_name_stands_behind_a_test(texts: list[str]):
    behind = {after for test, after in pairwise(texts) if test == "-name"}
    assert behind.issuperset(find_names(texts))


@pytest.mark.parametrize(
    ("text", "found"), [("fd '^\\.git$' -X rm", (".git",)), ("fd -t d a b", ("a",)), ("fd -x rm a", ()), ("fd", ())]
)
def test_the_pattern_of_fd(text: str, found: tuple[str, ...]):
    assert fd_names(read(text, "/p", "/h").commands[0]) == found


@pytest.mark.parametrize(
    ("text", "found", "picked", "chosen"),
    [
        ("grep a", ("a",), True, True),
        ("grep -e a -e b", ("a", "b"), True, True),
        ("grep -v a", (), False, False),
        ("grep .", (".",), False, False),
        ("head -3", (), False, True),
        ("sort -u", (), False, False),
    ],
)
def test_what_is_picked_from_the_results(text: str, found: tuple[str, ...], picked: bool, chosen: bool):
    command = read(text, "/p", "/h").commands[0]
    assert (grep_names(command), picks(command), chooses(command)) == (found, picked, chosen)

"""What a search picks out."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synaptic.shell.effects.find import (
    passes_some_lines,
    picks_lines,
    read_fd,
    read_fd_names,
    read_find,
    read_find_names,
    read_grep_names,
)
from synaptic.shell.read.reader import read_script
from synaptic.shell.read.script import Word


def words(line: str) -> list[Word]:
    return [Word(text) for text in line.split()]


@pytest.mark.parametrize(
    "line",
    [
        "find . -name *.pyc -delete",
        "find . ( -name *.pyc -o -name *.pyo ) -delete",
        "find . -name a -prune -o -name b -delete",
        "find . -mtime +7 -delete",
        "find . -empty -delete",
        "find -L . -size +1G -exec rm {} ;",
    ],
)
def test_tests_before_the_act_narrow_it(line: str):
    assert read_find(words(line)).narrowed


@pytest.mark.parametrize(
    "line",
    [
        "find . -delete",
        "find . -type f -delete",
        "find . -name * -delete",
        "find . ! -name keep -delete",
        "find . -not -name keep -delete",
        "find . -delete -name *.pyc",
        "find . -name keep -prune -o -delete",
        "find . -maxdepth 1 -exec rm -rf {} +",
    ],
)
def test_what_is_not_picked_out_is_everything(line: str):
    assert not read_find(words(line)).narrowed


def test_roots_stand_before_the_expression_and_are_here_by_default():
    assert [word.text for word in read_find(words("find -H a b -name x")).roots] == ["a", "b"]
    assert [word.text for word in read_find(words("find -delete")).roots] == ["."]


def test_fd_is_narrowed_by_a_pattern_or_an_extension():
    assert read_fd(words("fd node_modules -x rm -rf")).narrowed
    assert read_fd(words("fd -e pyc -x rm")).narrowed
    assert not read_fd(words("fd -x rm -rf")).narrowed
    assert not read_fd(words("fd . -x rm -rf")).narrowed


@pytest.mark.parametrize(
    ("line", "roots"),
    [
        ("fd -x rm", ["."]),
        ("fd . ~ -X rm -rf", ["~"]),
        ("fd -H -t d . a b -x rm", ["a", "b"]),
        ("fd -td x --search-path a -x rm c", ["a"]),
        ("fd -C .. -x rm", [".."]),
        ("fd --base-directory=/a . b /c -x rm", ["/a/b", "/c"]),
        ("fd -e py -E b . a", ["a"]),
    ],
)
def test_fd_starts_at_the_operands_behind_the_pattern(line: str, roots: list[str]):
    assert [word.text for word in read_fd(words(line)).roots] == roots


def test_fd_is_narrowed_by_age_and_size_and_not_by_kind_or_a_folder():
    assert read_fd(words("fd --changed-before 2w . a -X rm")).narrowed
    assert read_fd(words("fd -S +1g -X rm")).narrowed
    assert not read_fd(words("fd -t f . a -X rm")).narrowed
    assert not read_fd(words("fd -tf -E keep -X rm")).narrowed


def names(text: str) -> set[str]:
    return set(read_find_names(read_script(text, "/p", "/h").commands[0].args))


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
    assert behind.issuperset(read_find_names(texts))


@pytest.mark.parametrize(
    ("text", "found"), [("fd '^\\.git$' -X rm", (".git",)), ("fd -t d a b", ("a",)), ("fd -x rm a", ()), ("fd", ())]
)
def test_the_pattern_of_fd(text: str, found: tuple[str, ...]):
    assert read_fd_names(read_script(text, "/p", "/h").commands[0]) == found


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
    command = read_script(text, "/p", "/h").commands[0]
    assert (read_grep_names(command), picks_lines(command), passes_some_lines(command)) == (found, picked, chosen)

"""What a search picks out."""

import pytest

from synaptic.shell.effects.find import fd_finding, finding
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
    assert finding(words(line)).narrowed


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
    assert not finding(words(line)).narrowed


def test_roots_stand_before_the_expression_and_are_here_by_default():
    assert [word.text for word in finding(words("find -H a b -name x")).roots] == ["a", "b"]
    assert [word.text for word in finding(words("find -delete")).roots] == ["."]


def test_fd_is_narrowed_by_a_pattern_or_an_extension():
    assert fd_finding(words("fd node_modules -x rm -rf")).narrowed
    assert fd_finding(words("fd -e pyc -x rm")).narrowed
    assert not fd_finding(words("fd -x rm -rf")).narrowed
    assert not fd_finding(words("fd . -x rm -rf")).narrowed


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
    assert [word.text for word in fd_finding(words(line)).roots] == roots


def test_fd_is_narrowed_by_age_and_size_and_not_by_kind_or_a_folder():
    assert fd_finding(words("fd --changed-before 2w . a -X rm")).narrowed
    assert fd_finding(words("fd -S +1g -X rm")).narrowed
    assert not fd_finding(words("fd -t f . a -X rm")).narrowed
    assert not fd_finding(words("fd -tf -E keep -X rm")).narrowed

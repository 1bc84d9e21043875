import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synaptic.model.pattern import MAX_TEXT_CHARS, LinearPattern, SlowPattern

PATTERNS = [
    "Bash", "a|b", "mcp__(github|gitlab)__.*", "(a+)+b", "a?" * 9 + "a" * 9, "[A-Z]\\w+", "^x$", "\\bfoo\\b", "(?i)abc",
    "x{2,4}y*", "(?:a|ab)(?:c|bcd)(?:d*)", ".*.*.*.*x", "[^/]*", "a|", "()", "\\d+\\.\\d*", "(?s).", "a{0}", "(a|b)*?c",
    "$", "a$", "\\Ba", "(a*)*", "(?:(?:a?)*)*b", "[]a]", "[^a-c]",
]  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS)
def test_it_says_what_the_standard_library_says(pattern: str) -> None:
    chance = random.Random(7)
    ours, theirs = LinearPattern(pattern), re.compile(pattern)
    for _ in range(400):
        text = "".join(chance.choice("abxcdABC fo\n_/1.") for _ in range(chance.randrange(8)))
        assert ours.fullmatch(text) is (theirs.fullmatch(text) is not None), text
        assert ours.search(text) is (theirs.search(text) is not None), text


@pytest.mark.parametrize(
    "pattern", ["(?=a)", "(?!a)b", "(a)\\1", "(?<!x)a", "(?>a)", "a++", "x" * 600, "(a{100}){100}", "(?m)^a", "(?x) a"]
)
def test_what_needs_backtracking_or_is_too_large_is_refused(pattern: str) -> None:
    with pytest.raises(SlowPattern):
        LinearPattern(pattern)


@pytest.mark.parametrize("pattern", ["(", "[", "a**", "\\"])
def test_what_is_no_pattern_is_an_error(pattern: str) -> None:
    with pytest.raises(re.error):
        LinearPattern(pattern)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("(a+)+b", "a" * MAX_TEXT_CHARS),
        ("a?" * 90 + "a" * 90, "a" * 89),
        ("(?:a|a)" * 60 + "b", "a" * 60),
        (".*.*.*.*.*.*x", "a" * MAX_TEXT_CHARS),
    ],
)
def test_no_text_makes_it_backtrack(pattern: str, text: str) -> None:
    assert not LinearPattern(pattern).fullmatch(text)


def test_a_text_that_is_too_long_matches_nothing_as_a_whole() -> None:
    assert not LinearPattern(".*").fullmatch("a" * (MAX_TEXT_CHARS + 1))
    assert LinearPattern("a").search("a" * (MAX_TEXT_CHARS + 1))


@pytest.mark.parametrize(
    ("pattern", "text", "wanted"),
    [
        ("abc", "xxabcxx", True),
        ("abc", "xxABCxx", False),
        ("(?i)abc", "xxABCxx", True),
        ("(?i)abc", "ab\u017f", True),
        ("(?i)ab\u017f", "abs", True),
        ("a+b", "aaab", True),
        (r"\bfoo\(\d+\)", "foo(", True),
        (r"\bfoo\(\d+\)", "fo(", False),
        ("(x|y)", "z", True),
    ],
)
def test_what_every_match_holds_is_asked_first(pattern: str, text: str, wanted: bool) -> None:
    assert LinearPattern(pattern).may_match(text) is wanted


@given(
    st.text("abA(", max_size=12), st.sampled_from(["ab", "a+b", "(?i)aB", "(ab|A)b", "a.b", r"\ba\(", "[ab]A", "a{2}b"])
)
def test_no_match_is_lost_by_asking_first(text: str, pattern: str) -> None:
    one = LinearPattern(pattern)
    assert one.may_match(text) or not one.search_all(text)
    assert one.search_all(text) == (re.search(pattern, text) is not None)


@pytest.mark.parametrize(
    ("pattern", "text"), [("(?i)\u017fam", "sam"), ("(?i)\u212aey", "a key"), ("(?i)sam", "\u017fam")]
)
def test_letters_that_are_the_same_without_case_are_found(pattern: str, text: str) -> None:
    assert re.search(pattern, text)
    assert LinearPattern(pattern).search(text)
    assert LinearPattern(pattern).search_all(text)

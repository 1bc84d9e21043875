"""Patterns are read as `fnmatch` reads them."""

import re
from fnmatch import fnmatchcase

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from synaptic.shell.globs import matches_glob

LETTERS = "ab.!-[]*?^\\&~|z\n"


@pytest.mark.parametrize(
    ("name", "pattern", "expected"),
    [
        ("settings.json", "*", True),
        ("settings.json", "set*.json", True),
        ("settings.json", "set*.toml", False),
        ("settings.json", "s*t*t*s.j??n", True),
        (".claude", "?claude", True),
        (".claude", ".claud[a-f]", True),
        (".claude", ".claud[!a-f]", False),
        ("a]", "a[]]", True),
        ("a[", "a[", True),
        ("a", "a**", True),
        ("", "*", True),
        ("", "?", False),
        ("ab", "a", False),
    ],
)
def test_a_pattern_matches_the_whole_name(name: str, pattern: str, expected: bool):
    assert matches_glob(name, pattern) is expected


@given(st.text(LETTERS, max_size=8), st.text(LETTERS, max_size=10))
def test_it_says_what_fnmatch_says(name: str, pattern: str):
    # A `!` behind an empty range (`[z-a!b]`) turns the class around for fnmatch, and for no shell.
    assume(not re.search(r"-.[^\]]*!", pattern, re.DOTALL))
    assert matches_glob(name, pattern) is fnmatchcase(name, pattern)


@given(st.text(LETTERS, max_size=1), st.text(LETTERS, max_size=6))
def test_a_class_holds_what_fnmatch_says(letter: str, inside: str):
    assume(not re.search(r"-.[^\]]*!", inside, re.DOTALL))
    assert matches_glob(letter, f"[{inside}]") is fnmatchcase(letter, f"[{inside}]")

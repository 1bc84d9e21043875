"""Options as programs read them."""

import hypothesis
import pytest
from hypothesis import strategies as st

from synaptic.shell.effects.arguments import Arguments, arguments, operands
from synaptic.shell.read.script import Word


def given(line: str, *valued: str) -> Arguments:
    return arguments([Word(text) for text in line.split()], valued)


@pytest.mark.parametrize("line", ["-r -f x", "-rf x", "-fr x", "--recursive --force x", "--rec --forc x", "x -rf"])
def test_bundled_and_shortened_options_are_the_same(line: str):
    found = given(line)
    assert found.has("-r", "--recursive")
    assert found.has("-f", "--force")
    assert found.texts == ("x",)


def test_two_dashes_end_the_options():
    found = given("-- -rf x")
    assert not found.has("-r")
    assert found.texts == ("-rf", "x")


@pytest.mark.parametrize("line", ["-o out x", "-oout x", "--output out x", "--output=out x", "-so out x"])
def test_a_value_is_no_operand(line: str):
    found = given(line, "-o", "--output")
    assert [word.text for word in found.values("-o", "--output")] == ["out"]
    assert found.texts == ("x",)


def test_a_dash_alone_is_an_operand_and_a_missing_value_is_none():
    assert given("-").texts == ("-",)
    assert given("-o", "-o").values("-o") == ()


WORDS = st.lists(
    st.sampled_from(["-", "--", "-o", "-of", "-fo", "-rf", "-s1", "--size", "--size=1", "--siz", "-é", "x", "a/b", ""]),
    max_size=7,
)
VALUED = st.frozensets(st.sampled_from(["-o", "-s", "--size", "-rf", "-1"]))


@hypothesis.given(WORDS, VALUED)
def test_operands_are_what_sorting_all_arguments_leaves_over(texts: list[str], valued: frozenset[str]):
    words = [Word(text) for text in texts]
    assert tuple(operands(words, valued)) == arguments(words, valued).operands

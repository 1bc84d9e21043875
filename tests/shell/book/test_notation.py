"""The notation of the book."""

import pytest

from synaptic.shell.book.notation import parse_operands, parse_options
from synaptic.shell.read.script import Word


@pytest.mark.parametrize(
    ("roles", "words", "want"),
    [
        ("read... write", "a b c", "read:a read:b write:c"),
        ("read... write", "a", "read:a"),
        ("skip run...", "5 make -k", "skip:5 run:make run:-k"),
        ("pattern read...", "x a", "pattern:x read:a"),
        ("read write", "a b c", "read:a write:b"),
        ("delete...", "", ""),
    ],
)
def test_each_operand_has_a_role(roles: str, words: str, want: str):
    found = parse_operands(roles).assign_roles([Word(text) for text in words.split()])
    assert " ".join(f"{role}:{word.text}" for role, word in found) == want


def test_what_stands_behind_dashes_may_have_a_role_of_its_own():
    assert parse_operands("skip... -- run...").behind == "run"


def test_an_option_has_a_name_letters_a_value_a_role_and_may_end_the_options():
    grammar = parse_options("quiet|silent|q output|o=:write |n -pe=:code rest!:rest")
    assert grammar.names["silent"] is grammar.names["quiet"] is grammar.letters["q"]
    assert (grammar.letters["o"].name, grammar.letters["o"].value, grammar.letters["o"].role) == (
        "output",
        "=",
        "write",
    )
    assert grammar.letters["n"].name == "n"
    assert grammar.words["pe"].role == "code"
    assert grammar.names["rest"].ends


def test_an_abbreviation_means_the_only_option_or_the_one_that_all_others_begin_with():
    grammar = parse_options("force force-with-lease follow")
    assert grammar.find_option("forc") is grammar.names["force"]
    assert grammar.find_option("fo") is None
    assert grammar.find_option("") is None

"""Names that hold the number of the shell."""

import pytest

from synaptic.shell.effects.numbered import is_numbered, settle_number
from synaptic.shell.read.reader import read_script
from synaptic.shell.read.script import Word


def settle(text: str) -> Word:
    return settle_number(read_script(f"x {text}", "/h/p", "/h").by_name["x"][-1].argv[-1])


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("~/a.$$", "/h/a.$$"),
        ("~/a.${$}", "/h/a.$$"),
        ('"$HOME/a-$$.txt"', "/h/a-$$.txt"),
        ("$$", "$$"),
        ("a.$$.$$", "a.$$.$$"),
    ],
)
def test_a_name_with_the_number_of_the_shell_is_the_same_however_it_is_written(text: str, name: str) -> None:
    found = settle(text)
    assert found.known
    assert found.text == name
    assert is_numbered(found.text)


@pytest.mark.parametrize(
    "text",
    [
        "~/$X.$$",
        r"~/\$$X",
        "~/$$X",
        "~/$$$X",
        '"$(ls)$$"',
        "`ls`.$$",
        "${X}$$",
        "a$BASHPID",
        "{}$$",
    ],
)
def test_a_name_of_which_more_is_unknown_stays_unknown(text: str) -> None:
    found = settle_number(Word("{}$$", known=False)) if text == "{}$$" else settle(text)
    assert not found.known


def test_the_reader_itself_does_not_take_the_number_for_known() -> None:
    """Else a line could choose its way by a number that nobody knows."""
    found = read_script("x $$; y $(( $$ % 2 ))", "/h/p", "/h")
    assert not any(command.argv[-1].known for command in found.commands)


def test_a_name_is_numbered_by_its_last_part_alone() -> None:
    assert not is_numbered("/h/a.$$/b")

"""Tables within a width."""

import pytest

from synaptic.cli.table import lay_out, stack_row, wrap_text

ROWS = [("ID", "EVENTS", "ABOUT"), ("a.b", "PreToolUse,PostToolUse", "Something that needs a few words to be said.")]


def test_what_fits_is_left_as_it_is():
    assert lay_out(ROWS, 200) == [
        ["ID   EVENTS                  ABOUT"],
        ["a.b  PreToolUse,PostToolUse  Something that needs a few words to be said."],
    ]


@pytest.mark.parametrize("width", range(28, 80))
def test_lines_keep_to_the_width_and_words_stay_whole(width: int):
    blocks = lay_out(ROWS, width)
    assert blocks is not None
    lines = [line for block in blocks for line in block]
    assert max(map(len, lines)) <= width
    for word in ("PreToolUse,", "PostToolUse", "Something", "words", "said."):
        assert any(word in line for line in lines)


def test_words_that_do_not_fit_beside_each_other_stand_below_each_other():
    assert lay_out(ROWS, 20) is None
    assert stack_row(*ROWS, 40) == [
        "a.b  PreToolUse,PostToolUse",
        "    about Something that needs a few",
        "    words to be said.",
    ]


def test_a_word_longer_than_the_width_has_its_own_line():
    assert wrap_text("a very-long-word b", 6) == ["a", "very-long-word", "b"]
    assert wrap_text("", 6) == [""]
    assert wrap_text("/usr/local/bin/synaptic", 12) == ["/usr/local/", "bin/synaptic"]

"""Text in whole words."""

import pytest

from synaptic.cli.words import join_paragraphs, wrap_line, wrap_lines

LINE = "  file     /home/somebody/project/.synaptic/skills/guard/hooks/pre-bash.py: may allow, block or change it"


@pytest.mark.parametrize("width", range(30, 110))
def test_lines_keep_to_the_width_and_no_word_is_broken(width: int):
    lines = wrap_line(LINE, width, 11)
    assert max(map(len, lines)) <= width
    assert all(line.startswith(" " * 11) for line in lines[1:])
    assert "".join(line.strip() for line in lines).replace(" ", "") == LINE.replace(" ", "")
    for word in ("somebody/", "pre-bash.py:", "allow,", "change"):
        assert any(word in line for line in lines)


def test_a_path_that_fits_a_line_is_not_taken_apart():
    lines = wrap_line("it is written to /usr/local/bin/synaptic", 26)
    assert lines == ["it is written to", "  /usr/local/bin/synaptic"]


def test_what_goes_on_stands_a_little_further_in():
    assert wrap_lines("  one two three\nfour", 9) == "  one two\n    three\nfour"


def test_what_fits_is_left_as_it_is():
    assert wrap_lines("a  b\n\n   c ", 20) == "a  b\n\n   c "


def test_a_word_that_nothing_can_divide_has_a_line_of_its_own():
    assert wrap_line("see aaaaaaaaaaaaaaaaaaaa", 10) == ["see", "  aaaaaaaaaaaaaaaaaaaa"]


def test_paragraphs_are_joined_and_lists_are_not():
    assert join_paragraphs("# Title\nOne\ntwo.\n\n- a\n- b\nc") == "# Title\nOne two.\n\n- a\n- b c"

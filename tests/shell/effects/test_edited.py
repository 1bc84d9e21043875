"""Editors that are told what to do."""

import pytest

from synaptic.shell.book.entries import find_program
from synaptic.shell.effects.edited import leaves_nothing
from synaptic.shell.reading import CommandReading


def is_emptied(command: str) -> bool:
    script = CommandReading(command, "/home/u/project", "/home/u", False).script
    editor = script.commands[-1]
    return leaves_nothing(editor, find_program(editor.name).read(editor.argv[1:]))


@pytest.mark.parametrize(
    "lines",
    [
        "%d\nw",
        "1,$d\nwq",
        ",d\nx",
        "0,$d\nw\nq",
        "g/./d\nw",
        "g/.*/d\nw",
        "g/^/d\nw",
        "%d|wq",
        ":%delete _\n:wq!",
        "%d_\nup",
    ],
)
def test_all_lines_taken_away_and_written(lines: str) -> None:
    assert is_emptied(f"ed -s f <<'E'\n{lines}\nq\nE")


@pytest.mark.parametrize(
    "lines", ["%d\nq!", "3d\nw", "1,3d\nw", "g/x/d\nw", "%s/a/b/\nw", "$d\nw", "w", "", "a\n%d x\n.\nw"]
)
def test_less_than_that(lines: str) -> None:
    assert not is_emptied(f"ed -s f <<'E'\n{lines}\nE")


def test_words_of_vim_count_as_its_input_does() -> None:
    assert is_emptied("vim -es -c '%d' -c 'wq' f")
    assert is_emptied("nvim --headless +'normal! ggdG' +x f")
    assert not is_emptied("vim -c '%d' f")


def test_a_very_long_line_is_no_trouble() -> None:
    assert not is_emptied(f"vim -c '{'norm ' * 20000}' -c wq f")

"""Letters in cells: what is cut or wrapped fits, whatever letters it has."""

import pytest

from synaptic.cli.cells import clean_line, cut_cells, measure_cells, wrap_cells

TEXTS = (
    "plain words here",
    "漢字" * 40,
    "é" + "\u0301" * 500,
    "👩\u200d👩 " * 30,
    "x" * 300,
    "",
    "\u202eabc \x1b[2J\x9b",
)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("room", [1, 2, 7, 20, 79])
def test_nothing_is_wider_than_its_room(text: str, room: int):
    line = clean_line(text)
    assert measure_cells(cut_cells(line, room)) <= room
    assert all(measure_cells(part) <= max(room, 2) for part in wrap_cells(line, room))
    assert "".join(wrap_cells(line, room)).replace(" ", "") == line.replace(" ", "")


def test_wide_letters_take_two_cells_and_marks_none():
    assert [measure_cells(text) for text in ("abc", "漢字", "e\u0301", "👩")] == [3, 4, 1, 2]


def test_nothing_drives_the_terminal_or_piles_up_over_other_lines():
    assert clean_line("a\x1b[2J\x9b\u202e\n\tb\x00") == "a\ufffd[2J\ufffd\ufffd b\ufffd"
    assert len(clean_line("e" + "\u0301" * 10_000)) < 10

"""Phases as a line, and hand-overs as texts, whatever is in them."""

import pytest

from synaptic.store.efforts import PhaseRecord
from synaptic.web.effort_rows import WIDTH, format_length, make_bars, read_payload


def test_phases_fill_the_line_from_where_they_began() -> None:
    history = [PhaseRecord(phase=name, at=at) for name, at in (("a", 10.0), ("b", 60.0), ("a", 90.0))]
    bars = make_bars(history, 0.0, 100.0)
    assert [(bar.name, bar.x, bar.width, bar.shade) for bar in bars] == [
        ("a", 48.0, 240.0, 0), ("b", 288.0, 144.0, 1), ("a", 432.0, 48.0, 0),
    ]  # fmt: skip
    assert make_bars([], 0.0, 100.0) == ()


@pytest.mark.parametrize(("began", "end"), [(0.0, 0.0), (100.0, 0.0), (0.0, 1e18), (-1e9, 5.0)])
def test_a_wrong_clock_leaves_the_line_on_the_page(began: float, end: float) -> None:
    history = [PhaseRecord(phase=str(number), at=number * 1e6 - 3e6) for number in range(7)]
    for bar in make_bars(history, began, end):
        assert 0 <= bar.x <= WIDTH and 0 < bar.width <= WIDTH


def test_a_hand_over_is_read_and_a_damaged_one_is_the_text_that_it_is() -> None:
    stored = '{"summary": "half \\u202e", "lastAction": "x", "nextSteps": ["a", "b"]}'
    assert read_payload(stored) == (("summary", "half \ufffd"), ("last", "x"), ("next", "a\nb"))
    assert read_payload('{"summary": "cut') == (("left", '{"summary": "cut'),)
    assert read_payload(None) == ()
    assert read_payload("\ud800") == (("left", "\ufffd"),)


@pytest.mark.parametrize(("seconds", "words"), [(-5, "0 s"), (59, "59 s"), (3599, "59 min"), (5460, "1 h 31 min")])
def test_lengths_are_short(seconds: float, words: str) -> None:
    assert format_length(seconds) == words

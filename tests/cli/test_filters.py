"""Moments that people write, and the options that choose events."""

import time
from datetime import UTC, datetime

import pytest

from synaptic.cli.filters import FILTER_OPTIONS, read_filter, read_moment
from tests.cli.conftest import User

NOTHING = dict.fromkeys(FILTER_OPTIONS, "")
NOW = datetime(2026, 11, 19, 14, 45, 30).timestamp()  # a Thursday


def at(*parts: int) -> float:
    return datetime(*parts).timestamp()


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("yesterday", at(2026, 11, 18)),
        ("today", at(2026, 11, 19)),
        ("now", NOW),
        ("7d", NOW - 7 * 86400),
        ("2h", NOW - 7200),
        ("30min", NOW - 1800),
        ("2026-11-18", at(2026, 11, 18)),
        ("2026-11-18 14:00", at(2026, 11, 18, 14)),
        ("2026-11-18T14:00:05", at(2026, 11, 18, 14, 0, 5)),
        ("monday", at(2026, 11, 16)),
        ("Thu", at(2026, 11, 19)),
        ("friday", at(2026, 11, 13)),
        ("yesterday 9:30", at(2026, 11, 18, 9, 30)),
        (" 14:00 ", at(2026, 11, 19, 14)),
        ("999999w", 1.0),
        ("7 d", NOW - 7 * 86400),
        ("2026-11-18T13:00:00Z", datetime(2026, 11, 18, 13, tzinfo=UTC).timestamp()),
        ("2026-11-18T13:00:00.5+02:00", datetime(2026, 11, 18, 11, 0, 0, 500_000, tzinfo=UTC).timestamp()),
    ],
)
def test_a_moment_is_read_as_it_is_meant(text: str, moment: float):
    assert read_moment(text, NOW) == moment


@pytest.mark.parametrize(
    "text", ["", "soon", "2026-13-01", "2026-11-18 25:00", "7", "d", "-7d", "mo", "t", "0000-01-01", "٧d", "today x"]
)
def test_what_is_no_moment_is_none(text: str):
    assert read_moment(text, NOW) is None


def test_summer_time_makes_no_day_begin_at_another_hour(monkeypatch):
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        monday = datetime(2026, 10, 26, 12).timestamp()  # the clocks were set back on Sunday
        assert read_moment("yesterday", monday) == datetime(2026, 10, 25).timestamp()
        assert read_moment("today", monday) - read_moment("yesterday", monday) == 25 * 3600
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_moment_that_nobody_can_read_is_named(user: User):
    user.types("bootstrap")
    user.sends()
    shown = user.types("tail", "--since", "soon")
    assert shown.code == 2
    assert "yesterday" in shown.err
    assert user.types("tail", "--since", "today", "--until", "yesterday").code == 2


def test_every_verb_reads_the_same_moments(user: User):
    user.types("bootstrap")
    user.sends()
    for verb in ("tail", "search bash", "sessions", "report", "replay", "suggest", "witness"):
        shown = user.types(*verb.split(), "--since", "yesterday 09:00")
        assert shown.code == 0, (verb, shown.err)
        shown = user.types(*verb.split(), "--since", "soon")
        assert (shown.code, "--since soon: no moment" in " ".join(shown.err.split())) == (2, True), (verb, shown.err)


def test_the_first_moment_of_all_is_no_option_that_was_left_out(monkeypatch):
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    try:
        assert read_filter({**NOTHING, "until": "1970-01-01"}).until
    finally:
        monkeypatch.undo()
        time.tzset()

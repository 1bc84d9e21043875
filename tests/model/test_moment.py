"""Moments that no calendar has are shown all the same."""

from datetime import datetime

import pytest

from synaptic.model.moment import OUTSIDE, find_local_time


def test_a_moment_is_shown_in_local_time():
    assert find_local_time(1_790_000_000.5) == datetime.fromtimestamp(1_790_000_000.5)


@pytest.mark.parametrize("at", [1e15, 1e18, 1e300, -1e18, float("inf"), float("-inf"), float("nan")])
def test_what_no_calendar_has_is_no_failure(at: float):
    assert find_local_time(at) == OUTSIDE

import time

import pytest

from synaptic.hooks.budget import OverBudgetError, StalledReadingError, run_within


def test_work_in_time_gives_its_result() -> None:
    assert run_within(lambda: 3, 5.0) == 3
    assert run_within(lambda: None, 5.0) is None


def test_an_error_of_the_work_is_raised_where_it_is_waited_for() -> None:
    with pytest.raises(KeyError):
        run_within(lambda: {}["a"], 5.0)


def test_work_that_takes_too_long_is_stopped() -> None:
    steps = [0]

    def count() -> None:
        while True:
            steps[0] += 1

    with pytest.raises(OverBudgetError):
        run_within(count, 0.1)
    reached = steps[0]
    time.sleep(0.05)
    assert steps[0] == reached


def test_work_that_hardly_gets_a_processor_is_told_apart() -> None:
    """A machine with much to do, or a disk that does not answer: nothing that the work itself could help."""
    end = time.monotonic() + 60

    def wait() -> None:
        while time.monotonic() < end:
            time.sleep(0.01)

    with pytest.raises(StalledReadingError):
        run_within(wait, 30.0, 0.3)

"""Every worker begins with slow tests, and no test is lost."""

import pytest

from tests.slow_first import deal


@pytest.mark.parametrize("workers", [1, 2, 3, 4])
@pytest.mark.parametrize(("slow", "quick"), [(0, 0), (1, 0), (0, 5), (5, 1), (7, 100), (8, 101)])
def test_every_test_is_there_once(slow: int, quick: int, workers: int) -> None:
    made = deal([f"slow {number}" for number in range(slow)], [f"quick {number}" for number in range(quick)], workers)
    assert len(made) == len(set(made)) == slow + quick


def test_each_part_begins_with_its_share_of_slow_tests_and_quick_ones_keep_their_order() -> None:
    made = deal(["a", "b", "c"], list("1234567"), 2)
    assert made == ["a", "c", "1", "2", "3", "b", "4", "5", "6", "7"]

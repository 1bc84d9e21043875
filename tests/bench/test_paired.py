"""What two ways differ in is found beneath a noise that is larger, and nothing is found where there is nothing."""

import random
from collections.abc import Iterator
from math import comb

import pytest
from bench.paired import SURE, Group, Interval, count_outside, find_interval, iter_orders, judge

MOST = 0.01
GROUPS = 60
DRIFT, NOISE = 0.3, 0.01
"""The machine gets slower by so much over a run; and what is by chance in the median of a block."""


def measure(slower: float, groups: int = GROUPS, *, seed: int = 1, noise: float = NOISE) -> Iterator[Group]:
    """Blocks of a machine that gets slower and jumps, with a B that is slower than A by so much."""
    chance = random.Random(seed)
    for number, order in enumerate(iter_orders(groups)):
        speed = (1 + DRIFT * number / groups) * chance.choice((1, 1, 1, 1.6))
        spent = [
            2.0 * speed * (1 + place * DRIFT / groups / 4) * (1 + chance.gauss(0, noise)) * (1 + slower * (way == "B"))
            for place, way in enumerate(order)
        ]
        yield Group.of(spent, order)


def test_three_percent_are_found_and_refused():
    found, same = find_interval(measure(0.03)), find_interval(measure(0, seed=2))
    assert MOST < found.low <= 0.03 <= found.high
    assert not judge(found, same, MOST)


def test_nothing_is_found_where_there_is_nothing_and_that_is_met():
    found, same = find_interval(measure(0)), find_interval(measure(0, seed=2))
    assert found.contains_nothing
    assert found.high - found.low < MOST
    assert judge(found, same, MOST)


def test_one_percent_and_a_half_is_more_than_one():
    assert not judge(find_interval(measure(0.015)), find_interval(measure(0, seed=2)), MOST)


def test_what_cannot_be_told_apart_is_not_met():
    """A measure that is too coarse proves nothing, even with a median of nothing."""
    coarse = find_interval(measure(0, noise=0.2))
    assert coarse.contains_nothing
    assert not judge(coarse, coarse, MOST)


def test_a_measure_that_sees_a_difference_between_equals_is_not_believed():
    biased = find_interval(measure(0.01, seed=2, noise=0.001))
    assert not biased.contains_nothing
    assert not judge(find_interval(measure(0)), biased, MOST)


def test_of_equal_ways_as_many_are_called_different_as_was_said():
    wrong = sum(not find_interval(measure(0, 20, seed=seed)).contains_nothing for seed in range(1000))
    assert wrong <= 25


@pytest.mark.parametrize(("count", "outside"), [(8, 0), (20, 3), (60, 19)])
def test_the_interval_is_that_of_the_sign_test(count: int, outside: int):
    """By the table: the tails of so many tosses of a coin are at most half a percent each."""
    assert count_outside(count, SURE) == outside
    tails = [sum(comb(count, k) for k in range(most + 1)) / 2**count for most in (outside, outside + 1)]
    assert tails[0] <= (1 - SURE) / 2 < tails[1]


def test_few_groups_are_not_sure_of_anything():
    with pytest.raises(ValueError, match="7 groups are too few"):
        find_interval([Group((1.0, 1.0), (1.0, 1.0))] * 7)


def test_a_steady_drift_is_in_both_ways_alike():
    assert Group.of((1.0, 2.0, 3.0, 4.0), ("A", "B", "B", "A")).more == 0
    assert Group.of((1.0, 2.0, 3.0, 4.0), ("B", "A", "A", "B")).more == 0
    assert Group.of((2.0, 2.06, 2.06, 2.0), ("A", "B", "B", "A")).more == pytest.approx(0.03)


def test_known_values_have_a_known_interval():
    groups = [Group((1.0, 1.0), (1 + share / 100,) * 2) for share in (5, 1, 4, 2, 3, 7, 6, 8)]
    found = find_interval(groups)
    assert (found.low, found.middle, found.high) == pytest.approx((0.01, 0.045, 0.08))
    assert str(Interval(-0.001, 0.002, 0.0049)) == "+0.20% (-0.10% to +0.49%)"


def test_half_of_the_groups_begin_with_each_way():
    assert [order[0] for order in iter_orders(6)] == ["A", "B"] * 3

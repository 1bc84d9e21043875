"""Promises are judged by the same percentile of the yardstick."""

from bench.line import Limit, at_least, at_most, flat, timing
from bench.spawn import Samples

TRUE = Samples("/bin/true", tuple(0.5 + i / 2000 for i in range(1000)), 0)


def times(factor: float, errors: int = 0) -> Samples:
    return Samples("ours", tuple(value * factor for value in TRUE.millis), errors)


def test_a_limit_is_met_up_to_its_ratio():
    assert timing(times(1.5), TRUE, Limit(p50=1.6, p99=4)).met is True
    assert timing(times(1.7), TRUE, Limit(p50=1.6, p99=4)).met is False


def test_a_long_tail_misses_the_limit():
    tail = Samples("ours", (*TRUE.millis[:980], *(TRUE.millis[-1] * 5,) * 20), 0)
    assert timing(tail, TRUE, Limit(p50=1.6, p99=4)).met is False


def test_quick_but_wrong_is_not_met():
    line = timing(times(1, errors=1), TRUE, Limit(p50=1.6, p99=4))
    assert line.met is False
    assert "1 wrong" in line.measured


def test_few_runs_claim_no_p99_and_nothing_promised_is_nothing_met():
    line = timing(Samples("peer", (1.0, 2.0, 3.0), 0), TRUE)
    assert "p99_ms" not in line.values
    assert line.met is None


def test_flat_means_no_more_than_fifteen_percent():
    assert flat("flat", TRUE, times(1.1)).met is True
    assert flat("flat", TRUE, times(1.2)).met is False
    assert flat("flat", TRUE, times(0.5)).met is True


def test_bounds_include_their_limit():
    assert at_least("rate", 3000, 3000).met is True
    assert at_least("rate", 2999, 3000).met is False
    assert at_most("errors", 0, 0, "errors").met is True
    assert at_most("memory", 121, 120, "MB").met is False

"""Durations in classes."""

import random
import sqlite3

import pytest

from synaptic.store.durations import CLASS_OF_MICROS, describe_durations, name_class, read_class


@pytest.mark.parametrize("micros", [0, 1, 9, 10, 99, 100, 999, 1000, 123_456, 10**9])
def test_the_middle_of_a_class_is_within_five_percent(micros: int):
    assert read_class(name_class(micros)) == pytest.approx(micros, rel=0.051)


def test_sql_and_python_name_the_same_classes():
    connection = sqlite3.connect(":memory:")
    for micros in [0, 5, 17, 100, *(random.Random(1).randrange(10**7) for _ in range(200))]:
        assert connection.execute(f"SELECT {CLASS_OF_MICROS.format('?1')}", (micros,)).fetchone()[0] == name_class(
            micros
        )


def test_percentiles_of_classes_are_those_of_the_values():
    values = sorted(random.Random(2).randrange(100, 500_000) for _ in range(1000))
    counts: dict[int, int] = {}
    for value in values:
        counts[name_class(value)] = counts.get(name_class(value), 0) + 1
    found = describe_durations(counts)
    assert found.calls == 1000
    assert found.p50 == pytest.approx(values[499] / 1000, rel=0.06)
    assert found.p95 == pytest.approx(values[949] / 1000, rel=0.06)
    assert describe_durations({}).p50 == 0.0


def test_a_hundred_thousand_durations_are_some_hundred_rows():
    assert len({name_class(micros) for micros in range(100_000)}) < 400

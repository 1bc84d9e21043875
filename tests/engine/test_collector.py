"""The garbage collector of a process that decides many calls."""

import gc

import pytest

from synaptic.engine.collector import GC_THRESHOLD, calm_collector


@pytest.fixture(autouse=True)
def _usual_collector():
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


def test_what_is_loaded_is_left_alone_and_circles_of_later_are_still_found():
    calm_collector()
    assert gc.get_freeze_count() > 0
    assert gc.get_threshold()[0] == GC_THRESHOLD
    circle: list[object] = []
    circle.append(circle)
    del circle
    assert gc.collect() >= 1

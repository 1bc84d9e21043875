"""Attempts to get past the guard. A hole that is known and not closed yet is a test that must still fail."""

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """`known_hole("why")` on an attempt: the day it is closed the strict xfail says so, and the docs change with it."""
    for item in items:
        hole = item.get_closest_marker("known_hole")
        if hole is not None:
            item.add_marker(pytest.mark.xfail(reason=str(hole.args[0]), strict=True))

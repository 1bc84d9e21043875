"""The order in which workers take tests: what takes long is begun first, by all of them, so that none ends alone.

`--dist worksteal` gives each worker an equal part of the list, and whoever is done takes from the end of another's.
"""

from collections.abc import Sequence
from typing import TypeVar

import pytest

SLOW_ROOMS = ("tests/clients/", "tests/faults/", "tests/hub/chaos/")
"""One test of theirs may take half a minute."""
Test = TypeVar("Test")


def order_items(items: Sequence[pytest.Item], workers: int) -> list[pytest.Item]:
    slow = [item for item in items if item.nodeid.startswith(SLOW_ROOMS)]
    return deal(slow, [item for item in items if not item.nodeid.startswith(SLOW_ROOMS)], workers)


def deal(slow: Sequence[Test], quick: Sequence[Test], workers: int) -> list[Test]:
    """Equal parts, one after another: each begins with its share of the slow ones, quick ones in their order follow."""
    dealt: list[Test] = []
    rest, end = list(quick), len(slow) + len(quick)
    for number in range(workers):
        own = slow[number::workers]
        # As the scheduler counts: the next part of what is left, for each of those who are left.
        room = (end - len(dealt)) // (workers - number) - len(own)
        dealt += [*own, *rest[: max(room, 0)]]
        rest = rest[max(room, 0) :]
    return dealt + rest

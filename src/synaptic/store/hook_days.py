"""Hooks and policies day by day, as far as they are counted by now."""

import time
from collections.abc import Mapping
from typing import NamedTuple

from synaptic.store.db import Store
from synaptic.store.hook_counts import SECONDS_PER_DAY

SELECT_DAYS = """
SELECT hook, day, sum(calls), sum(spoke), sum(failures) FROM hook_counts
WHERE day > ?2 AND (?1 = '' OR root = ?1) GROUP BY hook, day
"""
SELECT_HOOK_DAYS = """
SELECT hook, day, sum(calls), sum(spoke), sum(failures) FROM hook_counts
WHERE day > ?2 AND (?1 = '' OR root = ?1) AND (hook = ?3 OR substr(hook, 1, length(?3) + 8) = ?3 || ' (would ')
GROUP BY hook, day
"""
SELECT_ROOTS = "SELECT root FROM hook_counts WHERE root <> '' AND day > ? GROUP BY root ORDER BY max(last) DESC LIMIT ?"


class DayCount(NamedTuple):
    """What a hook did in one day."""

    calls: int = 0
    spoke: int = 0
    failures: int = 0


HookDays = Mapping[str, tuple[DayCount, ...]]
"""By hook, a count for each day, the oldest first, today last; what a shadow would have said has a name of its own."""


def read_hook_days(store: Store, days: int, root: str = "", hook: str = "") -> HookDays:
    """All hooks, or one and what it would have said in shadow; of one project or of all."""
    today = int(time.time() // SECONDS_PER_DAY)
    sql, values = (SELECT_HOOK_DAYS, (root, today - days, hook)) if hook else (SELECT_DAYS, (root, today - days))
    found: dict[str, list[DayCount]] = {}
    for name, day, *counts in store.run_separately(lambda connection: connection.execute(sql, values).fetchall()):
        place = days - 1 - (today - day)
        if 0 <= place < days:  # a clock that was wrong has counted in the future
            found.setdefault(str(name), [DayCount()] * days)[place] = DayCount(*counts)
    return {name: tuple(counts) for name, counts in found.items()}


def list_counted_roots(store: Store, days: int, most: int) -> tuple[str, ...]:
    """The projects in which anything was asked lately, the newest first."""
    values = (int(time.time() // SECONDS_PER_DAY) - days, most)
    rows = store.run_separately(lambda connection: connection.execute(SELECT_ROOTS, values).fetchall())
    return tuple(str(root) for (root,) in rows)

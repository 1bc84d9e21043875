"""The newest events that have something to say, found by their indexes, and how many quiet ones lie between them."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from synaptic.store.db import Connection, Store
from synaptic.store.journal_filter import (
    FAILED,
    JUDGED,
    NOTED,
    Conditions,
    JournalFilter,
    join_conditions,
    limit_columns,
    limit_times,
)

SPOKEN = (JUDGED, FAILED, NOTED)
MOST_COUNTED = 50_000
"""Of so many events, from the newest back, those of one project, agent or tool are counted: each has to be read."""
LAST_NUMBER = 2**62


class OutlineGap(NamedTuple):
    """Quiet events that lie together."""

    count: int
    is_whole: bool = True
    """Whether there are not more of them, which nobody has counted."""


OutlineItem = int | OutlineGap
"""The number of an event that has something to say, or how many of which there is nothing to say."""


def read_outline(store: Store, chosen: JournalFilter, most: int, before: int = LAST_NUMBER) -> list[OutlineItem]:
    """The newest events before one that match and have something to say, newest first, and the gaps between them.

    For a filter that wants no certain verdicts: those have no quiet events between them.
    """
    if not most:
        return []
    times, columns = join_conditions([*limit_times(store, chosen)]), join_conditions([*limit_columns(chosen)])
    wanted = join_conditions([times, columns])
    return store.read(lambda connection: _Outline(connection, wanted, is_dense=columns.sql == "1").read(most, before))


class _Outline:
    """One look at the journal: what lies between two numbers, counted as cheaply as the filter allows."""

    def __init__(self, connection: Connection, wanted: Conditions, *, is_dense: bool) -> None:
        self._connection, self._wanted, self._is_dense = connection, wanted, is_dense
        self._newest = self._fetch("SELECT coalesce(max(id), 0) FROM events", ())[0][0]

    def read(self, most: int, before: int) -> list[OutlineItem]:
        numbers = self._find_spoken(most, before)
        items: list[OutlineItem] = []
        above = before
        for number in numbers:
            items += self._list_gap(number, above)
            items.append(number)
            above = number
        return items if len(numbers) >= most else [*items, *self._list_gap(0, above)]

    def _find_spoken(self, most: int, before: int) -> list[int]:
        found: set[int] = set()
        for way in SPOKEN:
            sql = f"SELECT id FROM events WHERE {way} AND id < ? AND {self._wanted.sql} ORDER BY id DESC LIMIT ?"
            found.update(number for (number,) in self._fetch(sql, (before, *self._wanted.values, most)))
        return sorted(found, reverse=True)[:most]

    def _list_gap(self, low: int, high: int) -> Iterator[OutlineGap]:
        """The quiet events between two numbers; nothing where there are none."""
        if self._is_dense:
            count, is_whole = self._subtract(low, high), True
        else:
            border = max(low, self._newest - MOST_COUNTED)
            count, is_whole = self._count(border, high), border == low or border <= 0
        if count or not is_whole:
            yield OutlineGap(count, is_whole)

    def _subtract(self, low: int, high: int) -> int:
        """By their numbers, of which none is missing between those that are there."""
        sql = "SELECT id FROM events WHERE id > ? AND id < ? AND {} ORDER BY id {} LIMIT 1"
        values = (low, high, *self._wanted.values)
        ends = [self._fetch(sql.format(self._wanted.sql, way), values) for way in ("", "DESC")]
        return ends[1][0][0] - ends[0][0][0] + 1 if ends[0] else 0

    def _count(self, low: int, high: int) -> int:
        sql = f"SELECT count(*) FROM events WHERE id > ? AND id < ? AND {self._wanted.sql}"
        return int(self._fetch(sql, (low, high, *self._wanted.values))[0][0]) if low + 1 < high else 0

    def _fetch(self, sql: str, values: tuple[object, ...]) -> list[Any]:
        return self._connection.execute(sql, values).fetchall()

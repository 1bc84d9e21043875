"""The newest events that have something to say, found by their indexes, and how many quiet ones lie between them."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

from synaptic.store.db import Connection, Store
from synaptic.store.journal_filter import (
    FAILED,
    IN_SESSION,
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

    number: int
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
    return store.read(lambda connection: _Outline(connection, times, columns).read(most, before))


class _Outline:
    """One look at the journal: what lies between two numbers, counted as cheaply as the filter allows."""

    def __init__(self, connection: Connection, times: Conditions, columns: Conditions) -> None:
        self._connection, self._times, self._columns = connection, times, columns
        self._is_indexed = IN_SESSION in columns.sql
        self._newest = self._find_number("max(id)", Conditions("1", ()))

    def read(self, most: int, before: int) -> list[OutlineItem]:
        numbers = self._find_spoken(most, before)
        items: list[OutlineItem] = []
        above = min(before, self._find_number("max(id)", self._times) + 1)
        for number in numbers:
            items += self._list_gap(number, above)
            items.append(number)
            above = number
        if len(numbers) < most and (first := self._find_number("min(id)", self._times)):
            items += self._list_gap(first - 1, above)
        return items

    def _find_spoken(self, most: int, before: int) -> list[int]:
        wanted = join_conditions([self._times, self._columns])
        # Unary plus: those of a session are looked for among the few that are spoken of, and not the other way round.
        bounds = wanted.sql.replace(IN_SESSION, f"+{IN_SESSION}")
        found: set[int] = set()
        for way in SPOKEN:
            sql = f"SELECT id FROM events WHERE {way} AND id < ? AND {bounds} ORDER BY id DESC LIMIT ?"
            found.update(number for (number,) in self._fetch(sql, (before, *wanted.values, most)))
        return sorted(found, reverse=True)[:most]

    def _list_gap(self, low: int, high: int) -> Iterator[OutlineGap]:
        """The quiet events between two numbers; nothing where there are none."""
        if self._columns.sql == "1":
            # None is missing between those that are there, and what a wrong clock has put among them does not matter.
            count, is_whole = high - low - 1, True
        else:
            numbers, border = self._counted
            count, is_whole = bisect_left(numbers, high) - bisect_right(numbers, low), low >= border
        if count > 0 or not is_whole:
            yield OutlineGap(count, is_whole)

    @cached_property
    def _counted(self) -> tuple[list[int], int]:
        """The newest events of what is wanted, oldest first, and the number up to which they are not all of them."""
        wanted = join_conditions([self._times, self._columns])
        border = 0 if self._is_indexed else max(self._newest - MOST_COUNTED, 0)
        sql = f"SELECT id FROM events WHERE id > ? AND {wanted.sql} ORDER BY id DESC LIMIT ?"
        numbers = [number for (number,) in self._fetch(sql, (border, *wanted.values, MOST_COUNTED))][::-1]
        return numbers, numbers[0] - 1 if len(numbers) == MOST_COUNTED else border

    def _find_number(self, what: str, wanted: Conditions) -> int:
        return int(self._fetch(f"SELECT {what} FROM events WHERE {wanted.sql}", wanted.values)[0][0] or 0)

    def _fetch(self, sql: str, values: tuple[object, ...]) -> list[Any]:
        return self._connection.execute(sql, values).fetchall()

"""How large the journal is, and by how much it grows: events by their numbers, no event is counted."""

import os
from datetime import datetime, timedelta
from typing import NamedTuple

import msgspec

from synaptic.model.home import Home
from synaptic.store.db import Store
from synaptic.store.journal_filter import find_number_at

FIRST_AND_LAST = """
SELECT coalesce((SELECT min(id) FROM events), 0), coalesce((SELECT max(id) FROM events), 0),
coalesce((SELECT at FROM events ORDER BY id LIMIT 1), 0)
"""
SIDE_FILES = ("", "-wal", "-shm")


class DayGrowth(NamedTuple):
    """One day."""

    day: str
    events: int


class JournalGrowth(msgspec.Struct, frozen=True, kw_only=True):
    """The journal as it is."""

    size: int
    """Of its files together, in bytes."""
    index_size: int
    """Of the index of its words."""
    events: int
    oldest: float
    days: tuple[DayGrowth, ...]
    """The oldest first; the last one is today, up to now."""

    @property
    def bytes_each(self) -> float:
        return self.size / self.events if self.events else 0.0


def read_growth(store: Store, home: Home, days: int, now: datetime) -> JournalGrowth:
    """Size and growth. Days begin as clocks on the wall say."""
    first, last, oldest = store.read(lambda connection: connection.execute(FIRST_AND_LAST).fetchone())
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    starts = [today - timedelta(days=back) for back in range(days - 1, -1, -1)]
    numbers = [*(find_number_at(store, start.timestamp()) for start in starts), last + 1 if last else 0]
    pairs = zip(starts, numbers, numbers[1:], strict=False)
    return JournalGrowth(
        size=sum(_measure(f"{home.database}{end}") for end in SIDE_FILES),
        index_size=_measure(str(home.history_index)),
        events=last - first + 1 if last else 0,
        oldest=oldest,
        days=tuple(DayGrowth(f"{start:%Y-%m-%d}", max(end - number, 0)) for start, number, end in pairs),
    )


def _measure(path: str) -> int:
    try:
        return os.stat(path).st_size  # noqa: PTH116 - by name
    except OSError:
        return 0

"""Past events of a time, oldest first, a page at a time, each with the name of what it was decided on."""

from collections.abc import Iterator

from synaptic.store.basis import read_ahead
from synaptic.store.db import Connection, Store
from synaptic.store.entries import EVENT_COLUMNS, make_entry, select_rows
from synaptic.store.record import JournalEntry

PAGE_SIZE = 500
"""Numbers of events that are looked at together."""
SELECT_BOUNDS = "SELECT coalesce(min(id), 0), coalesce(max(id), -1) FROM events"
SELECT_TIME = "SELECT id, at FROM events WHERE id >= ? ORDER BY id LIMIT 1"
SELECT_SAID = f"SELECT {EVENT_COLUMNS}, NULL, NULL, NULL, basis FROM events"
"""Without what the agent was answered: it follows from the decision."""
SELECT_PAGE = f"{SELECT_SAID} WHERE id >= ? AND id <= ? AND at >= ? AND at <= ? AND (? = '' OR root = ?) ORDER BY id"

PastEvent = tuple[JournalEntry, int | None]


def find_numbers(store: Store, since: float, until: float) -> tuple[int, int]:
    """The first and last number of events of this time. Numbers grow with time, but for a clock that jumps."""

    def work(connection: Connection) -> tuple[int, int]:
        first, last = connection.execute(SELECT_BOUNDS).fetchone()
        return _find_first(connection, (first, last), since), min(_find_first(connection, (first, last), until), last)

    return store.read(work)


def iter_past_events(store: Store, times: tuple[float, float], root: str = "") -> Iterator[PastEvent]:
    """The events of a time, and of one project where it is named. No more than a page is in memory."""
    first, last = find_numbers(store, *times)
    for start in range(first, last + 1, PAGE_SIZE):
        end = min(start + PAGE_SIZE - 1, last)
        rows = select_rows(store, SELECT_PAGE, (start, end, *times, root, root))
        with read_ahead(store, {row[-1] for row in rows if isinstance(row[-1], int)}):
            for *row, basis in rows:
                yield make_entry(tuple(row)), basis if isinstance(basis, int) else None


def _find_first(connection: Connection, bounds: tuple[int, int], at: float) -> int:
    """The first number at or after a time, by halving; the one after the last where there is none."""
    low, high = bounds[0], bounds[1] + 1
    while low < high:
        middle = (low + high) // 2
        row = connection.execute(SELECT_TIME, (middle,)).fetchone()
        if row is None or row[1] >= at:
            high = middle
        else:
            low = int(row[0]) + 1
    return low

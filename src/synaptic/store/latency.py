"""How long the engine took for events, span by span. Of many events some are looked at, spread over all of them."""

from collections.abc import Mapping

import msgspec

from synaptic.store.db import Connection, Store
from synaptic.store.durations import CLASS_OF_MICROS
from synaptic.store.journal_filter import NEIGHBOURS, find_number_at

MOST_READ = 8_000
COUNT_CLASSES = f"""
WITH RECURSIVE numbers (n) AS (SELECT :first UNION ALL SELECT n + :every FROM numbers WHERE n + :every <= :last)
SELECT cast((at - :since) / :step AS INTEGER), {CLASS_OF_MICROS.format("micros")}, count(*)
FROM numbers JOIN events ON events.id = n WHERE at >= :since AND at < :until GROUP BY 1, 2
"""
NEWEST = "SELECT coalesce(max(id), 0) FROM events"


class LatencySpans(msgspec.Struct, frozen=True):
    """Durations by span of time, the oldest first, each as counts of classes."""

    spans: tuple[Mapping[int, int], ...]
    every: int
    """Every so many events one was looked at."""


def read_latency(store: Store, until: float, spans: int, step: float) -> LatencySpans:
    """How long events took in each of the last spans of time."""
    since = until - spans * step
    start = max(find_number_at(store, since) - NEIGHBOURS, 1)

    def work(connection: Connection) -> tuple[int, list[tuple[int, int, int]]]:
        last = int(connection.execute(NEWEST).fetchone()[0])
        every = max((last - start) // MOST_READ + 1, 1)
        values = {"first": start, "last": last, "every": every, "since": since, "until": until, "step": step}
        return every, connection.execute(COUNT_CLASSES, values).fetchall()

    every, rows = store.run_separately(work)
    found: list[dict[int, int]] = [{} for _ in range(spans)]
    for span, duration, count in rows:
        found[span][duration] = count
    return LatencySpans(tuple(found), every)

"""What happened since a moment, in numbers: quick also where the journal is long."""

import msgspec

from synaptic.store.db import Connection, Store
from synaptic.store.journal_filter import FAILED, JUDGED, NEIGHBOURS, find_number_at

MOST_VERDICTS = 2000
"""Of so many verdicts, from the newest back, the busiest policy is found."""
MOST_EVENTS = 2000
"""Of so many events the projects are named."""
COUNT_EVENTS = """
SELECT max(id) - (SELECT min(id) FROM events WHERE id >= ?1 AND at >= ?2) + 1 FROM events
"""
"""By their numbers: there are no gaps among those that are not pruned."""
COUNT_KINDS = f"SELECT kind, count(*) FROM events WHERE {JUDGED} AND id >= ? AND at >= ? GROUP BY kind"
COUNT_FAILED = f"SELECT count(*) FROM events WHERE {FAILED} AND id >= ? AND at >= ?"
SELECT_DECIDERS = f"""
SELECT by, count(*) FROM (
    SELECT CASE WHEN json_valid(decision) THEN json_extract(decision, '$.by') END AS by
    FROM events WHERE {JUDGED} AND kind IN ('deny', 'ask', 'rewrite')
    AND id >= ? AND at >= ? ORDER BY id DESC LIMIT {MOST_VERDICTS}
) WHERE by <> '' GROUP BY by ORDER BY count(*) DESC, by LIMIT 1
"""
SELECT_PROJECTS = f"""
SELECT root FROM (SELECT root FROM events WHERE id >= ? AND at >= ? ORDER BY id DESC LIMIT {MOST_EVENTS})
WHERE root <> '' GROUP BY root ORDER BY count(*) DESC, root
"""


class DayCounts(msgspec.Struct, frozen=True, kw_only=True):
    """Events, and what was said about them."""

    events: int = 0
    denied: int = 0
    asked: int = 0
    rewritten: int = 0
    failed: int = 0
    busiest: str = ""
    """The policy that has decided most often."""
    busiest_count: int = 0
    projects: tuple[str, ...] = ()
    """Of the newest events, the project with most of them first."""


def read_day_counts(store: Store, since: float) -> DayCounts:
    """Count what happened since a moment. Raises StoreError."""
    number = find_number_at(store, since)
    return store.read(lambda connection: _count(connection, number, since))


def _count(connection: Connection, number: int, since: float) -> DayCounts:
    bounds = (number - NEIGHBOURS, since)
    kinds = dict(connection.execute(COUNT_KINDS, bounds).fetchall())
    busiest = connection.execute(SELECT_DECIDERS, bounds).fetchone() or ("", 0)
    return DayCounts(
        events=connection.execute(COUNT_EVENTS, bounds).fetchone()[0] or 0,
        denied=kinds.get("deny", 0),
        asked=kinds.get("ask", 0),
        rewritten=kinds.get("rewrite", 0),
        failed=connection.execute(COUNT_FAILED, bounds).fetchone()[0],
        busiest=str(busiest[0]),
        busiest_count=busiest[1],
        projects=tuple(str(root) for (root,) in connection.execute(SELECT_PROJECTS, bounds)),
    )

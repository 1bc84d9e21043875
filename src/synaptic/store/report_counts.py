"""What the journal holds since a moment, counted: one pass over the columns, and the few events that were decided."""

from typing import Any, NamedTuple

import msgspec

from synaptic.model.text import to_utf8
from synaptic.store.db import Connection, Store
from synaptic.store.durations import CLASS_OF_MICROS
from synaptic.store.journal_filter import JUDGED, NEIGHBOURS, find_number_at

COUNT_EVENTS = f"""
SELECT root, agent, cast((at + ?3) / 86400 AS INTEGER), kind, event = 'PreToolUse', {CLASS_OF_MICROS.format("micros")},
count(*), sum(micros) FROM events WHERE id >= ?1 AND at >= ?2 GROUP BY 1, 2, 3, 4, 5, 6
"""
COUNT_POLICIES = f"""
SELECT CASE WHEN json_valid(decision) THEN coalesce(json_extract(decision, '$.by'), '') ELSE '' END, kind, count(*)
FROM (SELECT kind, decision FROM events WHERE {JUDGED} AND kind IN ('deny', 'ask', 'rewrite') AND id >= ?1 AND at >= ?2
ORDER BY id DESC LIMIT ?3) GROUP BY 1, 2
"""

SELECT_DECIDED = f"""
SELECT id FROM (SELECT id, decision FROM events WHERE {JUDGED} ORDER BY id DESC LIMIT ?3)
WHERE instr(decision, ?1) > 0 ORDER BY id DESC LIMIT ?2
"""


class EventCount(NamedTuple):
    """How many events were alike."""

    root: str
    agent: str
    day: int
    """Since 1970, where the clock on the wall is."""
    kind: str
    is_call: bool
    """As SQLite says it: 0 or 1."""
    duration: int
    """The class of what the engine took for it."""
    number: int
    micros: int


class PolicyCount(NamedTuple):
    """How often a policy or hook has decided something."""

    name: str
    kind: str
    number: int


def count_events_since(store: Store, since: float, offset: int) -> tuple[EventCount, ...]:
    """Count the events since a moment, in groups; days begin so many seconds before those of Greenwich."""
    rows = _read(store, COUNT_EVENTS, (since, offset))
    return tuple(EventCount._make(row) for row in rows)


def count_policies_since(store: Store, since: float, most: int = -1) -> tuple[PolicyCount, ...]:
    """Count who has decided since a moment; of so many decisions, from the newest back, or of all."""
    rows = _read(store, COUNT_POLICIES, (since, most))
    return tuple(PolicyCount(str(name), kind, number) for name, kind, number in rows)


def list_decided_events(store: Store, policy: str, most: int, searched: int) -> tuple[int, ...]:
    """The newest events that a policy has decided, of so many about which anything was said."""
    values = (f'"by":{msgspec.json.encode(to_utf8(policy)).decode()}', most, searched)
    rows = store.run_separately(lambda connection: connection.execute(SELECT_DECIDED, values).fetchall())
    return tuple(number for (number,) in rows)


def _read(store: Store, sql: str, values: tuple[float, ...]) -> list[tuple[Any, ...]]:
    first = find_number_at(store, values[0]) - NEIGHBOURS

    def work(connection: Connection) -> list[tuple[Any, ...]]:
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        return connection.execute(sql, (first, *values)).fetchall()

    return store.run_separately(work)

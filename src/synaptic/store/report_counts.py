"""What the journal holds since a moment, counted: one pass over the columns, and the few events that were decided."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from synaptic.model.text import to_utf8
from synaptic.store.db import Connection, Store
from synaptic.store.durations import CLASS_OF_MICROS
from synaptic.store.entries import read_text
from synaptic.store.journal_filter import JUDGED, NEIGHBOURS, find_number_at
from synaptic.store.mapped import map_file

EVENTS_PER_STEP = 5000
"""Events that are sorted into groups together: a million at once take twice as long."""
COUNT_EVENTS = f"""
SELECT root, agent, cast((at + ?3) / 86400 AS INTEGER), kind, event = 'PreToolUse', {CLASS_OF_MICROS.format("micros")},
count(*), sum(micros) FROM events WHERE id >= ?1 AND id < ?4 AND at >= ?2 GROUP BY 1, 2, 3, 4, 5, 6
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
    first = _find_first(store, since)

    def work(connection: Connection) -> dict[tuple[Any, ...], list[int]]:
        sums: dict[tuple[Any, ...], list[int]] = {}
        with map_file(connection):  # only `report` asks for this
            for row in _iter_counts(connection, first, (since, offset)):
                total = sums.setdefault(row[:-2], [0, 0])
                total[0] += row[-2]
                total[1] += row[-1]
        return sums

    counted = store.run_separately(work)
    return tuple(EventCount(read_text(key[0]), read_text(key[1]), *key[2:], *total) for key, total in counted.items())


def count_policies_since(store: Store, since: float, most: int = -1) -> tuple[PolicyCount, ...]:
    """Count who has decided since a moment; of so many decisions, from the newest back, or of all."""
    values = (_find_first(store, since), since, most)

    def work(connection: Connection) -> list[tuple[Any, ...]]:
        connection.text_factory = _decode_text
        return connection.execute(COUNT_POLICIES, values).fetchall()

    return tuple(PolicyCount(str(name), kind, number) for name, kind, number in store.run_separately(work))


def list_decided_events(store: Store, policy: str, most: int, searched: int) -> tuple[int, ...]:
    """The newest events that a policy has decided, of so many about which anything was said."""
    values = (f'"by":{msgspec.json.encode(to_utf8(policy)).decode()}', most, searched)
    rows = store.run_separately(lambda connection: connection.execute(SELECT_DECIDED, values).fetchall())
    return tuple(number for (number,) in rows)


def _iter_counts(connection: Connection, first: int, values: tuple[float, int]) -> Iterator[tuple[Any, ...]]:
    connection.text_factory = _decode_text
    last = connection.execute("SELECT coalesce(max(id), 0) FROM events").fetchone()[0]
    for start in range(first, last + 1, EVENTS_PER_STEP):
        # Up to the event that is the last one now: those that come meanwhile would keep it busy.
        yield from connection.execute(COUNT_EVENTS, (start, *values, min(start + EVENTS_PER_STEP, last + 1)))


def _find_first(store: Store, since: float) -> int:
    return max(find_number_at(store, since) - NEIGHBOURS, 0)


def _decode_text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")

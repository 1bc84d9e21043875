"""How long events and hooks took over all hosts, from counts in classes: within ten percent."""

from typing import Any

import msgspec

from synaptic.hub.server.database import Connection
from synaptic.hub.server.queries.denials import make_day_conditions
from synaptic.hub.server.queries.filter import HubFilter
from synaptic.hub.server.tallies import show_class

SELECT = """
WITH wanted AS (
  SELECT t.hook, sum(t.amount)::bigint AS amount, sum(t.faults)::bigint AS faults, sum(t.micros)::bigint AS micros,
    max(t.longest) AS longest, count(DISTINCT t.host) AS hosts
  FROM tallies t WHERE {where} GROUP BY t.hook ORDER BY t.hook <> '', sum(t.micros) DESC LIMIT %s
), summed AS (
  SELECT t.hook, c.place, sum(c.amount)::bigint AS amount
  FROM tallies t, unnest(t.classes) WITH ORDINALITY AS c (amount, place)
  WHERE c.amount > 0 AND t.hook IN (SELECT hook FROM wanted) AND {where} GROUP BY t.hook, c.place
), listed AS (
  SELECT hook, array_agg(place - 1 ORDER BY place) AS places, array_agg(amount ORDER BY place) AS amounts
  FROM summed GROUP BY hook
)
SELECT w.hook, w.amount, w.faults, w.micros, w.longest, w.hosts, l.places, l.amounts
FROM wanted w JOIN listed l USING (hook) ORDER BY w.hook <> '', w.micros DESC
"""


class LatencyRow(msgspec.Struct, frozen=True, kw_only=True):
    """One hook over all hosts; without a name it is the whole event. Times are microseconds."""

    hook: str
    runs: int
    faults: int
    hosts: int
    micros: int
    """All of its time together."""
    p50: float
    p95: float
    p99: float
    longest: int


async def list_latencies(connection: Connection, wanted: HubFilter) -> list[LatencyRow]:
    """The whole event first, then hooks by the time they cost; by whole days."""
    where = make_day_conditions(wanted)
    where.add_if(wanted.policy, "t.hook = %s")
    found = await connection.execute(
        SELECT.format(where=where.text).encode(), (*where.values, wanted.limit, *where.values)
    )
    return [_make_row(row) for row in await found.fetchall()]


def _make_row(row: tuple[Any, ...]) -> LatencyRow:
    hook, runs, faults, micros, longest, hosts, places, amounts = row
    classes = list(zip(places, amounts, strict=True))
    p50, p95, p99 = (min(find_quantile(classes, share), float(longest)) for share in (0.5, 0.95, 0.99))
    return LatencyRow(
        hook=hook, runs=runs, faults=faults, hosts=hosts, micros=micros, p50=p50, p95=p95, p99=p99, longest=longest
    )


def find_quantile(classes: list[tuple[int, int]], share: float) -> float:
    """The middle of the class in which so large a share is over."""
    wanted = share * sum(amount for _, amount in classes)
    for place, amount in classes:
        wanted -= amount
        if wanted <= 0:
            return show_class(place)
    return 0.0

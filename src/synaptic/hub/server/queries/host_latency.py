"""How long events took on each host, from counts in classes: within ten percent."""

import msgspec

from synaptic.hub.server.database import Connection
from synaptic.hub.server.queries.denials import make_day_conditions
from synaptic.hub.server.queries.filter import HubFilter
from synaptic.hub.server.queries.latency import find_quantile

SELECT = """
WITH wanted AS (
  SELECT t.host, sum(t.amount)::bigint AS amount, max(t.longest) AS longest
  FROM tallies t WHERE t.hook = '' AND {where} GROUP BY t.host
), summed AS (
  SELECT t.host, c.place, sum(c.amount)::bigint AS amount
  FROM tallies t, unnest(t.classes) WITH ORDINALITY AS c (amount, place)
  WHERE c.amount > 0 AND t.hook = '' AND {where} GROUP BY t.host, c.place
), listed AS (
  SELECT host, array_agg(place - 1 ORDER BY place) AS places, array_agg(amount ORDER BY place) AS amounts
  FROM summed GROUP BY host
)
SELECT h.id, w.amount, w.longest, l.places, l.amounts FROM wanted w JOIN listed l USING (host)
JOIN hosts h ON h.number = w.host
"""


class HostLatency(msgspec.Struct, frozen=True):
    """One host. Times are microseconds."""

    host: str
    events: int
    p50: float
    p95: float
    longest: int


async def list_host_latencies(connection: Connection, wanted: HubFilter) -> list[HostLatency]:
    """The slowest first; by whole days."""
    where = make_day_conditions(wanted)
    found = await connection.execute(SELECT.format(where=where.text).encode(), (*where.values, *where.values))
    rows = [_make_row(*row) for row in await found.fetchall()]
    return sorted(rows, key=lambda one: (-one.p95, one.host))[: wanted.limit]


def _make_row(host: str, events: int, longest: int, places: list[int], amounts: list[int]) -> HostLatency:
    classes = list(zip(places, amounts, strict=True))
    p50, p95 = (min(find_quantile(classes, share), float(longest)) for share in (0.5, 0.95))
    return HostLatency(host, events, p50, p95, longest)

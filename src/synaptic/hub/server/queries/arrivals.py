"""What came in since a look: events in the order of their hosts' sequences, whatever their clocks say."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

import msgspec

from synaptic.hub.server.database import Connection
from synaptic.hub.server.queries.events import COLUMNS, EventRow, make_row

MOST_ROWS = 200
MOST_OF_HOST = 50
RECENT = timedelta(2)
"""What is older was late: it has its place further down, and is no news."""
SELECT = f"""
SELECT {COLUMNS}
FROM unnest(%s::int[], %s::bigint[], %s::bigint[]) AS step (host, after, until)
CROSS JOIN LATERAL (
  SELECT * FROM events one
  WHERE one.host = step.host AND one.seq > step.after AND one.seq <= step.until AND one.day >= %s
  ORDER BY one.seq DESC LIMIT {MOST_OF_HOST}
) e JOIN hosts h ON h.number = e.host ORDER BY e.at DESC LIMIT {MOST_ROWS}
"""


class ArrivalStep(msgspec.Struct, frozen=True):
    """How far one host came."""

    host: int
    after: int
    until: int


async def read_marks(connection: Connection) -> dict[int, int]:
    """Up to where the hub has the events of each host."""
    found = await connection.execute("SELECT number, seq FROM hosts")
    return dict(await found.fetchall())


def find_steps(before: Mapping[int, int], now: Mapping[int, int]) -> list[ArrivalStep]:
    """The hosts that came further."""
    return [ArrivalStep(host, before.get(host, 0), seq) for host, seq in now.items() if seq > before.get(host, 0)]


async def list_arrivals(connection: Connection, steps: Sequence[ArrivalStep]) -> list[EventRow]:
    """The newest of what came, the oldest of them first; of very many only the newest."""
    columns = [one.host for one in steps], [one.after for one in steps], [one.until for one in steps]
    found = await connection.execute(SELECT.encode(), (*columns, (datetime.now(UTC) - RECENT).date()))
    return [make_row(row) for row in reversed(await found.fetchall())]

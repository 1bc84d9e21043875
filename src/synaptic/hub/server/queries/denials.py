"""What policies refused and asked about, counted by policy over all hosts; the events themselves are in `events`."""

import msgspec

from synaptic.hub.server.database import Connection
from synaptic.hub.server.queries.filter import Conditions, HubFilter

SELECT = """
SELECT t.hook, coalesce(sum(t.amount) FILTER (WHERE t.kind = 'deny'), 0)::bigint,
  coalesce(sum(t.amount) FILTER (WHERE t.kind = 'ask'), 0)::bigint, count(DISTINCT t.host), max(t.day)::text
FROM tallies t WHERE t.hook <> '' AND t.kind IN ('deny', 'ask') AND {}
GROUP BY t.hook ORDER BY 2 DESC, 3 DESC, 1 LIMIT %s
"""
DAYS = """
SELECT t.day::text, sum(t.amount)::bigint, coalesce(sum(t.amount) FILTER (WHERE t.kind = 'deny'), 0)::bigint,
  coalesce(sum(t.amount) FILTER (WHERE t.kind = 'ask'), 0)::bigint, count(DISTINCT t.host)
FROM tallies t WHERE t.hook = '' AND {} GROUP BY t.day ORDER BY t.day DESC LIMIT %s
"""


class DenialRow(msgspec.Struct, frozen=True):
    """One policy: how often it refused and asked, on how many hosts, and when last."""

    policy: str
    denied: int
    asked: int
    hosts: int
    last_day: str


class DayRow(msgspec.Struct, frozen=True):
    """One day of all hosts."""

    day: str
    events: int
    denied: int
    asked: int
    hosts: int


async def list_denials(connection: Connection, wanted: HubFilter) -> list[DenialRow]:
    """By whole days: `since` and `until` mean the days that they are in."""
    where = make_day_conditions(wanted)
    where.add_if(wanted.policy, "t.hook = %s")
    found = await connection.execute(SELECT.format(where.text).encode(), (*where.values, wanted.limit))
    return [DenialRow(*row) for row in await found.fetchall()]


async def list_days(connection: Connection, wanted: HubFilter) -> list[DayRow]:
    """The newest first."""
    where = make_day_conditions(wanted)
    found = await connection.execute(DAYS.format(where.text).encode(), (*where.values, wanted.limit))
    return [DayRow(*row) for row in await found.fetchall()]


def make_day_conditions(wanted: HubFilter) -> Conditions:
    where = Conditions()
    where.add("t.day BETWEEN %s AND %s", wanted.first_day, wanted.last_day)
    where.add_if(wanted.host, "t.host = (SELECT number FROM hosts WHERE id = %s)")
    return where

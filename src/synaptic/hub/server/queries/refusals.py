"""Where policies refused and asked: by host, and by project."""

import msgspec

from synaptic.hub.server.database import Connection
from synaptic.hub.server.queries.denials import make_day_conditions
from synaptic.hub.server.queries.filter import Conditions, HubFilter

BY_HOST = """
SELECT h.id, sum(t.amount)::bigint, coalesce(sum(t.amount) FILTER (WHERE t.kind = 'deny'), 0)::bigint,
  coalesce(sum(t.amount) FILTER (WHERE t.kind = 'ask'), 0)::bigint
FROM tallies t JOIN hosts h ON h.number = t.host WHERE t.hook = '' AND {} GROUP BY h.id
HAVING sum(t.amount) FILTER (WHERE t.kind IN ('deny', 'ask')) > 0 ORDER BY 3 DESC, 4 DESC, 1 LIMIT %s
"""
BY_PROJECT = """
SELECT s.project, sum(s.events)::bigint, sum(s.refused)::bigint, count(DISTINCT s.host), max(s.last_at)
FROM sessions s WHERE s.refused > 0 AND {} GROUP BY s.project ORDER BY 3 DESC, 1 LIMIT %s
"""


class HostRefusals(msgspec.Struct, frozen=True):
    """One host: its events, and how many of them were denied and asked about."""

    host: str
    events: int
    denied: int
    asked: int


class ProjectRefusals(msgspec.Struct, frozen=True):
    """One project, over its sessions in which something was refused."""

    project: str
    events: int
    refused: int
    hosts: int
    last_at: float


async def count_by_host(connection: Connection, wanted: HubFilter) -> list[HostRefusals]:
    """By whole days."""
    where = make_day_conditions(wanted)
    found = await connection.execute(BY_HOST.format(where.text).encode(), (*where.values, wanted.limit))
    return [HostRefusals(*row) for row in await found.fetchall()]


async def count_by_project(connection: Connection, wanted: HubFilter) -> list[ProjectRefusals]:
    """Sessions that went on after `since` count whole."""
    where = Conditions()
    where.add_if(wanted.since, "s.last_at >= %s")
    where.add_if(wanted.host, "s.host = (SELECT number FROM hosts WHERE id = %s)")
    found = await connection.execute(BY_PROJECT.format(where.text).encode(), (*where.values, wanted.limit))
    return [ProjectRefusals(*row) for row in await found.fetchall()]

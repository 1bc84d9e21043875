"""Which hosts there are: version, bundle, how far behind, what their agents do."""

from typing import Any

import msgspec

from synaptic.hub.server.database import Connection
from synaptic.hub.server.queries.filter import Conditions, HubFilter
from synaptic.hub.wire import HostStatus

SELECT = """
SELECT h.id, h.name, h.seq, h.is_managed, h.joined_at, greatest(h.seen_at, h.joined_at), h.revoked_at,
  s.version, s.bundle, s.newest, s.body::text
FROM hosts h LEFT JOIN statuses s ON s.host = h.number WHERE {} ORDER BY h.number LIMIT %s
"""


class HostRow(msgspec.Struct, frozen=True, kw_only=True):
    """One host, with the last it has said of itself."""

    id: str
    name: str
    seq: int
    """Up to where the hub has its events."""
    newest: int
    """The newest it has, as far as it has said."""
    is_managed: bool
    joined_at: float
    seen_at: float
    revoked_at: float | None = None
    version: str = ""
    bundle: str = ""
    status: HostStatus | None = None

    @property
    def behind(self) -> int:
        """About how many events the hub does not have; sequences have gaps."""
        return max(self.newest - self.seq, 0)


class VersionRow(msgspec.Struct, frozen=True):
    """How many hosts run a version with a bundle."""

    version: str
    bundle: str
    hosts: int


async def list_hosts(connection: Connection, wanted: HubFilter) -> list[HostRow]:
    """By the order in which they joined; `before` is the last name of the page before."""
    where = Conditions()
    where.add_if(wanted.host, "h.id = %s")
    where.add_if(wanted.before, "h.number > (SELECT number FROM hosts WHERE id = %s)")
    where.add_if(wanted.q and f"%{wanted.q.lower()}%", "lower(h.id || ' ' || h.name) LIKE %s")
    where.add_if(wanted.since, "h.seen_at >= %s")
    found = await connection.execute(SELECT.format(where.text), (*where.values, wanted.limit))
    return [_make_row(row) for row in await found.fetchall()]


async def count_versions(connection: Connection, wanted: HubFilter) -> list[VersionRow]:
    """Who runs what, of those that are not revoked."""
    found = await connection.execute(
        "SELECT coalesce(s.version, ''), coalesce(s.bundle, ''), count(*) FROM hosts h"
        " LEFT JOIN statuses s ON s.host = h.number WHERE h.revoked_at IS NULL AND h.seen_at >= %s"
        " GROUP BY 1, 2 ORDER BY 3 DESC LIMIT %s",
        (wanted.since, wanted.limit),
    )
    return [VersionRow(*row) for row in await found.fetchall()]


def _make_row(row: tuple[Any, ...]) -> HostRow:
    return HostRow(
        id=row[0], name=row[1], seq=row[2], is_managed=row[3], joined_at=row[4], seen_at=row[5], revoked_at=row[6],
        version=row[7] or "", bundle=row[8] or "", newest=row[9] or 0, status=read_status(row[10]),
    )  # fmt: skip


def read_status(text: str | None) -> HostStatus | None:
    """What a host has said; a version of the hub that knows less reads what it knows."""
    try:
        return msgspec.json.decode(text, type=HostStatus) if text else None
    except msgspec.MsgspecError:
        return None

"""Who overrode what: exceptions that people have made on their hosts, the newest first."""

import msgspec

from synaptic.hub.server.database import Connection
from synaptic.hub.server.queries.filter import Conditions, HubFilter

SELECT = """
SELECT h.id, g.id, g.at, g.policy, g.scope, g.granted_by, g.uses, g.last_used, g.expires, g.revoked, g.project, g.shown
FROM grants g JOIN hosts h ON h.number = g.host WHERE {} ORDER BY g.at DESC, h.id, g.id LIMIT %s
"""


class OverrideRow(msgspec.Struct, frozen=True, kw_only=True):
    """One exception."""

    host: str
    id: str
    at: float
    policy: str
    scope: str
    granted_by: str
    uses: int
    last_used: float
    expires: float
    revoked: float
    project: str
    shown: str


async def list_overrides(connection: Connection, wanted: HubFilter) -> list[OverrideRow]:
    where = Conditions()
    where.add_if(wanted.host, "h.id = %s")
    where.add_if(wanted.policy, "g.policy = %s")
    where.add_if(wanted.since, "greatest(g.at, g.last_used) >= %s")
    where.add_if(wanted.until, "g.at < %s")
    if wanted.q:
        where.add("strpos(lower(concat_ws(' ', g.policy, g.granted_by, g.project, g.shown)), lower(%s)) > 0", wanted.q)
    found = await connection.execute(SELECT.format(where.text).encode(), (*where.values, wanted.limit))
    return [OverrideRow(**dict(zip(OverrideRow.__struct_fields__, row, strict=True))) for row in await found.fetchall()]

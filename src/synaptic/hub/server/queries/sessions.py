"""Sessions of all hosts, those that went on last first."""

import msgspec

from synaptic.hub.server.database import Connection
from synaptic.hub.server.queries.filter import Conditions, HubFilter
from synaptic.hub.server.refused import RequestError

SELECT = """
SELECT h.id, s.session, s.agent, s.project, s.first_at, s.last_at, s.first_seq, s.last_seq, s.events, s.refused, s.host
FROM sessions s JOIN hosts h ON h.number = s.host WHERE {}
ORDER BY s.last_at DESC, s.host, s.session LIMIT %s
"""


class SessionRow(msgspec.Struct, frozen=True, kw_only=True):
    """One session: how long, how many events, how many of them were refused or asked about."""

    host: str
    session: str
    agent: str
    project: str
    first_at: float
    last_at: float
    first_seq: int
    last_seq: int
    events: int
    refused: int
    place: str = ""


async def list_sessions(connection: Connection, wanted: HubFilter) -> list[SessionRow]:
    """`q` is a part of the project or the session."""
    where = Conditions()
    where.add_if(wanted.host, "h.id = %s")
    where.add_if(wanted.session, "s.session = %s")
    where.add_if(wanted.agent, "s.agent = %s")
    where.add_if(wanted.since, "s.last_at >= %s")
    where.add_if(wanted.until, "s.first_at < %s")
    if wanted.kind == "refused":
        where.add("s.refused > 0")
    if wanted.q:
        where.add("strpos(lower(s.project || ' ' || s.session), lower(%s)) > 0", wanted.q)
    if wanted.before:
        at, host, session = _read_place(wanted.before)
        where.add("(s.last_at < %s OR s.last_at = %s AND (s.host, s.session) > (%s, %s))", at, at, host, session)
    found = await connection.execute(SELECT.format(where.text).encode(), (*where.values, wanted.limit))
    return [
        SessionRow(
            **dict(zip(SessionRow.__struct_fields__, row[:-1], strict=False)), place=f"{row[5]!r}_{row[10]}_{row[1]}"
        )
        for row in await found.fetchall()
    ]


def _read_place(text: str) -> tuple[float, int, str]:
    """Raises RequestError."""
    try:
        at, host, session = text.split("_", 2)
        return float(at), int(host), session
    except ValueError as error:
        raise RequestError(400, "`before` is no place of a row") from error

"""One event of one host."""

from synaptic.hub.server.database import Connection
from synaptic.hub.server.queries.events import COLUMNS, EventRow, make_row

SELECT = f"""
SELECT {COLUMNS} FROM events e JOIN hosts h ON h.number = e.host
WHERE e.host = (SELECT number FROM hosts WHERE id = %s) AND e.seq = %s LIMIT 1
"""


async def find_event(connection: Connection, host: str, seq: int) -> EventRow | None:
    """By the sequence under which its host has shipped it."""
    row = await (await connection.execute(SELECT.encode(), (host, seq))).fetchone()
    return make_row(row) if row else None

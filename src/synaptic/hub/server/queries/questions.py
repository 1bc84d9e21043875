"""Questions that wait on hosts for a person, held calls first, then the newest, and what was answered already."""

import msgspec

from synaptic.hub.server.database import Connection
from synaptic.hub.server.queries.filter import Conditions, HubFilter
from synaptic.hub.wire import HostQuestion

SELECT = """
SELECT h.id, q.body::text, a.says, a.person, a.at FROM (
  SELECT *, coalesce((body ->> 'is_held')::boolean, false) AS is_held,
    row_number() OVER (PARTITION BY host ORDER BY coalesce((body ->> 'is_held')::boolean, false) DESC, at DESC) AS place
  FROM questions
) q JOIN hosts h ON h.number = q.host
LEFT JOIN LATERAL (
  SELECT says, person, at FROM answers WHERE host = q.host AND mark = q.mark ORDER BY number DESC LIMIT 1
) a ON true
WHERE h.revoked_at IS NULL AND {}
ORDER BY q.place > 20, q.is_held DESC, q.at DESC, h.id, q.mark LIMIT %s
"""
"""The first 20 of each host come before more of any: no host that asks a lot, or lies, hides what others ask."""


class QuestionRow(msgspec.Struct, frozen=True, kw_only=True):
    """One question of one host. An answer is on its way as long as the host still has the question."""

    host: str
    question: HostQuestion
    says: str = ""
    person: str = ""
    answered_at: float = 0.0


async def list_questions(connection: Connection, wanted: HubFilter) -> list[QuestionRow]:
    where = Conditions()
    where.add_if(wanted.host, "h.id = %s")
    where.add_if(wanted.since, "q.at >= %s")
    found = await connection.execute(SELECT.format(where.text).encode(), (*where.values, wanted.limit))
    return [
        QuestionRow(
            host=host, question=msgspec.json.decode(body, type=HostQuestion),
            says=says or "", person=person or "", answered_at=at or 0.0,
        )
        for host, body, says, person, at in await found.fetchall()
    ]  # fmt: skip

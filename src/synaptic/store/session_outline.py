"""What a session was in outline: one short row an event, without what was sent and said."""

import msgspec

from synaptic.store.db import Connection, Store

MOST_EVENTS = 50_000
"""Events of one session that an outline has, the newest: a longer one is read on the timeline."""
SELECT_ROWS = (
    "SELECT id, at, event, tool, kind, agent_id FROM events WHERE session = ? AND id > ? ORDER BY id DESC LIMIT ?"
)
SELECT_FAILED = """
SELECT id FROM events WHERE instr(decision, '"fault":"') > 0 AND id >= ? AND id <= ? AND +session = ?
"""
"""By the index of failures alone: there are few of them, in whatever session."""

SELECT_SPAN = """
SELECT (SELECT min(id) FROM events WHERE session = ?1), (SELECT max(id) FROM events WHERE session = ?1)
"""


class OutlineRow(msgspec.Struct, frozen=True):
    """One event in outline."""

    id: int
    at: float
    event: str
    tool: str
    kind: str
    subagent: str
    failed: bool = False


def read_outline_rows(store: Store, session: str, after: int = 0, most: int = MOST_EVENTS) -> list[OutlineRow]:
    """The newest events of a session after one, oldest first."""

    def work(connection: Connection) -> list[OutlineRow]:
        rows: list[tuple[int, float, str, str, str, str]]
        rows = connection.execute(SELECT_ROWS, (session, after, most)).fetchall()[::-1]
        span = (rows[0][0], rows[-1][0], session) if rows else (0, 0, session)
        failed = {number for (number,) in connection.execute(SELECT_FAILED, span)}
        return [OutlineRow(*row, row[0] in failed) for row in rows]

    return store.read(work)


def read_session_span(store: Store, session: str) -> tuple[int, int]:
    """The first and the newest event of a session; zeros where there is none."""
    row = store.read(lambda connection: connection.execute(SELECT_SPAN, (session,)).fetchone())
    return (row[0] or 0, row[1] or 0)

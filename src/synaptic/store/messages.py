"""The stored dialogue of sessions: prompts, answers, failures, in order; and what transcripts add to it."""

from collections.abc import Collection

import msgspec

from synaptic.model.layers import TranscriptNews
from synaptic.store.db import Connection, Store
from synaptic.store.layer_effects import replace_surrogates

SELECT_MESSAGES = "SELECT id, session_id, role, content, tool_name, timestamp FROM messages"


SELECT_OFFSET = """
SELECT max(o.ingested_offset) FROM sessions s JOIN sessions o
    ON o.id = s.id OR s.host_session != '' AND o.host_session = s.host_session
WHERE s.id = ?1 AND (o.id = s.id OR o.transcript_path = ?2)
"""
"""One transcript may have several sessions, as after a compaction: what one has taken in, the next does not repeat."""
UPDATE_OFFSET = """
UPDATE sessions SET ingested_offset = ?3, transcript_path = ?2 WHERE id = ?1 OR transcript_path = ?2
    AND host_session != '' AND host_session = (SELECT host_session FROM sessions WHERE id = ?1)
"""
INSERT_MESSAGE = "INSERT INTO messages (session_id, role, content, tool_name, timestamp) VALUES (?, ?, ?, ?, ?)"


class DialogueMessage(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a dialogue."""

    id: int
    session: int
    role: str
    content: str
    tool: str = ""
    at: float = 0.0


def find_ingested(store: Store, session: int, path: str) -> int:
    """Up to which byte a transcript was taken in; 0 for one that nobody has begun."""
    return store.read(lambda connection: _select_offset(connection, session, path))


def ingest_news(connection: Connection, news: TranscriptNews) -> None:
    """In a transaction: messages of a transcript, once, and the place up to which they were read."""
    session = news.session
    # Two events of a session may have read the same lines.
    if _select_offset(connection, session, news.path) != news.known:
        return
    connection.execute(UPDATE_OFFSET, (session, replace_surrogates(news.path), news.end))
    if connection.execute("SELECT 1 FROM sessions WHERE id = ?", (session,)).fetchone():
        values = ((session, one.role, one.content, one.tool or None, one.at) for one in news.messages)
        connection.executemany(INSERT_MESSAGE, values)


def _select_offset(connection: Connection, session: int, path: str) -> int:
    row = connection.execute(SELECT_OFFSET, (session, replace_surrogates(path))).fetchone()
    return int(row[0] or 0)


def of_sessions(
    store: Store, sessions: Collection[int], limit: int | None = None, *, newest: bool = False
) -> list[DialogueMessage]:
    """The first messages of some sessions, or the last ones; the oldest of them first."""
    marks = ", ".join("?" * len(sessions))
    order = "DESC" if newest else "ASC"
    sql = f"{SELECT_MESSAGES} WHERE session_id IN ({marks}) ORDER BY id {order} LIMIT ?"
    rows = store.read(
        lambda connection: connection.execute(sql, (*sessions, -1 if limit is None else limit)).fetchall()
    )
    found = [
        DialogueMessage(id=number, session=session, role=role, content=content, tool=tool or "", at=at)
        for number, session, role, content, tool, at in rows
    ]
    return found[::-1] if newest else found

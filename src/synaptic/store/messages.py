"""The dialogue of sessions: questions, answers, failures; in the order in which they happened."""

import msgspec

from synaptic.store import windows
from synaptic.store.db import Store

SELECT = "SELECT id, session_id, role, content, tool_name, timestamp FROM messages"


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a dialogue."""

    id: int
    session: int
    role: str
    content: str
    tool: str = ""
    at: float = 0.0


def of_session(store: Store, session: int, limit: int | None = None) -> list[Message]:
    """The first messages of a session. Raises LayerError for one that is not there."""
    windows.required(store, session)
    return _read(store, f"{SELECT} WHERE session_id = ? ORDER BY id LIMIT ?", (session, -1 if limit is None else limit))


def newest(store: Store, sessions: tuple[int, ...], limit: int) -> list[Message]:
    """The last messages of some sessions, the oldest of them first."""
    marks = ", ".join("?" * len(sessions))
    sql = f"{SELECT} WHERE session_id IN ({marks}) ORDER BY id DESC LIMIT ?"
    return _read(store, sql, (*sessions, limit))[::-1]


def _read(store: Store, sql: str, values: tuple[object, ...]) -> list[Message]:
    rows = store.read(lambda connection: connection.execute(sql, values).fetchall())
    return [
        Message(id=number, session=session, role=role, content=content, tool=tool or "", at=at)
        for number, session, role, content, tool, at in rows
    ]

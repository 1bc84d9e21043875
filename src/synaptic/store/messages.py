"""Read the stored dialogue of sessions: prompts, answers, failures, in order."""

from collections.abc import Collection

import msgspec

from synaptic.store.db import Store

SELECT_MESSAGES = "SELECT id, session_id, role, content, tool_name, timestamp FROM messages"


class DialogueMessage(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a dialogue."""

    id: int
    session: int
    role: str
    content: str
    tool: str = ""
    at: float = 0.0


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

"""Sessions that are at work now, each with its last step: found among the newest events of a journal of any length."""

from typing import Any

import msgspec

from synaptic.model.layers import BLOCK_AFTER
from synaptic.store.db import Connection, Store
from synaptic.store.journal_filter import read_numbered_entries
from synaptic.store.record import JournalEntry

MOST_READ = 2000
"""Of so many events, from the newest back, sessions are found."""
ENDED = "SessionEnd"
SELECT_NEWEST = """
SELECT session, max(id) FROM (SELECT id, session FROM events ORDER BY id DESC LIMIT ?) WHERE session <> ''
GROUP BY session ORDER BY max(id) DESC LIMIT ?
"""
SELECT_WINDOW = """
SELECT s.heartbeat_counter, s.context_usage, e.current_phase,
CASE WHEN json_valid(e.metadata) THEN json_extract(e.metadata, '$.blockAfter') END
FROM sessions s LEFT JOIN efforts e ON e.id = s.effort_id AND e.lifecycle = 'active'
WHERE s.host_session = ? AND s.subagent = '' ORDER BY s.id DESC LIMIT 1
"""
SELECT_AGENT = "SELECT id, label, status, named FROM agents WHERE host_session = ? ORDER BY updated_at DESC LIMIT 1"


class SessionLane(msgspec.Struct, frozen=True, kw_only=True):
    """One session that goes on."""

    session: str
    agent: str
    root: str
    last: JournalEntry
    name: str = ""
    """The agent's own, where it has one."""
    status: str = ""
    phase: str = ""
    heartbeat: int | None = None
    limit: int = BLOCK_AFTER
    context: float | None = None


def read_lanes(store: Store, since: float, most: int) -> tuple[SessionLane, ...]:
    """Sessions that were heard of since a moment and have not ended, the one that was heard of last first."""
    newest = store.read(lambda connection: connection.execute(SELECT_NEWEST, (MOST_READ, most)).fetchall())
    known = read_numbered_entries(store, [number for _, number in newest])
    living = [one for _, number in newest if (one := known.get(number)) and one.at >= since and one.event != ENDED]
    return tuple(store.read(lambda connection: [_describe(connection, one) for one in living]))


def _describe(connection: Connection, last: JournalEntry) -> SessionLane:
    beat, context, phase, limit = _fetch(connection, SELECT_WINDOW, last.session, 4)
    name, label, status, is_named = _fetch(connection, SELECT_AGENT, last.session, 4)
    return SessionLane(
        session=last.session,
        agent=last.agent,
        root=last.root,
        last=last,
        name=str(label or (name if is_named else "") or ""),
        status=str(status or ""),
        phase=str(phase or ""),
        heartbeat=beat,
        limit=int(limit) if isinstance(limit, int | float) else BLOCK_AFTER,
        context=context,
    )


def _fetch(connection: Connection, sql: str, session: str, width: int) -> tuple[Any, ...]:
    found: tuple[Any, ...] | None = connection.execute(sql, (session,)).fetchone()
    return found or (None,) * width

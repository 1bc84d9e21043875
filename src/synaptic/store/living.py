"""Sessions that were heard of lately, and what moved in them: found once, then followed by the numbers of events."""

import msgspec

from synaptic.model.layers import BLOCK_AFTER
from synaptic.store.db import Connection, Store

SELECT_HEARD = """
WITH RECURSIVE names(session) AS (
    SELECT min(session) FROM events WHERE session > ''
    UNION ALL
    SELECT (SELECT min(session) FROM events WHERE session > names.session) FROM names WHERE names.session IS NOT NULL
)
SELECT e.session, e.id, e.at FROM names JOIN events e
    ON e.id = (SELECT max(id) FROM events WHERE session = names.session)
WHERE names.session IS NOT NULL AND e.at >= ? ORDER BY e.id DESC LIMIT ?
"""
"""From name to name in the index of sessions: the events between are not read, however many there are."""
MOVE_COLUMNS = "id, at, session, agent, agent_id, root, event, kind"
SELECT_MOVES = f"SELECT {MOVE_COLUMNS} FROM events WHERE id > ? ORDER BY id LIMIT ?"
SELECT_LAST_MOVES = f"SELECT {MOVE_COLUMNS} FROM events WHERE session = ? AND id <= ? ORDER BY id DESC LIMIT ?"
SELECT_COUNTS = """
SELECT coalesce(sum(event = 'PreToolUse'), 0), coalesce(sum(kind = 'deny'), 0) FROM events WHERE session = ? AND id <= ?
"""
SELECT_WINDOWS = """
SELECT s.host_session, s.heartbeat_counter, s.last_heartbeat, s.context_usage, e.id, e.skill, e.current_phase,
       e.task_id, CASE WHEN json_valid(e.metadata) THEN json_extract(e.metadata, '$.blockAfter') END
FROM sessions s JOIN efforts e ON e.id = s.effort_id
WHERE s.ended_at IS NULL AND s.subagent = '' AND s.host_session <> '' AND e.lifecycle = 'active'
ORDER BY s.id DESC LIMIT ?
"""
MOST_WINDOWS = 500


class SessionMove(msgspec.Struct, frozen=True):
    """One event, as far as it moves its session."""

    id: int
    at: float
    session: str
    agent: str
    agent_id: str
    root: str
    event: str
    kind: str


class OpenWindow(msgspec.Struct, frozen=True, kw_only=True):
    """The context window of an active effort that a session is now."""

    session: str
    heartbeat: int
    beat_at: float
    usage: float | None
    effort: int
    skill: str
    phase: str
    task: str
    limit: int


def find_newest_number(store: Store) -> int:
    """The number of the newest event; 0 where there is none."""
    return store.read(lambda connection: int(connection.execute("SELECT max(id) FROM events").fetchone()[0] or 0))


def list_heard_sessions(store: Store, since: float, most: int) -> tuple[str, ...]:
    """Sessions that were heard of since a moment, the one that was heard of last first."""
    return tuple(str(row[0]) for row in store.read(lambda one: one.execute(SELECT_HEARD, (since, most)).fetchall()))


def read_moves_after(store: Store, number: int, most: int) -> tuple[SessionMove, ...]:
    """What came after an event, oldest first."""
    return _select_moves(store, SELECT_MOVES, (number, most))


def read_last_moves(store: Store, session: str, until: int, most: int) -> tuple[SessionMove, ...]:
    """The last events of a session up to one, newest first."""
    return _select_moves(store, SELECT_LAST_MOVES, (session, until, most))


def count_moves(store: Store, session: str, until: int) -> tuple[int, int]:
    """How many tool calls a session made up to an event, and how many of its events were denied."""
    row = store.read(lambda connection: connection.execute(SELECT_COUNTS, (session, until)).fetchone())
    return int(row[0]), int(row[1])


def list_open_windows(store: Store) -> tuple[OpenWindow, ...]:
    """The open windows of active efforts whose session is known, newest first."""
    return store.read(_read_windows)


def _read_windows(connection: Connection) -> tuple[OpenWindow, ...]:
    rows = connection.execute(SELECT_WINDOWS, (MOST_WINDOWS,)).fetchall()
    return tuple(
        OpenWindow(
            session=host, heartbeat=beat or 0, beat_at=at or 0.0, usage=usage, effort=effort, skill=skill,
            phase=phase or "", task=task, limit=int(limit) if isinstance(limit, int | float) else BLOCK_AFTER,
        )
        for host, beat, at, usage, effort, skill, phase, task, limit in rows
    )  # fmt: skip


def _select_moves(store: Store, sql: str, values: tuple[object, ...]) -> tuple[SessionMove, ...]:
    def read(connection: Connection) -> tuple[SessionMove, ...]:
        # A name that is no text must not hide all others.
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        try:
            return tuple(SessionMove(*row) for row in connection.execute(sql, values))
        finally:
            connection.text_factory = str

    return store.read(read)

"""The agents' sessions a page at a time, the one that was heard of last first: bounded however long the journal is."""

import msgspec

from synaptic.model.errors import LayerError
from synaptic.store.agent_sessions import SELECT_USAGE, AgentSession
from synaptic.store.db import Connection, Store

MOST_COUNTED = 2000
"""Events of each session that are counted, the newest."""
MOST_LOOKED_AT = 60
"""Sessions that are looked through on one page for those that are wanted."""
SELECT_SPANS = """
WITH RECURSIVE names (session) AS (
  SELECT min(session) FROM events WHERE session > ''
  UNION ALL SELECT (SELECT min(session) FROM events WHERE session > names.session) FROM names
  WHERE names.session IS NOT NULL
)
SELECT session, (SELECT max(id) FROM events WHERE events.session = names.session) AS last FROM names
WHERE session IS NOT NULL AND last < ? ORDER BY last DESC
"""
"""From one session to the next in the index: what it costs grows with sessions, never with events."""
SELECT_COUNTS = f"""
SELECT min(at), max(at), count(*), sum(event = 'UserPromptSubmit'), sum(event = 'PreToolUse'), sum(kind = 'deny'),
sum(kind = 'ask'), sum(kind = 'rewrite')
FROM (SELECT at, event, kind FROM events WHERE session = ? ORDER BY id DESC LIMIT {MOST_COUNTED})
"""
SELECT_FIRST = "SELECT at FROM events WHERE session = ? ORDER BY id LIMIT 1"
SELECT_LAST = "SELECT agent, root FROM events WHERE id = ?"


class WantedSessions(msgspec.Struct, frozen=True, kw_only=True):
    """Which sessions a page shows."""

    project: str = ""
    """Its root, or the name of its folder."""
    agent: str = ""
    denied: bool = False
    """Only those in which something was refused lately."""


class ListedSession(msgspec.Struct, frozen=True):
    """A session of a page."""

    found: AgentSession
    last_number: int
    """Its newest event."""

    @property
    def is_whole(self) -> bool:
        """Whether all its events were counted."""
        return self.found.events < MOST_COUNTED


class SessionPage(msgspec.Struct, frozen=True):
    """Some sessions, and the event before which the next page's are; 0 where there are none."""

    sessions: tuple[ListedSession, ...]
    further: int


def list_sessions_before(store: Store, wanted: WantedSessions, most: int, before: int) -> SessionPage:
    """Sessions whose newest event is before one."""
    spans = store.run_separately(lambda connection: connection.execute(SELECT_SPANS, (before,)).fetchall())
    found: list[ListedSession] = []
    for place, (session, last) in enumerate(spans):
        if len(found) >= most or place >= MOST_LOOKED_AT:
            return SessionPage(tuple(found), spans[place - 1][1])
        if one := _find(store, wanted, session, last):
            found.append(one)
    return SessionPage(tuple(found), 0)


def find_listed_session(store: Store, session: str) -> ListedSession:
    """One session as it is listed. Raises LayerError where it is not there, or not any more."""
    last = "SELECT max(id) FROM events WHERE session = ?"
    number = store.read(lambda connection: int(connection.execute(last, (session,)).fetchone()[0] or 0))
    found = _find(store, WantedSessions(), session, number)
    if found is None:
        raise LayerError("NOT_FOUND", "the journal knows no such session", hint="synaptic sessions")
    return found


def _find(store: Store, wanted: WantedSessions, session: str, last: int) -> ListedSession | None:
    def work(connection: Connection) -> ListedSession | None:
        newest = connection.execute(SELECT_LAST, (last,)).fetchone()
        if newest is None or not _is_from(wanted, *newest):
            return None
        counts = connection.execute(SELECT_COUNTS, (session,)).fetchone()
        return None if wanted.denied and not counts[5] else _describe(connection, session, last, (*newest, *counts))

    return store.read(work)


def _is_from(wanted: WantedSessions, agent: str, root: str) -> bool:
    return wanted.agent in ("", agent) and wanted.project in ("", root, root.rpartition("/")[2])


def _describe(connection: Connection, session: str, last: int, values: tuple[object, ...]) -> ListedSession:
    names = ("agent", "root", "began", "last", "events", "prompts", "calls", "denied", "asked", "rewritten")
    usage = connection.execute(SELECT_USAGE, (session,)).fetchone()
    fields = {**dict(zip(names, values, strict=True)), "id": session, "context": usage[0] if usage else None}
    if first := connection.execute(SELECT_FIRST, (session,)).fetchone():
        fields["began"] = first[0]
    return ListedSession(msgspec.convert(fields, AgentSession), last)

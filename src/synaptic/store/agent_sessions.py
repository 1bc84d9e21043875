"""The agents' sessions as the journal knows them: which there were, and what each did."""

from collections.abc import Iterator

import msgspec

from synaptic.store.db import Connection, Store
from synaptic.store.entries import SELECT_EVENTS, read_text, select_entries
from synaptic.store.journal_filter import LAST_LETTER, JournalFilter, make_conditions, matches_entry
from synaptic.store.record import JournalEntry

PAGE_SIZE = 500
SELECT_SPANS = """
WITH RECURSIVE names (session) AS (
    SELECT min(session) FROM events WHERE session > '' AND session < x''
    UNION ALL
    SELECT (SELECT min(session) FROM events WHERE session > names.session AND session < x'')
    FROM names WHERE session IS NOT NULL
)
SELECT session, (SELECT max(id) FROM events WHERE events.session = names.session) AS last FROM names
WHERE session IS NOT NULL ORDER BY last DESC
"""
"""From name to name in the index of sessions: no event is read for it, and not every entry of the index.

Every text is less than every BLOB: what a damaged row has for a name is none.
"""
SELECT_COUNTS = """
SELECT min(at), max(at), count(*), sum(event = 'UserPromptSubmit'), sum(event = 'PreToolUse'), sum(kind = 'deny'),
sum(kind = 'ask'), sum(kind = 'rewrite') FROM events WHERE session = ?
"""
SELECT_USAGE = """
SELECT context_usage FROM sessions WHERE host_session = ? AND subagent = '' AND context_usage IS NOT NULL
ORDER BY id DESC LIMIT 1
"""
SELECT_WINDOWS = (
    "SELECT id, effort_id, dehydration_payload IS NOT NULL FROM sessions WHERE host_session = ? ORDER BY id"
)
SELECT_NAMES = "SELECT DISTINCT session FROM events WHERE session >= ? AND session < ? ORDER BY session LIMIT ?"
SELECT_PROMPTS = "SELECT id FROM events WHERE session = ? AND event = 'UserPromptSubmit' AND agent_id = '' ORDER BY id"


class AgentSession(msgspec.Struct, frozen=True, kw_only=True):
    """One session of an agent."""

    id: str
    agent: str
    root: str
    began: float
    last: float
    events: int
    prompts: int
    calls: int
    denied: int
    asked: int
    rewritten: int
    context: float | None = None
    """How full its context is, where that is known."""


class EffortWindow(msgspec.Struct, frozen=True):
    """A context window of an effort that a session was."""

    number: int
    effort: int
    left_something: bool


def list_agent_sessions(store: Store, chosen: JournalFilter, most: int) -> tuple[AgentSession, ...]:
    """The sessions with an event that matches, the one that was heard of last first."""
    found: list[AgentSession] = []
    for session, last in store.run_separately(lambda connection: connection.execute(SELECT_SPANS).fetchall()):
        if len(found) >= most:
            break
        if chosen.is_empty or _has_match(store, chosen, session):
            found.append(_describe(store, session, last))
    return tuple(found)


def find_agent_sessions(store: Store, begins: str, most: int = 5) -> tuple[str, ...]:
    """The ids of sessions that begin so; the one that is named exactly alone."""
    values = (begins, begins + LAST_LETTER, most)
    names = store.read(lambda connection: [str(row[0]) for row in connection.execute(SELECT_NAMES, values)])
    return (begins,) if begins in names else tuple(names)


def read_agent_session(store: Store, session: str) -> AgentSession:
    """One session that is there."""
    last = "SELECT max(id) FROM events WHERE session = ?"
    return _describe(store, session, store.read(lambda one: int(one.execute(last, (session,)).fetchone()[0] or 0)))


def list_prompt_numbers(store: Store, session: str) -> tuple[int, ...]:
    """The events with which the turns of a session begin."""
    return tuple(row[0] for row in store.read(lambda one: one.execute(SELECT_PROMPTS, (session,)).fetchall()))


def iter_session_events(store: Store, session: str, first: int, before: int) -> Iterator[JournalEntry]:
    """Events of a session by their numbers, oldest first; only some are in memory at once."""
    sql = f"{SELECT_EVENTS} WHERE session = ? AND id >= ? AND id < ? ORDER BY id LIMIT ?"
    while entries := tuple(select_entries(store, sql, (session, first, before, PAGE_SIZE))):
        yield from entries
        first = entries[-1].id + 1


def list_windows(store: Store, session: str) -> tuple[EffortWindow, ...]:
    """The context windows of efforts that a session was."""
    rows = store.read(lambda connection: connection.execute(SELECT_WINDOWS, (session,)).fetchall())
    return tuple(EffortWindow(number, effort, bool(left)) for number, effort, left in rows)


def _has_match(store: Store, chosen: JournalFilter, session: str) -> bool:
    # With a beginning all of the session is looked through, however long ago it was.
    ways = make_conditions(store, msgspec.structs.replace(chosen, session=session, since=chosen.since or 1.0))
    if chosen.grep or chosen.policies:
        found = (
            entry
            for way in ways
            for entry in select_entries(
                store, f"{SELECT_EVENTS} WHERE session = ? AND {way.sql}", (session, *way.values)
            )
        )
        return any(matches_entry(chosen, entry) for entry in found)
    if not session.startswith(chosen.session):
        return False

    def look(connection: Connection) -> bool:
        sql = "SELECT 1 FROM events WHERE session = ? AND {} LIMIT 1"
        return any(connection.execute(sql.format(way.sql), (session, *way.values)).fetchone() for way in ways)

    return store.read(look)


def _describe(store: Store, session: str, last: int) -> AgentSession:
    def read(connection: Connection) -> AgentSession:
        agent, root = connection.execute("SELECT agent, root FROM events WHERE id = ?", (last,)).fetchone()
        began, ended, *numbers = connection.execute(SELECT_COUNTS, (session,)).fetchone()
        events, prompts, calls, denied, asked, rewritten = numbers
        usage = connection.execute(SELECT_USAGE, (session,)).fetchone()
        return AgentSession(
            id=session,
            agent=read_text(agent),
            root=read_text(root),
            began=began,
            last=ended,
            events=events,
            prompts=prompts,
            calls=calls,
            denied=denied,
            asked=asked,
            rewritten=rewritten,
            context=usage[0] if usage else None,
        )

    return store.read(read)

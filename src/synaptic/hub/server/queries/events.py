"""Events of all hosts, the newest first, and those with certain words: day by day back, as far as a page needs."""

from collections.abc import Iterator
from datetime import date, timedelta

import msgspec

from synaptic.hub.server.database import Connection
from synaptic.hub.server.queries.filter import MOST_WORDS, Conditions, HubFilter
from synaptic.hub.server.refused import RequestError
from synaptic.hub.wire import HookRun

COLUMNS = (
    "h.id, e.seq, e.call, e.at, e.agent, e.event, e.session, e.agent_id, e.tool, e.project, e.kind, e.by, e.code,"
    " e.micros, e.size, e.exit, e.tool_use, e.quiet, e.subject, e.reason, e.runs::text, e.grants::text, e.day, e.host"
)
WORDS = "list_words(e.project, e.tool, e.by, e.code, e.subject, e.reason, e.agent, e.session)"
TEXT = (
    "lower(e.project || ' ' || e.tool || ' ' || e.by || ' ' || e.code || ' ' || e.subject || ' ' || e.reason"
    " || ' ' || e.agent || ' ' || e.session)"
)
WORD = "plainto_tsquery('simple', make_words(%s))"
"""Of a path or an id all parts, in whatever order: the index knows no places. That they stand together is looked at
in the rows, which is ten times as fast as telling their words apart."""
BY_TIME = "ORDER BY e.at DESC, e.host, e.seq DESC"
BY_PLAN = "SELECT {columns} FROM events e JOIN hosts h ON h.number = e.host WHERE {when} AND {what} {order} LIMIT %s"
LATEST = """
SELECT {columns} FROM (SELECT * FROM events e WHERE {when} {order} LIMIT {most}) e JOIN hosts h ON h.number = e.host
WHERE {what} {order} LIMIT %s
"""
BY_WORDS = """
SELECT {columns} FROM events e JOIN hosts h ON h.number = e.host WHERE {when} AND {what}
ORDER BY e.at + 0 DESC, e.host, e.seq DESC LIMIT %s
"""
"""The sum keeps the planner from going through the day by its times: it does not know how rare a word is."""
MOST_LATEST = 20_000
"""A word that is not often enough among so many of the newest is rare enough to be fetched by the index of words."""


class EventRow(msgspec.Struct, frozen=True, kw_only=True):
    """One event of one host. `place` is where the next page goes on (`before`)."""

    host: str
    seq: int
    call: str
    at: float
    agent: str
    event: str
    session: str
    agent_id: str
    tool: str
    project: str
    kind: str
    by: str
    code: str
    micros: int
    size: int
    exit: int
    tool_use: str
    quiet: int
    subject: str
    reason: str
    runs: tuple["RunRow", ...] = ()
    grants: tuple[str, ...] = ()
    place: str = ""


class RunRow(msgspec.Struct, frozen=True):
    """One evaluation of an event."""

    hook: str
    kind: str
    micros: int
    fault: str


async def list_events(connection: Connection, wanted: HubFilter) -> list[EventRow]:
    """As many as a page has. One day is one table with its own order: most pages need only the first."""
    found: list[EventRow] = []
    what, has_words = _find_what(wanted), bool(_list_words(wanted))
    # A host has few events a day: the planner sees that. A word it does not know, so both ways are gone here.
    ways = (LATEST, BY_WORDS) if has_words and not wanted.host else (BY_PLAN,)
    for day in iter_days(wanted, await find_oldest_day(connection)):
        for way in ways:
            where = _find_when(wanted, day, "e.kind" if way != BY_WORDS else "(e.kind || '')"), what
            rows = await _ask(connection, way, where, wanted.limit - len(found))
            if len(found) + len(rows) >= wanted.limit:
                return found + rows
        found += rows
    return found


def _find_when(wanted: HubFilter, day: date, kind: str) -> Conditions:
    """What an index by time knows of a day. Raises RequestError."""
    when = Conditions()
    when.add("e.day = %s", day)
    if wanted.kind == "refused":
        when.add(f"{kind} IN ('deny', 'ask')")
    else:
        when.add_if(wanted.kind, f"{kind} = %s")
    when.add_if(wanted.since, "e.at >= %s")
    when.add_if(wanted.until, "e.at < %s")
    if wanted.before:
        its_day, at, host, seq = read_place(wanted.before)
        if its_day == day:
            later = "(e.at < %s OR e.host > %s OR e.host = %s AND e.seq < %s)"
            when.add(f"e.at <= %s AND {later}", at, at, host, host, seq)
    return when


def _find_what(wanted: HubFilter) -> Conditions:
    what = Conditions()
    what.add_if(wanted.host, "e.host = (SELECT number FROM hosts WHERE id = %s)")
    what.add_if(wanted.agent, "e.agent = %s")
    # Its words are in the index, the whole of it is not.
    what.add_if(wanted.session, "e.session = %s")
    what.add_if(wanted.tool, "e.tool = %s")
    what.add_if(wanted.policy, "e.by = %s")
    if words := _list_words(wanted):
        what.add(f"{WORDS} @@ ({' && '.join([WORD] * len(words))})", *words)
    for word in words:
        what.add(f"strpos({TEXT}, lower(%s)) > 0", word)
    return what


def _list_words(wanted: HubFilter) -> list[str]:
    """A sign alone is no word, and a search for no word finds nothing."""
    given = [*wanted.q.split()[:MOST_WORDS], wanted.session, wanted.tool, wanted.policy]
    return [word for word in given if any(map(str.isalnum, word))]


def read_place(text: str) -> tuple[date, float, int, int]:
    """Raises RequestError."""
    try:
        day, at, host, seq = text.split("_")
        return date.fromisoformat(day), float(at), int(host), int(seq)
    except ValueError as error:
        raise RequestError(400, "`before` is no place of a row") from error


async def find_oldest_day(connection: Connection) -> date:
    """The oldest that there is a table for."""
    found = await connection.execute(
        "SELECT min(right(c.relname, 8)) FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid"
        " WHERE i.inhparent = 'events'::regclass"
    )
    row = await found.fetchone()
    return date.fromisoformat(row[0]) if row and row[0] else date.today()


def iter_days(wanted: HubFilter, oldest: date) -> Iterator[date]:
    """From the newest back."""
    day = min(wanted.last_day, read_place(wanted.before)[0]) if wanted.before else wanted.last_day
    oldest = max(oldest, wanted.first_day)
    while day >= oldest:
        yield day
        day -= timedelta(1)


async def _ask(connection: Connection, way: str, where: tuple[Conditions, Conditions], limit: int) -> list[EventRow]:
    when, what = where
    statement = way.format(columns=COLUMNS, when=when.text, what=what.text, order=BY_TIME, most=MOST_LATEST)
    # Planned anew each time: what is asked for decides the way.
    found = await connection.execute(statement.encode(), (*when.values, *what.values, limit), prepare=False)
    return [_make_row(row) for row in await found.fetchall()]


def _make_row(row: tuple[object, ...]) -> EventRow:
    *plain, runs, grants, day, host = row
    names = EventRow.__struct_fields__
    given = dict(zip(names, plain, strict=False))
    return EventRow(
        **given,  # type: ignore[arg-type]  # columns are named as the fields, in their order
        runs=read_runs(runs),
        grants=msgspec.json.decode(grants, type=tuple[str, ...]) if isinstance(grants, str) else (),
        place=f"{day}_{given['at']!r}_{host}_{given['seq']}",
    )


def read_runs(text: object) -> tuple[RunRow, ...]:
    runs = msgspec.json.decode(text, type=tuple[HookRun, ...]) if isinstance(text, str) else ()
    return tuple(RunRow(run.hook, run.kind, run.micros, run.fault) for run in runs)

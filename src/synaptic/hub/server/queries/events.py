"""Events of all hosts, the newest first, and those with certain words: as many days back as a page needs."""

from collections.abc import Iterator
from datetime import date, timedelta

import msgspec

from synaptic.hub.server.database import Connection
from synaptic.hub.server.queries.filter import MOST_WORDS, Conditions, HubFilter
from synaptic.hub.server.refused import RequestError
from synaptic.hub.wire import HookRun

MOST_DAYS = 4096
COLUMNS = (
    "h.id, e.seq, e.call, e.at, e.agent, e.event, e.session, e.agent_id, e.tool, e.project, e.kind, e.by, e.code,"
    " e.micros, e.size, e.exit, e.tool_use, e.quiet, e.subject, e.reason, e.runs::text, e.grants::text"
)
WORDS = "list_words(e.project, e.tool, e.by, e.code, e.subject, e.reason, e.agent, e.session)"
WORD = "phraseto_tsquery('simple', make_words(%s))"
SELECT = """
SELECT {columns}, e.day, e.host FROM events e JOIN hosts h ON h.number = e.host WHERE {where}
ORDER BY e.day DESC, e.at DESC, e.host, e.seq DESC LIMIT %s
"""


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
    """As many as a page has. Days are asked together two by two, then four, and so on: most pages need only today."""
    found: list[EventRow] = []
    where = make_conditions(wanted)
    oldest = await find_oldest_day(connection)
    for first, last in iter_days(wanted, oldest):
        rows = await _ask(connection, where, (first, last), wanted.limit - len(found))
        found += rows
        if len(found) >= wanted.limit:
            break
    return found


def make_conditions(wanted: HubFilter) -> Conditions:
    """Raises RequestError."""
    where = Conditions()
    where.add_if(wanted.host, "e.host = (SELECT number FROM hosts WHERE id = %s)")
    if wanted.kind == "refused":
        where.add("e.kind IN ('deny', 'ask')")
    else:
        where.add_if(wanted.kind, "e.kind = %s")
    if wanted.session:
        # Its words are in the index; that it is the session itself is looked at in the rows.
        where.add(f"{WORDS} @@ {WORD} AND e.session = %s", wanted.session, wanted.session)
    where.add_if(wanted.agent, "e.agent = %s")
    where.add_if(wanted.tool, "e.tool = %s")
    where.add_if(wanted.policy, "e.by = %s")
    where.add_if(wanted.since, "e.at >= %s")
    where.add_if(wanted.until, "e.at < %s")
    # A sign alone is no word, and a search for no word finds nothing.
    if words := [word for word in wanted.q.split() if any(map(str.isalnum, word))][:MOST_WORDS]:
        where.add(f"{WORDS} @@ ({' && '.join([WORD] * len(words))})", *words)
    if wanted.before:
        day, at, host, seq = read_place(wanted.before)
        where.add(
            "(e.day < %s OR e.day = %s AND (e.at < %s OR e.at = %s AND (e.host > %s OR e.host = %s AND e.seq < %s)))",
            day, day, at, at, host, host, seq,
        )  # fmt: skip
    return where


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


def iter_days(wanted: HubFilter, oldest: date) -> Iterator[tuple[date, date]]:
    """First and last day of each step back, each step as long as all before it."""
    last = min(wanted.last_day, read_place(wanted.before)[0]) if wanted.before else wanted.last_day
    oldest, count = max(oldest, wanted.first_day), 2
    while last >= oldest:
        first = max(last - timedelta(count - 1), oldest)
        yield first, last
        last, count = first - timedelta(1), min(count * 2, MOST_DAYS)


async def _ask(connection: Connection, where: Conditions, days: tuple[date, date], limit: int) -> list[EventRow]:
    statement = SELECT.format(columns=COLUMNS, where=f"e.day BETWEEN %s AND %s AND {where.text}")
    cursor = connection.cursor()
    # Planned anew each time: how rare a word is decides the way.
    found = await cursor.execute(statement.encode(), (*days, *where.values, limit), prepare=False)
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

"""Takes a batch in: one transaction, in which the host's mark says whether it is the next one."""

from synaptic.hub.extra import require_extra
from synaptic.hub.server.database import Connection, HubDatabase
from synaptic.hub.server.incoming import COLUMNS, PreparedBatch, encode_rows
from synaptic.hub.server.partitions import DayPartitions
from synaptic.hub.server.refused import RequestError
from synaptic.hub.server.tallies import SessionStep, Tally, add_up, add_up_sessions

with require_extra("hub"):
    from psycopg import errors

COPY = f"COPY incoming ({COLUMNS}) FROM STDIN"
INSERT = f"INSERT INTO events ({COLUMNS}) SELECT {COLUMNS} FROM incoming"
MARK = "SELECT seq FROM hosts WHERE number = %s FOR NO KEY UPDATE"
MOVE = "UPDATE hosts SET seq = %s, seen_at = extract(epoch FROM clock_timestamp()) WHERE number = %s"
TALLIES = """
INSERT INTO tallies AS t (day, host, hook, kind, amount, faults, micros, longest, classes)
SELECT day, %s, hook, kind, amount, faults, micros, longest, classes::int[]
FROM unnest(%s::date[], %s::text[], %s::text[], %s::bigint[], %s::bigint[], %s::bigint[], %s::bigint[], %s::text[])
  AS given (day, hook, kind, amount, faults, micros, longest, classes)
ON CONFLICT (host, day, hook, kind) DO UPDATE SET
  amount = t.amount + excluded.amount, faults = t.faults + excluded.faults, micros = t.micros + excluded.micros,
  longest = greatest(t.longest, excluded.longest), classes = add_classes(t.classes, excluded.classes)
"""
SESSIONS = """
INSERT INTO sessions AS s (host, session, agent, project, first_at, last_at, first_seq, last_seq, events, refused)
SELECT %s, * FROM unnest(%s::text[], %s::text[], %s::text[], %s::float8[], %s::float8[], %s::bigint[], %s::bigint[],
  %s::bigint[], %s::bigint[])
ON CONFLICT (host, session) DO UPDATE SET
  first_at = least(s.first_at, excluded.first_at), last_at = greatest(s.last_at, excluded.last_at),
  last_seq = excluded.last_seq, events = s.events + excluded.events, refused = s.refused + excluded.refused,
  project = CASE WHEN s.project = '' THEN excluded.project ELSE s.project END
"""


class MarkDiffersError(Exception):
    """The hub stands elsewhere than the host believes."""

    def __init__(self, seq: int) -> None:
        super().__init__(seq)
        self.seq = seq


async def take_batch(database: HubDatabase, days: DayPartitions, host: int, batch: PreparedBatch) -> int:
    """The host's new mark. Raises MarkDiffersError, RequestError."""
    rows, tallies, sessions = encode_rows(batch, host), add_up(batch), add_up_sessions(batch)
    await days.ensure(set(batch.days))
    try:
        return await _write(database, host, batch, (rows, tallies, sessions))
    except errors.CheckViolation as error:
        # The day's table went with the retention of another hub's process just now: it is made again.
        days.forget()
        raise RequestError(503, "the day of these events is made anew", after=1) from error


Parts = tuple[bytes, list[Tally], list[SessionStep]]


async def _write(database: HubDatabase, host: int, batch: PreparedBatch, parts: Parts) -> int:
    async with database.act_as_host(host) as connection:
        await _check_mark(connection, host, batch.after)
        if not batch.events:
            return batch.after
        rows, tallies, sessions = parts
        async with connection.cursor() as cursor, cursor.copy(COPY) as copy:
            await copy.write(rows)
        async with connection.pipeline():
            await connection.execute(INSERT)
            await connection.execute(TALLIES, (host, *_list_columns_of(tallies)))
            if sessions:
                await connection.execute(SESSIONS, (host, *_list_columns(sessions)))
            await connection.execute(MOVE, (batch.last, host))
    return batch.last


async def _check_mark(connection: Connection, host: int, after: int) -> None:
    row = await (await connection.execute(MARK, (host,))).fetchone()
    if row is None:
        raise RequestError(403, "this host is revoked")
    if row[0] != after:
        raise MarkDiffersError(row[0])


def _list_columns_of(tallies: list[Tally]) -> tuple[list[object], ...]:
    return (
        [t.day for t in tallies], [t.hook for t in tallies], [t.kind for t in tallies], [t.amount for t in tallies],
        [t.faults for t in tallies], [t.micros for t in tallies], [t.longest for t in tallies],
        ["{" + ",".join(map(str, t.list)) + "}" for t in tallies],
    )  # fmt: skip


def _list_columns(steps: list[SessionStep]) -> tuple[list[object], ...]:
    names = SessionStep.__struct_fields__
    return tuple([getattr(step, name) for step in steps] for name in names)

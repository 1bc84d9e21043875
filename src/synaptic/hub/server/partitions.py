"""One table for each day: made ahead, made when an older day is shipped, and dropped whole when it is too old."""

import asyncio
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta

from synaptic.hub.extra import require_extra
from synaptic.hub.server.database import Connection, HubDatabase

with require_extra("hub"):
    from psycopg import sql

TABLES = ("events", "tallies")
AHEAD_DAYS = 7
LOCK = 3700002
LIST = """
SELECT c.relname, i.inhdetachpending FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
WHERE i.inhparent = %s::regclass
"""


class DayPartitions:
    """Which days are known to have their tables."""

    def __init__(self, database: HubDatabase) -> None:
        self._database = database
        self._known: set[date] = set()
        self._one = asyncio.Lock()

    def forget(self) -> None:
        self._known = set()

    async def ensure(self, days: Iterable[date]) -> None:
        """Raises RequestError while the database is away."""
        if self._known.issuperset(days):
            return
        async with self._one, self._database.connect() as connection:
            for day in sorted(set(days) - self._known):
                await ensure_day(connection, day)
                self._known.add(day)

    async def ensure_ahead(self) -> None:
        today = datetime.now(UTC).date()
        await self.ensure([today + timedelta(number) for number in range(-1, AHEAD_DAYS + 1)])


async def ensure_day(connection: Connection, day: date) -> None:
    """A table is made alone and then attached: that locks nobody out who reads or writes the other days."""
    async with connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
        for table in TABLES:
            found = await connection.execute("SELECT to_regclass(%s) IS NULL", (_name_day(table, day),))
            row = await found.fetchone()
            if row and row[0]:
                await _make_day(connection, table, day)


async def _make_day(connection: Connection, table: str, day: date) -> None:
    parent, name = sql.Identifier(table), sql.Identifier(_name_day(table, day))
    await connection.execute(sql.SQL("CREATE TABLE {} (LIKE {} INCLUDING ALL)").format(name, parent))
    await connection.execute(
        sql.SQL("ALTER TABLE {} ATTACH PARTITION {} FOR VALUES FROM ({}) TO ({})").format(
            parent, name, sql.Literal(day), sql.Literal(day + timedelta(1))
        )
    )


async def drop_days_before(connection: Connection, first: date) -> list[str]:
    """The tables that went. Each is let go of first, which waits for those who read it and stops nobody."""
    gone = []
    for table in TABLES:
        for name, is_pending in await (await connection.execute(LIST, (table,))).fetchall():
            day = _read_day(table, name)
            if day is None or day >= first:
                continue
            how = sql.SQL("FINALIZE" if is_pending else "CONCURRENTLY")
            parts = sql.Identifier(table), sql.Identifier(name), how
            await connection.execute(sql.SQL("ALTER TABLE {} DETACH PARTITION {} {}").format(*parts))
            gone.append(name)
    for name in gone + await _list_left_over(connection, first):
        await connection.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(sql.Identifier(name)))
    return gone


async def _list_left_over(connection: Connection, first: date) -> list[str]:
    """Days that were let go of, and whose hub died before it could drop them."""
    found = await connection.execute(
        "SELECT relname FROM pg_class WHERE relkind = 'r' AND NOT relispartition"
        " AND relnamespace = 'public'::regnamespace AND relname ~ '^(events|tallies)_[0-9]{8}$'"
    )
    names = [name for (name,) in await found.fetchall()]
    return [name for name in names if (day := _read_day(name.partition("_")[0], name)) and day < first]


def _name_day(table: str, day: date) -> str:
    return f"{table}_{day:%Y%m%d}"


def _read_day(table: str, name: str) -> date | None:
    try:
        return datetime.strptime(name, f"{table}_%Y%m%d").replace(tzinfo=UTC).date()
    except ValueError:
        return None

"""One hub's process: its database, who waits, and the work that goes on beside requests."""

import asyncio
import logging
from collections.abc import Coroutine
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from synaptic.hub.extra import require_extra
from synaptic.hub.server.database import HubDatabase
from synaptic.hub.server.door import HubDoor, TryLimit
from synaptic.hub.server.migrate import migrate
from synaptic.hub.server.news import NewsBoard
from synaptic.hub.server.partitions import DayPartitions, drop_days_before
from synaptic.hub.server.refused import RequestError
from synaptic.hub.server.roles import HubRoles
from synaptic.model.errors import SynapticError

with require_extra("hub"):
    import psycopg

log = logging.getLogger("synaptic.hub")
RETRY_SECONDS = 2.0
KEEP_SECONDS = 600.0
KEEPER_LOCK = 3700005
JOIN_TRIES = 60
MOST_BATCHES = 8
SESSIONS_AT_ONCE = 5_000


class HubSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How a hub was started."""

    database: str
    name: str = ""
    organisation_key: str = ""
    retention_days: int = 90
    roles: str = ""


class Hub:
    """What the answers to requests need. It is open as soon as the database was there once."""

    def __init__(self, settings: HubSettings) -> None:
        self.settings = settings
        self.joins = TryLimit(JOIN_TRIES)
        self.batches = asyncio.Semaphore(MOST_BATCHES)
        self.is_closing = asyncio.Event()
        self._parts: HubParts | None = None
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def parts(self) -> "HubParts":
        """Raises RequestError as long as the database has never been there."""
        if self._parts is None:
            raise RequestError(503, "the hub's database does not answer", after=2)
        return self._parts

    async def open(self) -> None:
        """Raises SynapticError for a database that cannot be used; one that is away is waited for."""
        try:
            await self._prepare()
        except psycopg.OperationalError as error:
            log.warning("the database does not answer yet: %s", _cut(error))
        self._start(self._keep())

    async def close(self) -> None:
        """Those who wait are answered, what was begun beside requests is ended."""
        self.end_waiting()
        for task in self._tasks:
            task.cancel()
        for task in self._tasks:
            with suppress(asyncio.CancelledError):
                await task
        if self._parts:
            await self._parts.database.close()

    def end_waiting(self) -> None:
        """Those who wait for news are answered now."""
        self.is_closing.set()
        if self._parts:
            self._parts.news.wake_all(0.0)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        self._tasks.append(asyncio.get_running_loop().create_task(work))

    async def _prepare(self) -> None:
        """Raises psycopg.OperationalError while the database is away."""
        settings = self.settings
        for name in await migrate(settings.database, settings.roles):
            log.info("applied %s", name)
        roles = await read_roles(settings.database)
        database = HubDatabase(settings.database, roles)
        await database.open()
        days = DayPartitions(database)
        news = NewsBoard(settings.database, roles.reader)
        self._parts = HubParts(database, days, news, HubDoor(database))
        self._start(news.listen())

    async def _keep(self) -> None:
        """Makes days ahead, drops old ones, for ever; a database that goes away only makes it wait."""
        while True:
            try:
                if self._parts is None:
                    await self._prepare()
                await self.keep_once()
                pause = KEEP_SECONDS
            except (psycopg.Error, OSError, RequestError, SynapticError) as error:
                log.warning("the database was not kept in order: %s", _cut(error))
                pause = RETRY_SECONDS
            await asyncio.sleep(pause)

    async def keep_once(self) -> list[str]:
        """The days that were dropped; one hub of all looks at them."""
        await self.parts.days.ensure_ahead()
        first = datetime.now(UTC).date() - timedelta(self.settings.retention_days)
        async with await psycopg.AsyncConnection.connect(
            self.settings.database, autocommit=True, connect_timeout=5
        ) as connection:
            row = await (await connection.execute("SELECT pg_try_advisory_lock(%s)", (KEEPER_LOCK,))).fetchone()
            if not row or not row[0]:
                return []
            gone = await drop_days_before(connection, first)
            if gone:
                self.parts.days.forget()
                log.info("dropped %s", ", ".join(gone))
            await self._forget_old_rows(connection, datetime.combine(first, datetime.min.time(), UTC).timestamp())
        return gone

    async def _forget_old_rows(self, connection: "psycopg.AsyncConnection[tuple[object, ...]]", before: float) -> None:
        """In steps, so that no host waits for its own rows."""
        await connection.execute("SELECT set_config('role', %s, false)", (self.parts.database.roles.admin,))
        while True:
            done = await connection.execute(
                "DELETE FROM sessions WHERE (host, session) IN"
                " (SELECT host, session FROM sessions WHERE last_at < %s LIMIT %s)",
                (before, SESSIONS_AT_ONCE),
            )
            if done.rowcount < SESSIONS_AT_ONCE:
                break
        await connection.execute("DELETE FROM answers WHERE expires < %s", (before,))
        await connection.execute("DELETE FROM grants WHERE greatest(at, last_used, expires, revoked) < %s", (before,))


class HubParts(msgspec.Struct, frozen=True):
    """What there is once the database was there."""

    database: HubDatabase
    days: DayPartitions
    news: NewsBoard
    door: HubDoor


async def read_roles(url: str) -> HubRoles:
    """The roles that a migrated database was made with."""
    async with await psycopg.AsyncConnection.connect(url, autocommit=True, connect_timeout=5) as connection:
        row = await (await connection.execute("SELECT value FROM settings WHERE name = 'roles'")).fetchone()
    return HubRoles(str(row[0])) if row else HubRoles()


def _cut(error: Exception) -> str:
    return " ".join(str(error).split())[:200]

"""The hub's connections, and the roles it acts as on them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from synaptic.hub.extra import require_extra
from synaptic.hub.server.refused import RequestError
from synaptic.hub.server.roles import HubRoles

with require_extra("hub"):
    import psycopg
    from psycopg import sql
    from psycopg.rows import TupleRow
    from psycopg_pool import AsyncConnectionPool, PoolClosed, PoolTimeout, TooManyRequests

Connection = psycopg.AsyncConnection[TupleRow]
MOST_CONNECTIONS = 10
WAIT_SECONDS = 5.0
MOST_WAITING = 300
RETRY_SECONDS = 2
READ_SECONDS = 15
HANG_SECONDS = 40.0
"""After that it is not the statement that is slow: the database does not answer at all."""
# A hub that hangs does not keep what it has locked.
LIMITS = "-c lock_timeout=10s -c statement_timeout=30s -c idle_in_transaction_session_timeout=30s -c timezone=UTC"
ALIVE: dict[str, Any] = {
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20000,
}
SETTLED = "SELECT set_config('role', %s, true), set_config('synaptic.host', %s, true)"


class HubDatabase:
    """A pool whose connections act as one role for one transaction."""

    def __init__(self, url: str, roles: HubRoles, most: int = MOST_CONNECTIONS) -> None:
        self.url = url
        self.roles = roles
        self._pool: AsyncConnectionPool[Connection] = AsyncConnectionPool(
            url, min_size=1, max_size=most, max_waiting=MOST_WAITING, timeout=WAIT_SECONDS, reconnect_timeout=30.0,
            open=False, configure=self._configure,
            kwargs={"autocommit": True, "options": LIMITS, "connect_timeout": 5, **ALIVE},
        )  # fmt: skip

    async def open(self) -> None:
        await self._pool.open()

    async def close(self) -> None:
        await self._pool.close(timeout=2.0)

    @asynccontextmanager
    async def connect(self) -> AsyncIterator[Connection]:
        """A connection as the hub itself. A database that is away becomes a request that may come again."""
        try:
            async with asyncio.timeout(HANG_SECONDS), self._pool.connection() as connection:
                yield connection
        except psycopg.errors.QueryCanceled as error:
            raise RequestError(503, "this takes the hub's database too long", hint="ask for less", after=10) from error
        except (
            psycopg.OperationalError,
            psycopg.InterfaceError,
            PoolTimeout,
            PoolClosed,
            TooManyRequests,
            TimeoutError,
        ) as error:
            raise RequestError(503, "the hub's database does not answer", after=RETRY_SECONDS) from error

    @asynccontextmanager
    async def act_as_host(self, number: int) -> AsyncIterator[Connection]:
        """One transaction that sees and writes the rows of this host only."""
        async with self._act_as(self.roles.host, str(number)) as connection:
            yield connection

    @asynccontextmanager
    async def act_as_reader(self) -> AsyncIterator[Connection]:
        """One transaction that reads, for so long."""
        async with self._act_as(self.roles.reader, "") as connection:
            await connection.execute(f"SET LOCAL statement_timeout = '{READ_SECONDS}s'")
            yield connection

    @asynccontextmanager
    async def act_as_admin(self) -> AsyncIterator[Connection]:
        async with self._act_as(self.roles.admin, "") as connection:
            yield connection

    @asynccontextmanager
    async def _act_as(self, role: str, host: str) -> AsyncIterator[Connection]:
        async with self.connect() as connection, connection.transaction():
            await connection.execute(SETTLED, (role, host))
            yield connection

    async def _configure(self, connection: Connection) -> None:
        """`COPY` cannot write to tables with row-level security: it writes here, and only in this connection."""
        await connection.execute("CREATE TEMP TABLE incoming (LIKE events INCLUDING DEFAULTS) ON COMMIT DELETE ROWS")
        role = sql.Identifier(self.roles.host)
        await connection.execute(sql.SQL("GRANT SELECT, INSERT ON incoming TO {}").format(role))

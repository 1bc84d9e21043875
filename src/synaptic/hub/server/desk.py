"""What an administrator does at the database itself, in one transaction each: no hub needs to run."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from synaptic.hub.extra import require_extra
from synaptic.hub.server import migrate as schema
from synaptic.hub.server.database import LIMITS, Connection
from synaptic.hub.server.migrate import find_roles
from synaptic.model.errors import SynapticError

with require_extra("hub"):
    import psycopg

Answer = TypeVar("Answer")
Work = Callable[[Connection], Awaitable[Answer]]


def ask_database(url: str, work: Work[Answer]) -> Answer:
    """What some work finds as the role of administrators. Raises SynapticError."""
    with _say_plainly():
        return asyncio.run(_do(url, work))


def migrate_database(url: str, prefix: str) -> list[str]:
    """The schema files that were applied now. Raises SynapticError."""
    with _say_plainly():
        return asyncio.run(schema.migrate(url, prefix))


async def _do(url: str, work: Work[Answer]) -> Answer:
    connect = psycopg.AsyncConnection.connect(url, autocommit=True, options=LIMITS, connect_timeout=5)
    async with await connect as connection, connection.transaction():
        roles = await find_roles(connection)
        await connection.execute("SELECT set_config('role', %s, true)", (roles.admin,))
        return await work(connection)


@contextmanager
def _say_plainly() -> Iterator[None]:
    try:
        yield
    except psycopg.errors.UndefinedTable as error:
        raise SynapticError("this database is no hub's yet", hint="synaptic hub migrate") from error
    except (psycopg.errors.InvalidParameterValue, psycopg.errors.UndefinedObject) as error:
        raise SynapticError("this database is no hub's yet", hint="synaptic hub migrate") from error
    except psycopg.Error as error:
        raise SynapticError(f"the database refuses: {' '.join(str(error).split())[:300]}") from error

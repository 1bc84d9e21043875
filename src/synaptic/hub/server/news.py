"""Wakes hosts that wait: one connection listens to the database, and looks again now and then in case it missed one."""

import asyncio
import random
import time
from collections import defaultdict
from contextlib import suppress

from synaptic.hub.extra import require_extra
from synaptic.hub.server.database import ALIVE

with require_extra("hub"):
    import psycopg
    from psycopg.rows import TupleRow

NEWS_CHANNEL = "synaptic_news"
LOOK_SECONDS = 10.0
AGAIN_SECONDS = 1.0
SPREAD_SECONDS = 1.0
MARGIN = 100
"""Answers are not always seen in the order of their numbers."""
LOOK = "SELECT number, host FROM answers WHERE number > %s ORDER BY number LIMIT 10000"


class NewsBoard:
    """Who waits, by the host's number."""

    def __init__(self, url: str, role: str) -> None:
        self._url = url
        self._role = role
        self._waiting: dict[int, set[asyncio.Event]] = defaultdict(set)
        self._seen = (0, 0)

    async def listen(self) -> None:
        """Until it is cancelled; a connection that is lost is made again."""
        while True:
            with suppress(psycopg.Error, OSError):
                await self._listen_once()
            await asyncio.sleep(AGAIN_SECONDS)

    async def _listen_once(self) -> None:
        connect = psycopg.AsyncConnection.connect(self._url, autocommit=True, connect_timeout=5, **ALIVE)
        async with await connect as connection:
            await connection.execute("SELECT set_config('role', %s, false)", (self._role,))
            await connection.execute(f"LISTEN {NEWS_CHANNEL}")
            self.wake_all()  # what was said while nobody listened is in the tables
            while True:
                async for notice in connection.notifies(timeout=LOOK_SECONDS):
                    self._wake(notice.payload)
                await self._look(connection)

    async def _look(self, connection: "psycopg.AsyncConnection[TupleRow]") -> None:
        """What is new since the last look, in case a word about it got lost; a connection that hangs is noticed too."""
        number, version = self._seen
        found = await (await connection.execute(LOOK, (number - MARGIN,))).fetchall()
        newest = max((row[0] for row in found), default=number)
        for _, host in found:
            self._wake(str(host))
        row = await (await connection.execute("SELECT coalesce(max(version), 0) FROM bundles")).fetchone()
        self._seen = (max(number, newest), row[0] if row else version)
        if self._seen[1] != version:
            self.wake_all()

    def _wake(self, payload: str) -> None:
        if not payload.isdigit():
            return self.wake_all()
        for event in self._waiting.get(int(payload), ()):
            event.set()
        return None

    def wake_all(self, spread: float = SPREAD_SECONDS) -> None:
        """Not at one moment: each of them has a question for the database."""
        loop = asyncio.get_running_loop()
        for events in self._waiting.values():
            for event in events:
                loop.call_later(random.random() * spread, event.set)

    def watch(self, host: int) -> "NewsWatch":
        return NewsWatch(self._waiting, host)


class NewsWatch:
    """One request that waits. Made before the tables are looked at: nothing falls between."""

    def __init__(self, waiting: dict[int, set[asyncio.Event]], host: int) -> None:
        self._waiting = waiting
        self._host = host
        self._event = asyncio.Event()

    def __enter__(self) -> "NewsWatch":
        self._waiting[self._host].add(self._event)
        return self

    def __exit__(self, *_: object) -> None:
        events = self._waiting[self._host]
        events.discard(self._event)
        if not events:
            del self._waiting[self._host]

    async def wait_until(self, until: float) -> bool:
        """Whether somebody has called before that moment of the monotonic clock."""
        try:
            async with asyncio.timeout(max(until - time.monotonic(), 0)):
                await self._event.wait()
        except TimeoutError:
            return False
        self._event.clear()
        return True

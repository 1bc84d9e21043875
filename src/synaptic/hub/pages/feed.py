"""What comes in, for all pages that are open: one look a second at how far hosts are, and the rows that came since."""

import asyncio
import logging
import secrets
import time
from collections import deque
from contextlib import suppress

import msgspec

from synaptic.hub.server.hub import Hub
from synaptic.hub.server.queries.arrivals import find_steps, list_arrivals, read_marks
from synaptic.hub.server.queries.events import EventRow
from synaptic.hub.server.refused import RequestError

log = logging.getLogger("synaptic.hub")
LOOK_SECONDS = 1.0
LINGER_SECONDS = 60.0
"""For so long it goes on looking after somebody was there: a page that is opened asks for its stream a moment later."""
MOST_KEPT = 1000


class Arrival(msgspec.Struct, frozen=True):
    """One event as it came in, under a number of this process."""

    number: int
    row: EventRow


class ArrivalFeed:
    """Knows the last events that came while anybody looks."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self.start = secrets.token_hex(4)
        """Whose numbers these are: another process counts anew."""
        self.last = 0
        self._kept: deque[Arrival] = deque(maxlen=MOST_KEPT)
        self._marks: dict[int, int] | None = None
        self._came = asyncio.Condition()
        self._until = 0.0
        self._task: asyncio.Task[None] | None = None

    @property
    def is_closed(self) -> bool:
        return self._hub.is_closing.is_set()

    async def begin(self) -> int:
        """The number after which a page that is made now goes on; from now on nothing is missed."""
        self._until = time.monotonic() + LINGER_SECONDS
        if self._task is None or self._task.done():
            with suppress(RequestError):
                await self._look()
            self._task = asyncio.create_task(self._watch())
        return self.last

    def list_after(self, number: int) -> list[Arrival]:
        """What came after one; of very many only the newest."""
        return [one for one in self._kept if one.number > number]

    async def wait_beyond(self, number: int, seconds: float) -> None:
        """Return when something came after a number, or when the time is over."""
        await self.begin()
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds), self._came:
                await self._came.wait_for(lambda: self.last > number or self.is_closed)

    async def _watch(self) -> None:
        while time.monotonic() < self._until and not self.is_closed:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                await self._look()
            except RequestError:
                continue  # the database is away: the marks stay, and nothing is missed
            except Exception as error:  # noqa: BLE001  a row that cannot be read ends no stream
                log.error("looking for new events failed: %s", type(error).__name__)
        self._marks = None
        async with self._came:
            self._came.notify_all()

    async def _look(self) -> None:
        async with self._hub.parts.database.act_as_reader() as connection:
            now = await read_marks(connection)
            steps = find_steps(self._marks, now) if self._marks is not None else []
            rows = await list_arrivals(connection, steps) if steps else []
        self._marks = now
        for row in rows:
            self.last += 1
            self._kept.append(Arrival(self.last, row))
        async with self._came:  # also without news: whoever waits looks whether the hub ends
            self._came.notify_all()

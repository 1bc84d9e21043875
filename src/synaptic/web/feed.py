"""New events as they come: one look at the journal for all pages, and a stream that each page reads at its own pace."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress

from starlette.concurrency import run_in_threadpool

from synaptic.model.errors import StoreError
from synaptic.store.entries import read_entries_after
from synaptic.store.reader import JournalReader
from synaptic.store.record import JournalEntry

LOOK_SECONDS = 0.04
ALIVE_SECONDS = 15.0
"""A page that hears nothing for longer than this cannot know whether anybody is there."""
PAGE_SIZE = 50
"""Of events that a page has not seen; each may be a megabyte."""
NEWEST = "SELECT coalesce(max(id), 0) FROM events"
LAST_GIVEN = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'events'"
"""Also when the newest events have been deleted."""

DescribeEntries = Callable[[list[JournalEntry]], list[tuple[int, str]]]
"""What a page is sent about new events, each with its number; what it does not want is not among them."""


class JournalFeed:
    """Knows the number of the newest event while anybody waits for it."""

    def __init__(self, reader: JournalReader) -> None:
        self._reader = reader
        self._newest = 0
        self._version: object = None
        self._grown = asyncio.Condition()
        self._waiting = 0
        self.changes = 0
        """How often anything at all was written since somebody waits: statuses and held calls are no events."""
        self._task: asyncio.Task[None] | None = None
        self.is_closed = False

    async def wait_beyond(self, seen: int, seconds: float) -> None:
        """Return when there is an event after one, or when the time is over."""
        await self._wait(lambda: self._newest > seen, seconds)

    async def wait_changed(self, seen: int, seconds: float) -> int:
        """Return when anything was written since a number of changes, or when the time is over; the number now."""
        await self._wait(lambda: self.changes != seen, seconds)
        return self.changes

    async def _wait(self, is_over: Callable[[], bool], seconds: float) -> None:
        self._waiting += 1
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._watch())
        try:
            async with asyncio.timeout(seconds), self._grown:
                await self._grown.wait_for(lambda: is_over() or self.is_closed)
        except TimeoutError:
            pass
        finally:
            self._waiting -= 1

    async def close(self) -> None:
        """Let everybody go who waits."""
        self.is_closed = True
        async with self._grown:
            self._grown.notify_all()
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        self._reader.close()

    async def _watch(self) -> None:
        while self._waiting:
            before, newest = self.changes, self._look()
            if newest != self._newest or self.changes != before:
                self._newest = newest
                async with self._grown:
                    self._grown.notify_all()
            await asyncio.sleep(LOOK_SECONDS)

    def _look(self) -> int:
        # Some microseconds: it has a connection of its own, so that no slow page is in its way.
        try:
            version = self._reader.read(self._reader.version)
            if version != self._version:
                self._version = version
                self.changes += 1
                return int(self._reader.read(lambda connection: connection.execute(NEWEST).fetchone()[0]))
        except StoreError:
            self._version = None  # the next look may find it again
        return self._newest


async def stream_entries(
    feed: JournalFeed, reader: JournalReader, describe: DescribeEntries, seen: int
) -> AsyncIterator[str]:
    """Server-sent events about all that came after one event, for as long as the page is open."""
    yield "retry: 1000\n\n"
    while not feed.is_closed:
        try:
            fresh = await run_in_threadpool(read_entries_after, reader, seen, PAGE_SIZE)
        except StoreError:
            fresh = ()
        if not fresh and await run_in_threadpool(has_begun_anew, reader, seen):
            yield format_message("anew", "1", 0)
            return
        if fresh:
            seen = fresh[-1].id
            for number, html in await run_in_threadpool(describe, list(fresh)):
                yield format_message("entry", html, number)
            yield f"id: {seen}\n\n"  # a page that wanted none of them goes on from here, too
        if len(fresh) < PAGE_SIZE:
            before = seen
            await feed.wait_beyond(before, ALIVE_SECONDS)
            yield ": here\n\n"


def has_begun_anew(reader: JournalReader, seen: int) -> bool:
    """Whether the journal is another one than a page has read: its numbers say nothing there."""
    try:
        return int(reader.read(lambda connection: connection.execute(LAST_GIVEN).fetchone()[0])) < seen
    except StoreError:
        return False


def format_message(event: str, text: str, number: int) -> str:
    """One message of a stream."""
    lines = "".join(f"data: {line}\n" for line in text.splitlines())
    return f"id: {number}\nevent: {event}\n{lines}\n"

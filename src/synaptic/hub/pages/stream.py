"""New rows of the timeline as server-sent events, each rendered for whoever wants it."""

import time
from collections.abc import AsyncIterator

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from synaptic.hub.pages.feed import Arrival, ArrivalFeed
from synaptic.hub.pages.page import HubPages, get_pages, read_hub, render_part
from synaptic.hub.pages.rows import make_row
from synaptic.hub.pages.wanted import WantedRows, is_wanted
from synaptic.hub.server.queries.events import EventRow, list_events
from synaptic.hub.server.refused import RequestError

ALIVE_SECONDS = 15.0
MOST_AGAIN = 200
AGAIN_SECONDS = 10.0


def make_place(feed: ArrivalFeed, number: int) -> str:
    """Where a page goes on: after a number of this process, or of another one from a moment on."""
    return f"{feed.start}.{number}.{time.time():.0f}"


def read_place(feed: ArrivalFeed, text: str) -> tuple[int, float]:
    """The number to go on after; where it is another process's the moment from which rows are looked up, else 0."""
    start, _, rest = text.partition(".")
    number, _, at = rest.partition(".")
    is_known = (
        number.isascii() and number.isdigit() and len(number) < 16 and at.isascii() and at.isdigit() and len(at) < 11
    )
    if not is_known:
        return feed.last, 0.0
    return (int(number), 0.0) if start == feed.start else (feed.last, float(at))


async def stream_rows(request: Request, wanted: WantedRows) -> AsyncIterator[str]:
    """For as long as the page is open and its person's token counts."""
    pages = get_pages(request)
    feed = pages.feed
    await feed.begin()
    text = request.headers.get("last-event-id", "") or request.query_params.get("after", "")
    seen, since = read_place(feed, text)
    yield "retry: 2000\n\n"
    if since:
        for row in await _read_since(request, wanted, since):
            yield await _format(wanted, row, make_place(feed, seen))
    while not feed.is_closed and await _may_stay(request, pages):
        for one in feed.list_after(seen):
            seen = one.number
            if message := await _describe(wanted, one, feed):
                yield message
        yield f"id: {make_place(feed, seen)}\n\n: here\n\n"
        await feed.wait_beyond(seen, ALIVE_SECONDS)


async def _describe(wanted: WantedRows, one: Arrival, feed: ArrivalFeed) -> str:
    return await _format(wanted, one.row, make_place(feed, one.number)) if is_wanted(wanted.filter, one.row) else ""


async def _format(wanted: WantedRows, row: EventRow, place: str) -> str:
    html = await run_in_threadpool(render_part, "parts/hub_row.html", row=make_row(row))
    lines = "".join(f"data: {line}\n" for line in html.splitlines())
    return f"id: {place}\nevent: entry\n{lines}\n"


async def _read_since(request: Request, wanted: WantedRows, since: float) -> list[EventRow]:
    """What a page may have missed while another process began; rows that it has are told twice, and shown once."""
    from msgspec.structs import replace  # noqa: PLC0415

    asked = replace(wanted.filter, since=max(since - AGAIN_SECONDS, 1.0), limit=MOST_AGAIN, before="")
    try:
        async with read_hub(request) as connection:
            return list(reversed(await list_events(connection, asked)))
    except RequestError:
        return []


async def _may_stay(request: Request, pages: HubPages) -> bool:
    browser = request.scope["browser"]
    if pages.door.find(browser.cookie) is None:
        return False
    if pages.door.is_fresh(browser):
        return True
    try:
        async with pages.hub.parts.database.connect() as connection:
            return await pages.door.check_token(browser, connection)
    except RequestError:
        return True  # nobody can say that it was revoked, and nothing is read meanwhile

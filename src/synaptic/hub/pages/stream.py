"""New rows of the timeline as server-sent events, each rendered for whoever wants it."""

from collections.abc import AsyncIterator

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from synaptic.hub.pages.feed import Arrival, ArrivalFeed
from synaptic.hub.pages.page import HubPages, get_pages, render_part
from synaptic.hub.pages.rows import make_row
from synaptic.hub.pages.wanted import WantedRows, is_wanted
from synaptic.hub.server.refused import RequestError

ALIVE_SECONDS = 15.0


def make_place(feed: ArrivalFeed, number: int) -> str:
    """Where a page goes on: after a number of this process."""
    return f"{feed.start}.{number}"


def read_place(feed: ArrivalFeed, text: str) -> int:
    """The number to go on after; from now on where it is no number of this process."""
    start, _, number = text.partition(".")
    is_known = start == feed.start and number.isascii() and number.isdigit() and len(number) < 16
    return int(number) if is_known else feed.last


async def stream_rows(request: Request, wanted: WantedRows) -> AsyncIterator[str]:
    """For as long as the page is open and its person's token counts."""
    pages = get_pages(request)
    feed = pages.feed
    await feed.begin()
    seen = read_place(feed, request.headers.get("last-event-id", "") or request.query_params.get("after", ""))
    yield "retry: 2000\n\n"
    while not feed.is_closed and await _may_stay(request, pages):
        for one in feed.list_after(seen):
            seen = one.number
            if message := await _describe(wanted, one, feed):
                yield message
        yield f"id: {make_place(feed, seen)}\n\n: here\n\n"
        await feed.wait_beyond(seen, ALIVE_SECONDS)


async def _describe(wanted: WantedRows, one: Arrival, feed: ArrivalFeed) -> str:
    if not is_wanted(wanted.filter, one.row):
        return ""
    html = await run_in_threadpool(render_part, "parts/hub_row.html", row=make_row(one.row))
    return format_entry(html, make_place(feed, one.number))


def format_entry(html: str, place: str) -> str:
    """One message of a stream."""
    lines = "".join(f"data: {line}\n" for line in html.splitlines())
    return f"id: {place}\nevent: entry\n{lines}\n"


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

"""The timeline: events of all hosts as they come, and further back as far as somebody scrolls."""

from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from synaptic.hub.pages.page import get_pages, read_hub, render_page
from synaptic.hub.pages.rows import KEPT_THERE, HubRow, make_row
from synaptic.hub.pages.stream import make_place, stream_rows
from synaptic.hub.pages.wanted import FIELDS, KINDS, WantedRows, read_wanted
from synaptic.hub.server.queries.events import EventRow, list_events
from synaptic.hub.server.refused import RequestError

ROWS = 60
MOST_STREAMS = 500


async def show_timeline(request: Request) -> Response:
    """The page, with its newest rows."""
    wanted, feed = read_wanted(request.query_params, ROWS), get_pages(request).feed
    place = make_place(feed, await feed.begin())  # before the rows are read: none falls between
    values = await read_rows(request, wanted, "/timeline/older")
    return await render_page(
        request, "timeline.html", page="timeline", place=place, kinds=KINDS, names=FIELDS, **values
    )  # fmt: skip


async def show_older(request: Request) -> Response:
    """Rows before one."""
    wanted = read_wanted(request.query_params, ROWS)
    return await render_page(request, "parts/hub_older.html", **await read_rows(request, wanted, "/timeline/older"))


async def stream_timeline(request: Request) -> Response:
    """New rows as they come."""
    wanted = read_wanted(request.query_params, ROWS)
    if get_pages(request).streams >= MOST_STREAMS:
        raise RequestError(503, "too many pages are live: this one is as it was loaded", after=30)
    headers = {"x-accel-buffering": "no"}
    return StreamingResponse(
        _count(request, stream_rows(request, wanted)), media_type="text/event-stream", headers=headers
    )


async def _count(request: Request, stream: AsyncIterator[str]) -> AsyncIterator[str]:
    pages = get_pages(request)
    pages.streams += 1
    try:
        async for part in stream:
            yield part
    finally:
        pages.streams -= 1


async def read_rows(request: Request, wanted: WantedRows, older: str) -> dict[str, object]:
    """What the templates need for a list of rows."""
    async with read_hub(request) as connection:
        found = await list_events(connection, wanted.filter)
    return describe_rows(found, wanted, older)


def describe_rows(found: list[EventRow], wanted: WantedRows, older: str) -> dict[str, object]:
    """The rows, and where those after them begin; "" where there are none."""
    rows: list[HubRow] = [make_row(one) for one in found]
    further = found[-1].place if len(found) == wanted.filter.limit else ""
    return {"rows": rows, "further": further, "wanted": wanted, "older": older, "kept_there": KEPT_THERE}


ROUTES = [
    Route("/timeline", show_timeline, methods=["GET"]),
    Route("/timeline/older", show_older, methods=["GET"]),
    Route("/timeline/stream", stream_timeline, methods=["GET"]),
]

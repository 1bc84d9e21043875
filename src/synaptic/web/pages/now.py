"""The first page: who needs a person, what every session does, and what was refused, as it changes."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from typing import Literal

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from synaptic.fleet.lanes import QUIET_SECONDS, Lane
from synaptic.model.errors import StoreError
from synaptic.store.refused import RefusedCall
from synaptic.web.board import BoardView
from synaptic.web.feed import ALIVE_SECONDS, format_message
from synaptic.web.lane_rows import LaneRow, make_lane_row
from synaptic.web.page import Console, get_console, render_page, render_part
from synaptic.web.refusals import RefusalGroup, RefusalRow, make_groups
from synaptic.web.volume import measure_volume
from synaptic.web.wanted import read_number
from synaptic.work.inbox import is_open

MOST_SHOWN = 25
"""Refusals on this page; the inbox has the others."""
PAUSE_SECONDS = 0.5
"""Between two messages: nobody reads faster."""


class NowPage(msgspec.Struct, frozen=True, kw_only=True):
    """What one page shows at a moment."""

    since: int
    """When its reader has come, in milliseconds: what was answered since stays."""
    lists: tuple[tuple[str, tuple["PageItem", ...]], ...]
    """The lists of the page by their names, each with its elements."""
    further: int
    """Refusals that only the inbox shows."""
    summary: str

    def find_list(self, name: str) -> tuple["PageItem", ...]:
        return dict(self.lists)[name]


class PageItem(msgspec.Struct, frozen=True):
    """One element of a list that is kept up to date."""

    id: str
    kind: Literal["lane", "refusal_group", "refusal"]
    value: LaneRow | RefusalGroup | RefusalRow


def show_now(request: Request) -> Response:
    """The page."""
    console, now = get_console(request), time.time()
    page = make_page(console.board.look(again=True), int(now * 1000), MOST_SHOWN)
    return render_page(request, "now.html", page="now", now=page, volume=measure_volume(console.reader))


async def stream_now(request: Request) -> Response:
    """What changes on a page that was made at a moment."""
    since, most = read_number(request.query_params, "since"), read_number(request.query_params, "most") or MOST_SHOWN
    stream = stream_page(get_console(request), since, min(most, 1000))
    return StreamingResponse(stream, media_type="text/event-stream", headers={"x-accel-buffering": "no"})


async def stream_page(console: Console, since: int, most: int) -> AsyncIterator[str]:
    """Server-sent events: the elements that have changed, and which there are."""
    yield "retry: 1000\n\n"
    seen, sent = -1, SentPage()
    while not console.feed.is_closed:
        seen = await console.feed.wait_changed(seen, ALIVE_SECONDS)
        try:
            view = await run_in_threadpool(console.board.look)
            html = await run_in_threadpool(render_changes, make_page(view, since, most), sent)
            seen = (
                -1 if any(lane.calls is None for lane in view.lanes if lane.step) else seen
            )  # the others are counted next
        except StoreError:
            html, seen = "", -1  # it is tried again
        yield format_message("now", html, seen) if html else ": here\n\n"
        await asyncio.sleep(PAUSE_SECONDS)  # a moment in which more may change


class SentPage:
    """What a page has been sent."""

    def __init__(self) -> None:
        self.values: dict[str, object] = {}
        self.shape: object = None


def render_changes(page: NowPage, sent: SentPage) -> str:
    """The lists with their elements' names, and of the elements those that have changed; "" where nothing has."""
    changed = {one.id for _, items in page.lists for one in items if sent.values.get(one.id) != one.value}
    shape = (page.summary, page.further, [(name, [one.id for one in items]) for name, items in page.lists])
    if not changed and sent.shape == shape:
        return ""
    sent.values, sent.shape = {one.id: one.value for _, items in page.lists for one in items}, shape
    return render_part("parts/now_changes.html", now=page, changed=changed)


def list_groups(groups: Iterable[RefusalGroup]) -> Iterator[PageItem]:
    """Headings and refusals as elements."""
    for group in groups:
        yield PageItem(f"g-{group.key}", "refusal_group", group)
        yield from (PageItem(f"r-{row.mark}", "refusal", row) for row in group.rows)


def make_page(view: BoardView, since: int, most: int) -> NowPage:
    """What a page shows of a look."""
    shown = [call for call in view.calls if is_open(call) or call.answered_at * 1000 >= since]
    held = [call for call in shown if call.mark in view.held]
    others = [call for call in shown if call.mark not in view.held]
    needs = [lane for lane in view.lanes if lane.needs_person]
    rest = [lane for lane in view.lanes if not lane.needs_person]
    lists = (
        ("needs", (*_list_lanes(needs), *list_groups(make_groups(held, view.held)))),
        ("lanes", tuple(_list_lanes(lane for lane in rest if view.at - lane.at < QUIET_SECONDS))),
        ("quiet", tuple(_list_lanes(lane for lane in rest if view.at - lane.at >= QUIET_SECONDS))),
        ("inbox", tuple(list_groups(make_groups(others[:most], view.held)))),
    )
    return NowPage(
        since=since,
        lists=lists,
        further=max(len(others) - most, 0),
        summary=describe_board(view.lanes, held, others),
    )


def describe_board(lanes: Sequence[Lane], held: Sequence[RefusedCall], others: Sequence[RefusedCall]) -> str:
    """All of it in one line, most urgent first."""
    counts = (
        (len(held), "call waits for your answer", "calls wait for your answer"),
        (sum(lane.needs_person for lane in lanes), "agent needs you", "agents need you"),
        (sum(lane.status == "working" for lane in lanes), "at work", "at work"),
        (sum(map(is_open, others)), "refusal not answered", "refusals not answered"),
    )
    return ", ".join(f"{count} {one if count == 1 else many}" for count, one, many in counts if count) or "all quiet"


def _list_lanes(lanes: Iterable[Lane]) -> Iterator[PageItem]:
    return (PageItem(row.id, "lane", row) for row in map(make_lane_row, lanes))


ROUTES = [Route("/", show_now), Route("/now/stream", stream_now)]

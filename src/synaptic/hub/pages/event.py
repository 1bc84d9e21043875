"""One event: everything that the hub knows of it, and where the rest is."""

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from synaptic.hub.pages.page import read_hub, render_page
from synaptic.hub.pages.rows import KEPT_THERE, TONES, make_row, read_code
from synaptic.hub.server.queries.event import find_event
from synaptic.hub.server.queries.events import EventRow
from synaptic.hub.server.refused import RequestError
from synaptic.web.templating import quote_in_path
from synaptic.work.event_words import format_took, show_line, show_text

LONGEST_NUMBER = 19
LONGEST_TEXT = 20_000
NO_WORDS = frozenset({"none", ""})


class ShownRun(msgspec.Struct, frozen=True, kw_only=True):
    """One evaluation."""

    hook: str
    kind: str
    tone: str
    took: str
    share: float
    """Of the slowest one, in hundredths."""
    fault: str


async def show_event(request: Request) -> Response:
    """The page of an event, by its host and sequence."""
    host, which = request.path_params["host"], request.path_params["seq"]
    is_number = which.isascii() and which.isdecimal() and len(which) < LONGEST_NUMBER
    found = None
    if is_number and "\0" not in host:
        async with read_hub(request) as connection:
            found = await find_event(connection, host, int(which))
    if found is None:
        raise RequestError(404, "the hub has no such event", hint="it may be older than what the hub keeps")
    return await render_page(request, "event.html", page="timeline", **describe_event(found))


def describe_event(one: EventRow) -> dict[str, object]:
    """What the template needs."""
    runs = make_runs(one)
    spoke = [run for run in runs if run.kind not in NO_WORDS or run.fault]
    return {
        "row": make_row(one),
        "event": show_line(one.event),
        "kind": show_line(one.kind),
        "by": show_line(one.by),
        "subject": show_text(one.subject[:LONGEST_TEXT]),
        "reason": show_text(one.reason[:LONGEST_TEXT]),
        "spoke": spoke,
        "silent": [run for run in runs if run not in spoke],
        "quiet": one.quiet,
        "exit": one.exit,
        "code": read_code(one.code),
        "call": show_line(one.call),
        "tool_use": show_line(one.tool_use),
        "grants": [show_line(name) for name in one.grants],
        "session_address": f"/session/{quote_in_path(one.host)}/{quote_in_path(one.session)}" if one.session else "",
        "kept_there": KEPT_THERE,
    }


def make_runs(one: EventRow) -> list[ShownRun]:
    """The evaluations, in their order."""
    most = max((run.micros for run in one.runs), default=0) or 1
    return [
        ShownRun(
            hook=show_line(run.hook), kind=show_line(run.kind), tone=TONES.get(run.kind, "plain"),
            took=format_took(run.micros), share=max(run.micros, 0) / most * 100, fault=show_line(run.fault),
        )
        for run in one.runs
    ]  # fmt: skip


ROUTES = [Route("/event/{host}/{seq}", show_event, methods=["GET"])]

"""Denials: by policy, by host, by project and by day, over a time that is chosen."""

import time
from datetime import UTC, datetime, timedelta

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from synaptic.fleet.roster import describe_age
from synaptic.hub.pages.page import read_hub, render_page
from synaptic.hub.pages.wanted import SPANS, read_days
from synaptic.hub.server.queries.denials import DayRow, list_days, list_denials
from synaptic.hub.server.queries.filter import read_filter
from synaptic.hub.server.queries.refusals import count_by_host, count_by_project
from synaptic.work.event_words import show_line

ROWS = 30


async def show_denials(request: Request) -> Response:
    """The page."""
    days, since = read_days(request.query_params)
    wanted = read_filter(
        {"host": request.query_params.get("host", "").strip(), "since": f"{since}", "limit": f"{ROWS}"}
    )
    async with read_hub(request) as connection:
        policies = await list_denials(connection, wanted)
        hosts = await count_by_host(connection, wanted)
        projects = await count_by_project(connection, wanted)
        by_day = await list_days(connection, read_filter({"host": wanted.host, "since": f"{since}", "limit": "100"}))
    by_day = fill_days(by_day, since)
    return await render_page(
        request, "denials.html", page="denials", days=days, spans=SPANS, host=show_line(wanted.host), policies=policies,
        hosts=hosts, projects=projects, by_day=by_day, most=max((one.denied + one.asked for one in by_day), default=0),
        clean=show_line, age=describe_age, rows=ROWS,
    )  # fmt: skip


def fill_days(found: list[DayRow], since: float) -> list[DayRow]:
    """Every day of the time, the oldest first, also those on which nothing came in."""
    known = {row.day: row for row in found}
    first, last = (datetime.fromtimestamp(at, UTC).date() for at in (since, time.time()))
    names = [f"{first + timedelta(number)}" for number in range((last - first).days + 1)]
    return [known.get(name, DayRow(name, 0, 0, 0, 0)) for name in names]


ROUTES = [Route("/denials", show_denials, methods=["GET"])]

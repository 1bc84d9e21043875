"""Latency: how long events took, by host and by hook, over a time that is chosen."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from synaptic.hub.pages.page import read_hub, render_page
from synaptic.hub.pages.wanted import SPANS, read_days
from synaptic.hub.server.queries.filter import read_filter
from synaptic.hub.server.queries.host_latency import list_host_latencies
from synaptic.hub.server.queries.latency import list_latencies
from synaptic.work.event_words import format_took, show_line

ROWS = 40


async def show_latency(request: Request) -> Response:
    """The page."""
    days, since = read_days(request.query_params)
    wanted = read_filter(
        {"host": request.query_params.get("host", "").strip(), "since": f"{since}", "limit": f"{ROWS}"}
    )
    async with read_hub(request) as connection:
        found = await list_latencies(connection, wanted)
        hosts = await list_host_latencies(connection, wanted)
    whole = next((one for one in found if not one.hook), None)
    hooks = sorted((one for one in found if one.hook), key=lambda one: -one.p95)
    return await render_page(
        request, "latency.html", page="latency", days=days, spans=SPANS, host=show_line(wanted.host), whole=whole,
        hooks=hooks, hosts=hosts, clean=show_line, took=lambda micros: format_took(int(micros)),
        most=max((one.p95 for one in hooks), default=1), most_host=max((one.p95 for one in hosts), default=1),
    )  # fmt: skip


ROUTES = [Route("/latency", show_latency, methods=["GET"])]

"""Bundles: which were published, which hosts have which, and who does not have the newest."""

import time

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from synaptic.hub.pages.fleet import read_all_hosts
from synaptic.hub.pages.fleet_rows import FleetNews, make_host
from synaptic.hub.pages.page import read_hub, render_page
from synaptic.hub.pages.rows import show_moment
from synaptic.hub.server.queries.bundles import list_bundles
from synaptic.hub.server.queries.filter import HubFilter
from synaptic.web.sizes import format_size
from synaptic.work.event_words import show_line

ROWS = 50
MOST_LACKING = 200


async def show_bundles(request: Request) -> Response:
    """The page."""
    async with read_hub(request) as connection:
        published = await list_bundles(connection, HubFilter(limit=ROWS))
        hosts = await read_all_hosts(connection)
    newest = published[0].title if published else ""
    news = FleetNews(time.time(), "", newest)
    shown = [make_host(one, news) for one in hosts if not one.revoked_at]
    lacking = [one for one in shown if one.bundle != newest] if newest else []
    return await render_page(
        request, "bundles.html", page="bundles", bundles=published, hosts=len(shown), lacking=lacking[:MOST_LACKING],
        more=max(len(lacking) - MOST_LACKING, 0), newest=show_line(newest), size=format_size, moment=show_moment,
        clean=show_line,
    )  # fmt: skip


ROUTES = [Route("/bundles", show_bundles, methods=["GET"])]

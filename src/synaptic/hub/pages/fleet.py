"""The fleet: every host, what runs there, how far behind it is, and what its agents do."""

import time
from collections import Counter
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from synaptic.hub.pages.fleet_rows import KINDS, FleetNews, find_newest_version, make_host
from synaptic.hub.pages.page import read_hub, render_page
from synaptic.hub.server.database import Connection
from synaptic.hub.server.queries.bundles import list_bundles
from synaptic.hub.server.queries.filter import MOST_ROWS, HubFilter
from synaptic.hub.server.queries.hosts import HostRow, list_hosts

MOST_HOSTS = 5000
ROWS = 100


async def show_fleet(request: Request) -> Response:
    """The page."""
    return await render_page(request, "fleet.html", page="fleet", **await _look(request))


async def show_hosts(request: Request) -> Response:
    """The part that is looked at again now and then."""
    return await render_page(request, "parts/hub_hosts.html", **await _look(request))


async def read_all_hosts(connection: Connection) -> list[HostRow]:
    """Page by page, up to as many as one look may bring."""
    found: list[HostRow] = []
    while len(found) < MOST_HOSTS:
        before = found[-1].id if found else ""
        rows = await list_hosts(connection, HubFilter(limit=MOST_ROWS, before=before))
        found += rows
        if len(rows) < MOST_ROWS:
            break
    return found


async def _look(request: Request) -> dict[str, Any]:
    only, text = request.query_params.get("only", ""), request.query_params.get("q", "").strip().lower()[:200]
    async with read_hub(request) as connection:
        found = await read_all_hosts(connection)
        published = await list_bundles(connection, HubFilter(limit=1))
    news = FleetNews(time.time(), find_newest_version(found), published[0].title if published else "")
    hosts = [make_host(one, news) for one in found]
    counts = Counter(mark for one in hosts for mark in one.marks)
    chosen = [one for one in hosts if (not only or only in one.marks) and text in f"{one.id} {one.name}".lower()]
    chosen.sort(key=lambda one: (one.rank, one.id))
    return {
        "hosts": chosen[:ROWS], "all": len(hosts), "more": max(len(chosen) - ROWS, 0), "counts": counts,
        "kinds": KINDS, "only": only if only in KINDS else "", "q": text, "news": news,
        "agents": sum(len(one.status.agents) for one in found if one.status and not one.revoked_at),
        "is_cut": len(found) >= MOST_HOSTS,
    }  # fmt: skip


ROUTES = [Route("/", show_fleet, methods=["GET"]), Route("/fleet/hosts", show_hosts, methods=["GET"])]

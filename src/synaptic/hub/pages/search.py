"""Search: past events of all hosts by words, the newest first."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from synaptic.hub.pages.page import render_page
from synaptic.hub.pages.timeline import describe_rows, read_rows
from synaptic.hub.pages.wanted import FIELDS, KINDS, read_wanted

ROWS = 60


async def show_search(request: Request) -> Response:
    """The page; without words only the field for them."""
    wanted = read_wanted(request.query_params, ROWS, "all")
    older = "/search/older"
    values = await read_rows(request, wanted, older) if wanted.filter.q else describe_rows([], wanted, older)
    return await render_page(request, "search.html", page="search", kinds=KINDS, names=FIELDS, **values)


async def show_older(request: Request) -> Response:
    """Rows before one."""
    wanted = read_wanted(request.query_params, ROWS, "all")
    return await render_page(request, "parts/hub_older.html", **await read_rows(request, wanted, "/search/older"))


ROUTES = [Route("/search", show_search, methods=["GET"]), Route("/search/older", show_older, methods=["GET"])]

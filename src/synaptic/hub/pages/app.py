"""The hub's pages beside its addresses for hosts and programs, in front of them their door."""

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from synaptic.hub.pages import (
    bundles,
    denials,
    event,
    fleet,
    latency,
    login,
    overrides,
    questions,
    search,
    sessions,
    timeline,
    witness,
)  # fmt: skip
from synaptic.hub.pages.door import PageDoor, PageOptions
from synaptic.hub.pages.guarded import GuardedPages
from synaptic.hub.pages.page import HubPages, answer_error, list_assets
from synaptic.hub.server.app import build_hub
from synaptic.hub.server.hub import Hub
from synaptic.hub.server.refused import RequestError
from synaptic.hub.wire import API
from synaptic.model.errors import SynapticError
from synaptic.web.assets import send_asset


def build_pages(hub: Hub, options: PageOptions) -> ASGIApp:
    """All pages."""
    parts = (login, fleet, timeline, search, sessions, event, questions, denials, overrides, witness, latency, bundles)
    handlers = dict.fromkeys((RequestError, SynapticError, Exception), answer_error)
    app = Starlette(
        routes=[Route("/static/{name:path}", _send_asset), *(route for part in parts for route in part.ROUTES)],
        exception_handlers={**handlers, HTTPException: _answer_missing},
    )
    door = PageDoor(options)
    app.state.pages = HubPages(hub, door)
    return GuardedPages(app, door, hub)


def build_site(hub: Hub, options: PageOptions) -> ASGIApp:
    """What hosts and programs ask, and pages at every other address."""
    return HubSite(build_hub(hub), build_pages(hub, options))


class HubSite:
    """Nothing that a browser brings along opens what programs ask, and the other way round."""

    def __init__(self, programs: ASGIApp, pages: ASGIApp) -> None:
        self._programs, self._pages = programs, pages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_program = scope["type"] != "http" or scope["path"].startswith(f"{API}/")
        await (self._programs if is_program else self._pages)(scope, receive, send)


async def _send_asset(request: Request) -> Response:
    found = list_assets().get(request.path_params["name"])
    return send_asset(found, request.headers.get("accept-encoding", ""))


async def _answer_missing(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    words = "there is no such page" if status == 404 else "this page does not take that"
    return await answer_error(request, RequestError(status, words))

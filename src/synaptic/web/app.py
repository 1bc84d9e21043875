"""The console's addresses, in front of them its door."""

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from synaptic.model.errors import LayerError, SynapticError
from synaptic.web.assets import load_assets, send_asset
from synaptic.web.door import ConsoleDoor
from synaptic.web.guarded import FindPeer, GuardedApp
from synaptic.web.page import Console, answer_error, get_console, render_page, render_trouble
from synaptic.web.pages import event, fleet, health, inbox, now, policies, session, sessions, timeline


def build_console(console: Console, door: ConsoleDoor, find_peer: FindPeer) -> ASGIApp:
    """The whole application."""
    app = Starlette(
        routes=[
            Route("/static/{name:path}", _send_asset),
            Route("/link", _make_link, methods=["POST"]),
            *now.ROUTES,
            *inbox.ROUTES,
            *timeline.ROUTES,
            *policies.ROUTES,
            *health.ROUTES,
            *sessions.ROUTES,
            *session.ROUTES,
            *event.ROUTES,
            *fleet.ROUTES,
        ],
        exception_handlers={SynapticError: answer_error, 404: _answer_missing, 500: answer_error},
    )
    app.state.console = console
    return GuardedApp(app, door, find_peer)


def _send_asset(request: Request) -> Response:
    asset = load_assets().get(request.path_params["name"])
    return send_asset(asset, request.headers.get("accept-encoding", ""))


def _make_link(request: Request) -> Response:
    """One more browser of the same person."""
    return render_page(request, "parts/link.html", link=get_console(request).make_link())


async def _answer_missing(request: Request, error: Exception) -> Response:
    return render_trouble(request, LayerError("NOT_FOUND", "there is no such page"), 404)

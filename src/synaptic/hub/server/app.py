"""The hub's addresses. Whatever goes wrong, whoever asks is told a status and a sentence."""

import logging

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from synaptic.hub.server import for_hosts, for_persons
from synaptic.hub.server.for_hosts import answer_json, get_hub
from synaptic.hub.server.hub import Hub
from synaptic.hub.server.refused import RequestError
from synaptic.hub.wire import API
from synaptic.model.errors import SynapticError

log = logging.getLogger("synaptic.hub")


def build_hub(hub: Hub) -> Starlette:
    """The whole application."""
    handlers = {
        RequestError: _answer_refused,
        SynapticError: _answer_wrong,
        HTTPException: _answer_http,
        Exception: _answer_broken,
    }
    app = Starlette(
        routes=[Route(f"{API}/health", get_health), *for_hosts.ROUTES, *for_persons.ROUTES],
        exception_handlers=handlers,  # type: ignore[arg-type]  # each takes its own kind of error
    )
    app.state.hub = hub
    return app


async def get_health(request: Request) -> Response:
    async with get_hub(request).parts.database.connect() as connection:
        await connection.execute("SELECT 1")
    return answer_json({"ok": True})


async def _answer_refused(request: Request, error: RequestError) -> Response:
    headers = {"retry-after": str(error.after)} if error.after else {}
    if error.status == 401:
        headers["www-authenticate"] = "Bearer"
    return Response(error.body, error.status, headers, "application/json")


async def _answer_wrong(request: Request, error: SynapticError) -> Response:
    return await _answer_refused(request, RequestError(400, error.message, hint=error.hint))


async def _answer_http(request: Request, error: HTTPException) -> Response:
    return await _answer_refused(request, RequestError(error.status_code, error.detail))


async def _answer_broken(request: Request, error: Exception) -> Response:
    log.error("%s %s: %s: %s", request.method, request.url.path, type(error).__name__, str(error)[:500])
    return await _answer_refused(request, RequestError(500, "the hub failed; its log says why", after=10))

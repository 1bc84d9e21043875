"""The ASGI app: JSON-RPC and agents' http hooks, on the Unix socket and, on request, on loopback."""

import asyncio
import hmac
import os
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from synaptic.daemon import rpc
from synaptic.daemon.client import new_call_id
from synaptic.daemon.frame import STDIN_LIMIT, TOO_LARGE_STDIN
from synaptic.daemon.lifecycle import clean_environment
from synaptic.daemon.loopback import ConnectionEnds, find_loopback_peer
from synaptic.daemon.rpc import read_peer
from synaptic.model.call import Answer, Request

Endpoint = Callable[[HttpRequest], Awaitable[Response]]
LOCAL_HOSTS = ("127.0.0.1", "localhost", "[::1]")


def build_application(service: Any, token: str | None = None) -> Starlette:
    """The app for one listener. With a token it is for loopback: every request must carry it."""
    guard = _require_token(token) if token is not None else _leave_open
    routes = [
        Route("/hook/{agent}/{event}", guard(_make_hook_endpoint(service)), methods=["POST"]),
        Route("/health", guard(_make_health_endpoint(service)), methods=["GET"]),
    ]
    # The token is in the settings of agents: it opens their hooks, and nothing that a person does.
    if token is None:
        routes.append(Route("/rpc", _make_rpc_endpoint(service), methods=["POST"]))
    return Starlette(routes=routes)


def _make_rpc_endpoint(service: Any) -> Endpoint:
    async def answer(request: HttpRequest) -> Response:
        body = await rpc.answer_json_rpc(service, await _read_body(request))
        return Response(body, media_type="application/json")

    return answer


def _make_hook_endpoint(service: Any) -> Endpoint:
    """An agent's http hook: the body is the event, the answer is what `dispatch` would have printed."""

    async def answer(request: HttpRequest) -> Response:
        event = Request(
            agent=request.path_params["agent"],
            event=request.path_params["event"],
            stdin=await _read_body(request),
            id=new_call_id(),
            # A post brings no environment of the agent's; hooks get the daemon's few plain variables.
            env=clean_environment(os.environ),
        )
        peer = read_peer()
        if not peer and request.client and service.engine.senders.is_spoken(event):
            peer = find_loopback_peer(
                ConnectionEnds((request.client.host, request.client.port), request.scope["server"])
            )
        return _answer_to_http(await _answer_client(service, request, service.engine.senders.examine(event, peer)))

    return answer


async def _answer_client(service: Any, request: HttpRequest, event: Request) -> Answer:
    """The engine's answer; a call that waits for a person ends with its client."""
    leaving = asyncio.create_task(_leave_when_gone(service, request, event.id))
    try:
        answer: Answer = await service.engine.answer(event)
        return answer
    finally:
        leaving.cancel()


async def _leave_when_gone(service: Any, request: HttpRequest, call: str) -> None:
    # Behind a body that was read to its end nothing else comes; one that was not is refused without a person.
    if (await request.receive())["type"] == "http.disconnect":
        service.engine.held.leave(call)


async def _read_body(request: HttpRequest) -> bytes:
    """The body; of one that is too large nothing is kept, since one client must not fill everybody's memory."""
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > STDIN_LIMIT:
            return TOO_LARGE_STDIN
    return bytes(body)


def _answer_to_http(answer: Answer) -> Response:
    """An http hook has no exit code: a refusal by exit code becomes a block in words."""
    if answer.exit == 2 and not answer.stdout:
        reason = answer.stderr.decode("utf-8", "replace").strip() or "refused"
        return JSONResponse({"decision": "block", "reason": reason})
    # An agent reads only JSON from an http hook: plain text would be an error there.
    if answer.stdout and not answer.stdout.lstrip().startswith(b"{"):
        return JSONResponse({"systemMessage": answer.stdout.decode("utf-8", "replace")})
    return Response(answer.stdout or b"{}", media_type="application/json")


def _make_health_endpoint(service: Any) -> Endpoint:
    async def answer(request: HttpRequest) -> Response:
        return JSONResponse({"ok": True, "version": service.version})

    return answer


def _leave_open(endpoint: Endpoint) -> Endpoint:
    return endpoint


def _require_token(token: str) -> Callable[[Endpoint], Endpoint]:
    """Answer only requests with the token, addressed to this machine by name, and never from a web page."""

    def guard(endpoint: Endpoint) -> Endpoint:
        async def checked(request: HttpRequest) -> Response:
            if refusal := _find_refusal(request, token):
                return JSONResponse({"error": refusal}, status_code=403)
            return await endpoint(request)

        return checked

    return guard


def _find_refusal(request: HttpRequest, token: str) -> str:
    host = request.headers.get("host", "").rpartition(":")[0] or request.headers.get("host", "")
    # DNS rebinding: a web page can let its own name point to 127.0.0.1, but the Host header still says that name.
    if host not in LOCAL_HOSTS:
        return "the Host header does not name this machine"
    # Browsers add Origin to what a page posts, and the page cannot prevent it; no agent sends one.
    if "origin" in request.headers:
        return "requests from web pages are not answered"
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    # As bytes: for text, compare_digest raises when it is not ASCII.
    if scheme.lower() != "bearer" or not hmac.compare_digest(given.encode(), token.encode()):
        return "the token is missing or wrong"
    return ""

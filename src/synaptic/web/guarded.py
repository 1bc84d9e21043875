"""The door in front of every request: without the cookie the port answers nothing."""

from collections.abc import Callable
from typing import NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from synaptic.web.door import Browser, ConsoleDoor, ProcessKey, is_form_token

ENTRANCE = "/enter"
FORM_HEADER = "x-synaptic-form"
CLOSED_TEXT = "This console is closed. Open the link that `synaptic web` has printed.\n"
USED_TEXT = (
    "This link has been used. If that was not you, somebody else looks on: press Ctrl-C where `synaptic web` runs, "
    "and start it again.\n"
)
OLD_TEXT = "This link is unknown or too old. Start `synaptic web` again for a new one.\n"
SAFE_METHODS = ("GET", "HEAD")
LARGEST_FORM = 64 << 10
POLICY = (
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'; img-src 'self'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


class Peer(NamedTuple):
    """The program at the other end of a connection."""

    why: str
    """What makes it an agent's; "" where nothing does."""
    processes: frozenset[ProcessKey] = frozenset()


FindPeer = Callable[[int], Peer]
"""Who holds the other end of a connection, by its port."""


class GuardedApp:
    """An application that only answers browsers that came in by a link, and only lets people act."""

    def __init__(self, app: ASGIApp, door: ConsoleDoor, find_peer: FindPeer) -> None:
        self._app, self._door, self._find_peer = app, door, find_peer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        answer = await self._find_answer(scope, receive)
        await answer(scope, receive, _add_headers(send))

    async def _find_answer(self, scope: Scope, receive: Receive) -> ASGIApp:
        request, headers = Request(scope, receive), Headers(scope=scope)
        acts = request.method not in SAFE_METHODS
        if why := self._door.explain_refusal(headers, acts=acts):
            return PlainTextResponse(f"Refused: {why}.\n", 403)
        if request.url.path == ENTRANCE and not acts:
            return await self._enter(request)
        browser = self._door.find_browser(request.cookies.get(self._door.cookie_name, ""))
        if browser is None:
            return PlainTextResponse(CLOSED_TEXT, 403)
        scope["browser"], scope["is_same_browser"] = browser, False
        if acts and (refusal := await self._refuse_act(request, browser)):
            return refusal
        return self._app

    async def _enter(self, request: Request) -> Response:
        token = request.query_params.get("token", "")
        peer = await run_in_threadpool(self._find_peer, _read_port(request))
        if peer.why:
            return PlainTextResponse(f"Refused: the console is for people ({peer.why}).\n", 403)
        browser = self._door.enter(token, peer.processes)
        if browser is None:
            return PlainTextResponse(USED_TEXT if self._door.was_used(token) else OLD_TEXT, 403)
        answer = RedirectResponse("/", 303)
        answer.set_cookie(self._door.cookie_name, browser.cookie, path="/", httponly=True, samesite="strict")
        return answer

    async def _refuse_act(self, request: Request, browser: Browser) -> Response | None:
        if not is_form_token(browser, request.headers.get(FORM_HEADER, "")):
            return PlainTextResponse("Refused: this was not sent by a page of this console.\n", 403)
        length = request.headers.get("content-length", "")
        if not length.isdecimal() or int(length) > LARGEST_FORM:
            return PlainTextResponse("Refused: it is too long.\n", 413)
        peer = await run_in_threadpool(self._find_peer, _read_port(request))
        if peer.why:
            return PlainTextResponse(f"Refused: this is for people ({peer.why}).\n", 403)
        request.scope["is_same_browser"] = not browser.processes.isdisjoint(peer.processes)
        return None


def _read_port(request: Request) -> int:
    return request.client.port if request.client else 0


def _add_headers(send: Send) -> Send:
    async def send_guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = {name for name, _ in message["headers"]}
            more = [(name.encode(), value.encode()) for name, value in HEADERS.items() if name.encode() not in given]
            if b"cache-control" not in given:
                more.append((b"cache-control", b"no-store"))
            message = {**message, "headers": [*message["headers"], *more]}
        await send(message)

    return send_guarded

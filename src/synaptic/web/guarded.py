"""The door in front of every request: without the cookie the port answers nothing."""

from collections.abc import Callable
from typing import NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from synaptic.daemon.loopback import ConnectionEnds
from synaptic.web.door import Browser, ConsoleDoor, ProcessKey, is_form_token

ENTRANCE, ASSETS = "/enter", "/static/"
FORM_HEADER = "x-synaptic-form"
CLOSED_TEXT = "This console is closed. Open the link that `synaptic web` has printed.\n"
USED_TEXT = (
    "This link has been used. If that was not you, somebody else looks on: press Ctrl-C where `synaptic web` runs, "
    "and start it again.\n"
)
PASTE_TEXT = "Copy the link into the address bar: one that is pressed on another page does not open the console.\n"
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
    name: str = ""
    """Its name and process, for people."""


FindPeer = Callable[[ConnectionEnds, frozenset[ProcessKey]], Peer]
"""Who holds the other end of a connection; the processes are those that it is likely to be."""
NOBODY: frozenset[ProcessKey] = frozenset()


class GuardedApp:
    """An application that only answers browsers that came in by a link, and only lets people act."""

    def __init__(self, app: ASGIApp, door: ConsoleDoor, find_peer: FindPeer) -> None:
        self._app, self._door, self._find_peer = app, door, find_peer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        answer = await self._find_answer(scope, receive)
        await answer(scope, receive, add_headers(send))

    async def _find_answer(self, scope: Scope, receive: Receive) -> ASGIApp:
        request, headers = Request(scope, receive), Headers(scope=scope)
        acts = request.method not in SAFE_METHODS
        if why := self._door.explain_refusal(headers, acts=acts):
            more = PASTE_TEXT if scope["path"] == ENTRANCE else ""
            return PlainTextResponse(f"Refused: {why}.\n{more}", 403)
        path, browser = scope["path"], self._door.find_browser(request.cookies.get(self._door.cookie_name, ""))
        if path == ENTRANCE and request.method == "GET":  # who only asks for its head opens nothing
            return await self._enter(request, browser)
        if browser is None:
            return PlainTextResponse(CLOSED_TEXT, 403)
        if not path.startswith(ASSETS) and (why := await self._explain_reader(request, browser)):
            return PlainTextResponse(f"Refused: the console is for people ({why}).\n", 403)
        scope["browser"], scope["is_same_browser"] = browser, False
        if acts and (refusal := await self._refuse_act(request, browser)):
            return refusal
        if connection := scope.get("connection"):
            connection.is_known = True
        return self._app

    async def _enter(self, request: Request, browser: Browser | None) -> Response:
        token = request.query_params.get("token", "")
        if not self._door.is_open(token):
            if self._door.was_used_by(token, browser):
                return RedirectResponse("/", 303)  # it was reloaded, or somebody went back to it
            return PlainTextResponse(USED_TEXT if self._door.was_used(token) else OLD_TEXT, 403)
        peer = await run_in_threadpool(self._find_peer, _read_ends(request), NOBODY)
        if peer.why:
            return PlainTextResponse(f"Refused: the console is for people ({peer.why}).\n", 403)
        browser = self._door.enter(token, peer.processes, peer.name)
        if browser is None:
            return PlainTextResponse(USED_TEXT, 403)
        answer = RedirectResponse("/", 303)
        answer.set_cookie(self._door.cookie_name, browser.cookie, path="/", httponly=True, samesite="strict")
        return answer

    async def _explain_reader(self, request: Request, browser: Browser) -> str:
        """What makes the other end of a connection an agent's: it is looked at once, before the first page."""
        connection = request.scope.get("connection")
        peer: Peer | None = connection.peer if connection else None
        if peer is None:
            peer = await run_in_threadpool(self._find_peer, _read_ends(request), browser.processes)
            if connection and not peer.why:
                connection.peer = peer
        return peer.why

    async def _refuse_act(self, request: Request, browser: Browser) -> Response | None:
        if not is_form_token(browser, request.headers.get(FORM_HEADER, "")):
            return PlainTextResponse("Refused: this was not sent by a page of this console.\n", 403)
        length = request.headers.get("content-length", "")
        if not length.isdecimal() or int(length) > LARGEST_FORM:
            return PlainTextResponse("Refused: it is too long.\n", 413)
        peer = await run_in_threadpool(self._find_peer, _read_ends(request), browser.processes)
        if peer.why:
            return PlainTextResponse(f"Refused: this is for people ({peer.why}).\n", 403)
        request.scope["is_same_browser"] = not browser.processes.isdisjoint(peer.processes)
        return None


def _read_ends(request: Request) -> ConnectionEnds:
    return ConnectionEnds(*(tuple(request.scope.get(name) or ("", 0)) for name in ("client", "server")))


def add_headers(send: Send) -> Send:
    """With what every answer to a browser says of itself: nothing from elsewhere, in no frame, kept nowhere."""

    async def send_guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = {name for name, _ in message["headers"]}
            more = [(name.encode(), value.encode()) for name, value in HEADERS.items() if name.encode() not in given]
            if b"cache-control" not in given:
                more.append((b"cache-control", b"no-store"))
            message = {**message, "headers": [*message["headers"], *more]}
        await send(message)

    return send_guarded

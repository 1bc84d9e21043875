"""The door in front of every page: without the cookie there is the form for a token, and nothing else."""

import hmac
from urllib.parse import quote

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from synaptic.hub.pages.door import HubBrowser, PageDoor, is_opened_elsewhere
from synaptic.hub.pages.page import render_alone
from synaptic.hub.server.hub import Hub
from synaptic.hub.server.refused import RequestError
from synaptic.web.guarded import ASSETS, FORM_HEADER, LARGEST_FORM, SAFE_METHODS, add_headers

LOGIN = "/login"
CLOSED = "You are logged out. Reload the page.\n"
LONGEST_NEXT = 2000


class GuardedPages:
    """An application that only answers browsers of persons who have shown their token."""

    def __init__(self, app: ASGIApp, door: PageDoor, hub: Hub) -> None:
        self._app, self._door, self._hub = app, door, hub

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        answer = await self._find_answer(scope, receive)
        await answer(scope, receive, add_headers(send))

    async def _find_answer(self, scope: Scope, receive: Receive) -> ASGIApp:
        request, headers = Request(scope, receive), Headers(scope=scope)
        acts, path = request.method not in SAFE_METHODS, scope["path"]
        if why := self._door.explain_refusal(headers, acts=acts):
            return self._refuse(request, why)
        if acts and (too_long := _refuse_length(headers)):
            return too_long
        if path == LOGIN or path.startswith(ASSETS):
            return self._app
        browser = self._door.find(request.cookies.get(self._door.cookie_name, ""))
        try:
            if browser is None or not await self._is_known(browser):
                return _ask_token(request)
        except RequestError as error:
            return PlainTextResponse(f"{error.message}. Reload in a moment.\n", error.status)
        if acts and not _is_form_token(browser, headers.get(FORM_HEADER, "")):
            return PlainTextResponse("Refused: this was not sent by a page of this hub.\n", 403)
        scope["browser"] = browser
        return self._app

    def _refuse(self, request: Request, why: str) -> Response:
        fits = not self._door.explain_refusal({**request.headers, "sec-fetch-site": "none"}, acts=False)
        if fits and request.method == "GET" and is_opened_elsewhere(request.headers):
            return render_alone("knock.html", address=_find_address(request))
        return PlainTextResponse(f"Refused: {why}.\n", 403)

    async def _is_known(self, browser: HubBrowser) -> bool:
        if self._door.is_fresh(browser):
            return True
        async with self._hub.parts.database.connect() as connection:
            return await self._door.check_token(browser, connection)


def _ask_token(request: Request) -> Response:
    if (
        request.method != "GET"
        or "hx-request" in request.headers
        or "text/html" not in request.headers.get("accept", "")
    ):
        return PlainTextResponse(CLOSED, 401)
    address = _find_address(request)
    return RedirectResponse(f"{LOGIN}?next={quote(address, safe='/')}" if address != "/" else LOGIN, 303)


def _is_form_token(browser: HubBrowser, given: str) -> bool:
    return hmac.compare_digest(browser.form_token.encode(), given.encode("utf-8", "replace"))


def _refuse_length(headers: Headers) -> Response | None:
    length = headers.get("content-length", "")
    is_fit = length.isascii() and length.isdecimal() and len(length) < 12 and int(length) <= LARGEST_FORM
    return None if is_fit else PlainTextResponse("Refused: it is too long.\n", 413)


def _find_address(request: Request) -> str:
    """The path with its question, as the browser wrote it."""
    question = request.url.query
    raw = request.scope.get("raw_path") or request.scope["path"].encode()
    address = str(raw.decode("latin-1")) + (f"?{question}" if question else "")
    return clean_address(address)


def clean_address(text: str) -> str:
    """A place of this hub, whatever was asked for: `//` and `/\\` lead elsewhere."""
    is_own = text.startswith("/") and text[1:2] not in ("/", "\\") and text.isascii() and text.isprintable()
    return text if is_own and len(text) <= LONGEST_NEXT else "/"

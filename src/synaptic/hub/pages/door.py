"""Who may see the hub's pages: persons with a token, each browser by a cookie that this process alone knows."""

import asyncio
import secrets
import time
from collections.abc import Mapping

import msgspec

from synaptic.hub.server.database import Connection
from synaptic.hub.server.secrets import FoundToken

TOKEN_BYTES = 32
MOST_BROWSERS = 1000
STAY_SECONDS = 12 * 3600.0
LOOK_SECONDS = 5.0
"""For so long nobody asks again whether a token was revoked."""
WRONG_SECONDS = 1.0
MOST_SLOWED = 100


class HubBrowser(msgspec.Struct, frozen=True):
    """One browser of somebody who has shown their token."""

    cookie: str
    form_token: str
    """What every request that changes something carries besides the cookie."""
    token: int
    name: str
    role: str
    until: float
    """By the monotonic clock."""


class PageOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How the pages are reached."""

    names: tuple[str, ...]
    """Names of this hub as browsers write them, without a port: any other came by somebody else's DNS record."""
    is_secure: bool = False
    """Whether browsers come by TLS."""
    hub: str = ""
    """What the hub is called."""


class PageDoor:
    """Browsers that are in. They are in memory only: a new start knows nobody."""

    def __init__(self, options: PageOptions) -> None:
        self.options = options
        self.cookie_name = "__Host-synaptic_hub" if options.is_secure else "synaptic_hub"
        self._browsers: dict[str, HubBrowser] = {}
        self._looked: dict[int, float] = {}
        self._slowed = 0

    def enter(self, found: FoundToken) -> HubBrowser:
        """A new browser of somebody; the oldest goes where there are too many."""
        until = time.monotonic() + STAY_SECONDS
        cookie, form_token = (secrets.token_urlsafe(TOKEN_BYTES) for _ in range(2))
        browser = HubBrowser(cookie, form_token, found.id, found.name, found.role, until)
        self._browsers[cookie] = browser
        while len(self._browsers) > MOST_BROWSERS:
            self._browsers.pop(next(iter(self._browsers)))
        return browser

    def find(self, cookie: str) -> HubBrowser | None:
        """The browser with this cookie, if its time is not over."""
        browser = self._browsers.get(cookie)
        if browser is not None and browser.until < time.monotonic():
            self.leave(browser)
            return None
        return browser

    def leave(self, browser: HubBrowser) -> None:
        self._browsers.pop(browser.cookie, None)

    async def check_token(self, browser: HubBrowser, connection: Connection) -> bool:
        """Whether the token still counts; all browsers of one that was revoked are shut out."""
        found = await connection.execute("SELECT 1 FROM tokens WHERE id = %s AND revoked_at IS NULL", (browser.token,))
        if await found.fetchone():
            self._looked[browser.token] = time.monotonic()
            return True
        for one in [one for one in self._browsers.values() if one.token == browser.token]:
            self.leave(one)
        return False

    def is_fresh(self, browser: HubBrowser) -> bool:
        """Whether its token was looked up a moment ago."""
        return time.monotonic() - self._looked.get(browser.token, -LOOK_SECONDS) < LOOK_SECONDS

    async def slow_down(self) -> bool:
        """After a wrong token: wait; False where too many wait already. Nobody's right token ever waits for these."""
        if self._slowed >= MOST_SLOWED:
            return False
        self._slowed += 1
        try:
            await asyncio.sleep(WRONG_SECONDS)
        finally:
            self._slowed -= 1
        return True

    def explain_refusal(self, headers: Mapping[str, str], *, acts: bool) -> str:
        """Why a request is nobody's that we know, whatever it carries; "" where its headers are in order."""
        host = headers.get("host", "")
        if strip_port(host) not in self.options.names:
            return "this address is not the hub's. An administrator names it: synaptic hub serve --called NAME"
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return "another page has asked for this"
        origin, scheme = headers.get("origin", ""), "https" if self.options.is_secure else "http"
        if (acts or origin) and origin != f"{scheme}://{host}":
            return "another page has asked for this"
        return ""


def strip_port(host: str) -> str:
    """The name in a Host header."""
    name, colon, port = host.lower().rpartition(":")
    return name if colon and port.isdigit() else host.lower()


def is_opened_elsewhere(headers: Mapping[str, str]) -> bool:
    """Whether somebody has pressed a link on another page: the browser brings no cookie along."""
    return headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"

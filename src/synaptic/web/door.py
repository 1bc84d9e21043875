"""Who may see the console, and who may act in it: a link that opens once, then a cookie of one browser."""

import hmac
import secrets
import time
from collections.abc import Mapping

import msgspec

TOKEN_BYTES = 32
MOST_LINKS, MOST_BROWSERS = 8, 16
LINK_SECONDS = 600.0
"""A link that nobody has opened is worth nothing after this time."""


ProcessKey = tuple[int, str]


class Browser(msgspec.Struct, frozen=True):
    """One browser that has come in by a link."""

    cookie: str
    form_token: str
    """What every request that changes something carries besides the cookie."""
    processes: frozenset[ProcessKey] = frozenset()
    """The program that came in: its process at the other end of the connection, and the one that started it."""


class ConsoleDoor:
    """The links and cookies of one console. They are in its memory only: a new start knows nobody."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.cookie_name = f"synaptic_{port}"  # browsers send a cookie to every port of a host
        self._links: dict[str, float] = {}
        self._used: list[str] = []
        self._browsers: dict[str, Browser] = {}

    @property
    def origins(self) -> tuple[str, ...]:
        return tuple(f"http://{host}" for host in self.hosts)

    @property
    def hosts(self) -> tuple[str, ...]:
        return (f"127.0.0.1:{self.port}", f"localhost:{self.port}")

    def make_link(self) -> str:
        """An address that lets one browser in, once."""
        token = secrets.token_urlsafe(TOKEN_BYTES)
        self._links[token] = time.monotonic() + LINK_SECONDS
        while len(self._links) > MOST_LINKS:
            self._links.pop(next(iter(self._links)))
        return f"http://127.0.0.1:{self.port}/enter?token={token}"

    def enter(self, token: str, processes: frozenset[ProcessKey] = frozenset()) -> Browser | None:
        """A new browser for a link's token; None for one that is unknown, old or used."""
        found = _find_equal(self._links, token)
        until = self._links.pop(found, 0.0) if found else 0.0
        if until < time.monotonic():
            return None
        self._used = [*self._used[1 - MOST_LINKS :], found]
        browser = Browser(secrets.token_urlsafe(TOKEN_BYTES), secrets.token_urlsafe(TOKEN_BYTES), processes)
        self._browsers[browser.cookie] = browser
        while len(self._browsers) > MOST_BROWSERS:
            self._browsers.pop(next(iter(self._browsers)))
        return browser

    def was_used(self, token: str) -> bool:
        """Whether a link has let somebody in already."""
        return bool(_find_equal(dict.fromkeys(self._used, 0.0), token))

    def find_browser(self, cookie: str) -> Browser | None:
        """The browser with this cookie."""
        found = _find_equal(dict.fromkeys(self._browsers, 0.0), cookie)
        return self._browsers.get(found)

    def explain_refusal(self, headers: Mapping[str, str], *, acts: bool) -> str:
        """Why a request is nobody's that we know, whatever it carries; "" where its headers are in order.

        A name that is not ours came through a DNS record of somebody else; an origin that is not ours is another page.
        """
        if headers.get("host", "") not in self.hosts:
            return "this address is not the console's"
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return "another page has asked for this"
        origin = headers.get("origin", "")
        if (acts or origin) and origin not in self.origins:
            return "another page has asked for this"
        return ""


def is_form_token(browser: Browser, given: str) -> bool:
    """Whether a request was made by a page of ours."""
    return _is_equal(browser.form_token, given)


def _find_equal(known: Mapping[str, float], given: str) -> str:
    # Each is compared in full: how long it takes says nothing about how much was right.
    found = [one for one in known if _is_equal(one, given)]
    return found[0] if found else ""


def _is_equal(known: str, given: str) -> bool:
    return hmac.compare_digest(known.encode(), given.encode("utf-8", "replace"))

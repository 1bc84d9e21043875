"""Who may see the console, and who may act in it: a link that opens once, then a cookie of one browser."""

import hmac
import secrets
import time
from collections.abc import Callable, Iterable, Mapping

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

    def __init__(
        self, port: int, host: str = "127.0.0.1", tell_guest: Callable[[str], None] = lambda name: None
    ) -> None:
        self.host, self.port, self._tell_guest = host, port, tell_guest
        self.cookie_name = f"synaptic_{port}"  # browsers send a cookie to every port of a host
        self._links: dict[str, float] = {}
        self._used: dict[str, str] = {}
        self._browsers: dict[str, Browser] = {}

    @property
    def origins(self) -> tuple[str, ...]:
        return tuple(f"http://{host}" for host in self.hosts)

    @property
    def hosts(self) -> tuple[str, ...]:
        return (f"{self.host}:{self.port}",)

    def make_link(self) -> str:
        """An address that lets one browser in, once."""
        token = secrets.token_urlsafe(TOKEN_BYTES)
        self._links[token] = time.monotonic() + LINK_SECONDS
        while len(self._links) > MOST_LINKS:
            self._links.pop(next(iter(self._links)))
        return f"http://{self.host}:{self.port}/enter?token={token}"

    def is_open(self, token: str) -> bool:
        """Whether a link would let somebody in."""
        return self._links.get(_find_equal(self._links, token), 0.0) >= time.monotonic()

    def enter(self, token: str, processes: frozenset[ProcessKey] = frozenset(), name: str = "") -> Browser | None:
        """A new browser for a link's token; None for one that is unknown, old or used."""
        found = _find_equal(self._links, token)
        until = self._links.pop(found, 0.0) if found else 0.0
        if until < time.monotonic():
            return None
        browser = Browser(secrets.token_urlsafe(TOKEN_BYTES), secrets.token_urlsafe(TOKEN_BYTES), processes)
        self._used[found] = browser.cookie
        while len(self._used) > MOST_LINKS:
            self._used.pop(next(iter(self._used)))
        self._tell_guest(name)
        self._browsers[browser.cookie] = browser
        while len(self._browsers) > MOST_BROWSERS:
            self._browsers.pop(next(iter(self._browsers)))
        return browser

    def was_used(self, token: str) -> bool:
        """Whether a link has let somebody in already."""
        return bool(_find_equal(self._used, token))

    def was_used_by(self, token: str, browser: Browser | None) -> bool:
        """Whether it was this browser that a link has let in."""
        return browser is not None and self._used.get(_find_equal(self._used, token)) == browser.cookie

    def find_browser(self, cookie: str) -> Browser | None:
        """The browser with this cookie."""
        return self._browsers.get(_find_equal(self._browsers, cookie))

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


def _find_equal(known: Iterable[str], given: str) -> str:
    # Each is compared in full: how long it takes says nothing about how much was right.
    found = [one for one in known if _is_equal(one, given)]
    return found[0] if found else ""


def _is_equal(known: str, given: str) -> bool:
    return hmac.compare_digest(known.encode(), given.encode("utf-8", "replace"))

"""What every page has: its data, its template, the browser that it is for, and answers to what is not there."""

import logging
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from threading import Thread
from traceback import format_exception
from typing import Any

import jinja2
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from synaptic.model.errors import LayerError, StoreError, SynapticError
from synaptic.model.home import Home
from synaptic.store.reader import JournalReader
from synaptic.web.assets import make_address
from synaptic.web.board import NowBoard
from synaptic.web.catalogs import ConsoleCatalogs
from synaptic.web.feed import JournalFeed
from synaptic.web.policy_counts import CountedPolicies
from synaptic.web.templating import make_templates
from synaptic.work.event_words import show_line, show_text

log = logging.getLogger(__name__)
PAGES = (
    ("now", "/", "Now"),
    ("timeline", "/timeline", "Timeline"),
    ("sessions", "/sessions", "Sessions"),
    ("policies", "/policies", "Policies"),
    ("fleet", "/fleet", "Fleet"),
    ("health", "/health", "Health"),
)
"""Those in the bar at the top: name, address, title."""
FRAGMENT_HEADER = "hx-request"


class Console:
    """What all pages share."""

    def __init__(self, home: Home, make_link: Callable[[], str]) -> None:
        self.home = home
        self.make_link = make_link
        self.reader = JournalReader.open(home)
        self.feed = JournalFeed(JournalReader.open(home))
        self.catalogs = ConsoleCatalogs(home, self.reader)
        self.counted = CountedPolicies(self.reader)
        self.board = NowBoard(home, self.reader)
        # Policies are imported and counted while nobody waits for the first page about them.
        Thread(target=self._warm_up, daemon=True).start()

    def _warm_up(self) -> None:
        with suppress(SynapticError, OSError):
            self.catalogs.get()
            self.counted.get()

    async def close(self) -> None:
        await self.feed.close()
        self.reader.close()


def get_console(request: Request) -> Console:
    """The console that a request came to."""
    found: Console = request.app.state.console
    return found


def render_page(request: Request, template: str, **values: Any) -> Response:
    """A page, or a part of one, as the template says."""
    html = (
        load_templates()
        .get_template(template)
        .render(pages=PAGES, browser=request.scope["browser"], path=request.url.path, **values)
    )
    return HTMLResponse(html)


def render_part(template: str, **values: Any) -> str:
    """A part of a page for a stream."""
    return load_templates().get_template(template).render(**values)


def render_trouble(request: Request, error: SynapticError, status: int = 200) -> Response:
    """What cannot be shown or done, said where it would stand. Parts are swapped in only with a good status."""
    is_part = FRAGMENT_HEADER in request.headers
    page = render_page(request, "parts/trouble.html" if is_part else "trouble.html", page="", error=error)
    page.status_code = 200 if is_part else status
    return page


async def answer_error(request: Request, error: Exception) -> Response:
    """The page for an error of ours."""
    if isinstance(error, SynapticError):
        is_missing = isinstance(error, LayerError) and error.code == "NOT_FOUND"
        return render_trouble(request, error, 503 if isinstance(error, StoreError) else 404 if is_missing else 400)
    # It is read in a terminal, and what has failed may have been a text of an agent.
    log.error("%s failed\n%s", show_line(request.url.path), show_text("".join(format_exception(error))))
    return render_trouble(request, SynapticError(f"this page has failed: {type(error).__name__}"), 500)


@cache
def load_templates() -> jinja2.Environment:
    """All templates of the console."""
    return make_templates(jinja2.PackageLoader("synaptic.web", "templates"), make_address)

"""What every page of the hub has: its data, its template, the person that it is for, and what is said instead of it."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from importlib.resources import files
from typing import Any

import jinja2
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from synaptic.hub.pages.door import HubBrowser, PageDoor
from synaptic.hub.pages.feed import ArrivalFeed
from synaptic.hub.server.database import Connection
from synaptic.hub.server.hub import Hub
from synaptic.hub.server.refused import RequestError
from synaptic.model.errors import SynapticError
from synaptic.web.assets import Asset, address_asset, load_assets, read_folder
from synaptic.web.templating import make_templates
from synaptic.work.event_words import show_line

log = logging.getLogger("synaptic.hub")
PAGES = (
    ("fleet", "/", "Fleet"),
    ("timeline", "/timeline", "Timeline"),
    ("search", "/search", "Search"),
    ("sessions", "/sessions", "Sessions"),
    ("questions", "/questions", "Questions"),
    ("denials", "/denials", "Denials"),
    ("overrides", "/overrides", "Overrides"),
    ("witness", "/witness", "Witness"),
    ("latency", "/latency", "Latency"),
    ("bundles", "/bundles", "Bundles"),
)
"""Those in the bar at the top: name, address, title."""
MOST_READS = 4
"""Pages that read at the same moment: hosts find a connection free, however long people search."""
WAIT_SECONDS = 10.0
NOBODY = HubBrowser("", "", 0, "", "", 0.0)


class HubPages:
    """What all pages share."""

    def __init__(self, hub: Hub, door: PageDoor) -> None:
        self.hub, self.door = hub, door
        self.feed = ArrivalFeed(hub)
        self.reads = asyncio.Semaphore(MOST_READS)
        self.streams = 0


def get_pages(request: Request) -> HubPages:
    """What the pages share that a request came to."""
    found: HubPages = request.app.state.pages
    return found


@asynccontextmanager
async def read_hub(request: Request) -> AsyncIterator[Connection]:
    """One transaction that reads, as the role of readers. Raises RequestError."""
    pages = get_pages(request)
    try:
        await asyncio.wait_for(pages.reads.acquire(), WAIT_SECONDS)
    except TimeoutError as error:
        raise RequestError(503, "the hub answers others now", hint="reload in a moment", after=2) from error
    try:
        async with pages.hub.parts.database.act_as_reader() as connection:
            yield connection
    finally:
        pages.reads.release()


async def render_page(request: Request, template: str, **values: Any) -> Response:
    """A page, or a part of one, made beside the loop: hosts do not wait for it."""
    browser, hub = request.scope.get("browser", NOBODY), get_pages(request).door.options.hub
    pages = PAGES if browser is not NOBODY else ()
    html = await run_in_threadpool(
        load_templates().get_template(template).render, pages=pages, browser=browser, hub=hub, **values
    )
    return HTMLResponse(html)


def render_alone(template: str, **values: Any) -> Response:
    """A page for nobody in particular."""
    return HTMLResponse(load_templates().get_template(template).render(pages=(), browser=NOBODY, hub="", **values))


def render_part(template: str, **values: Any) -> str:
    """A part of a page for a stream."""
    return load_templates().get_template(template).render(**values)


async def answer_error(request: Request, error: Exception) -> Response:
    """What cannot be shown, said where it would stand. Parts are swapped in only with a good status."""
    status = error.status if isinstance(error, RequestError) else 400 if isinstance(error, SynapticError) else 500
    is_part = "hx-request" in request.headers
    page = await render_page(
        request, "parts/trouble.html" if is_part else "trouble.html", page="", error=describe_error(request, error)
    )
    page.status_code = 200 if is_part else status
    return page


def describe_error(request: Request, error: Exception) -> SynapticError:
    """In words that a person may see."""
    if isinstance(error, SynapticError):
        return SynapticError(show_line(error.message), hint=show_line(error.hint))
    if isinstance(error, RequestError):
        return SynapticError(show_line(error.message), hint=show_line(error.hint))
    log.error("%s failed: %s: %s", show_line(request.url.path), type(error).__name__, show_line(str(error)[:500]))
    return SynapticError(f"this page has failed: {type(error).__name__}", hint="the hub's log says why")


@cache
def list_assets() -> dict[str, Asset]:
    """The console's files, and those that only the hub's pages name."""
    return {**load_assets(), **read_folder(files("synaptic.hub.pages") / "static", "hub/")}


@cache
def load_templates() -> jinja2.Environment:
    """The hub's templates, and behind them the console's."""
    own, console = (jinja2.PackageLoader(name, "templates") for name in ("synaptic.hub.pages", "synaptic.web"))
    return make_templates(jinja2.ChoiceLoader([own, console]), lambda name: address_asset(name, list_assets()[name]))

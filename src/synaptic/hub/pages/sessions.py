"""Sessions of all hosts, and one of them with its events."""

from typing import Any
from urllib.parse import urlencode

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from synaptic.hub.pages.page import read_hub, render_page
from synaptic.hub.pages.rows import show_moment, show_time
from synaptic.hub.pages.timeline import describe_rows, read_rows
from synaptic.hub.pages.wanted import read_wanted
from synaptic.hub.server.bodies import clean_text
from synaptic.hub.server.queries.events import list_events
from synaptic.hub.server.queries.filter import HubFilter, read_filter
from synaptic.hub.server.queries.sessions import SessionRow, list_sessions
from synaptic.hub.server.refused import RequestError
from synaptic.web.rows import choose_hue
from synaptic.web.templating import quote_in_path
from synaptic.work.event_words import name_project, show_line

ROWS = 50
FIELDS = ("q", "host", "agent")
SHORT_ID = 8


class ShownSession(msgspec.Struct, frozen=True, kw_only=True):
    """One session in one line."""

    address: str
    name: str
    short: str
    hue: int
    host: str
    agent: str
    project: str
    root: str
    began: str
    last: str
    lasted: str
    events: int
    refused: int


async def show_sessions(request: Request) -> Response:
    """The page, with its newest rows."""
    return await render_page(request, "sessions.html", page="sessions", **await _read(request))


async def show_older_sessions(request: Request) -> Response:
    """Rows before one."""
    return await render_page(request, "parts/hub_sessions.html", **await _read(request))


async def show_session(request: Request) -> Response:
    """One session, its newest events first."""
    host, name = (clean_text(request.path_params[word])[:500] for word in ("host", "session"))
    wanted, older = read_wanted(request.query_params, 100, "all"), _make_address(host, name) + "/older"
    asked = HubFilter(host=host, session=name, limit=1)
    async with read_hub(request) as connection:
        known = await list_sessions(connection, asked)
        found = await list_events(connection, msgspec.structs.replace(wanted.filter, host=host, session=name))
    if not known and not found:
        raise RequestError(404, "the hub knows no such session", hint="it may be older than what the hub keeps")
    session = make_session(known[0]) if known else None
    rows = describe_rows(found, wanted, older)
    return await render_page(request, "session.html", page="sessions", session=session, host=show_line(host),
                             name=show_line(name), **rows)  # fmt: skip


async def show_older_events(request: Request) -> Response:
    """Events of a session before one."""
    host, name = (clean_text(request.path_params[word])[:500] for word in ("host", "session"))
    wanted = read_wanted(request.query_params, 100, "all")
    asked = msgspec.structs.replace(wanted, filter=msgspec.structs.replace(wanted.filter, host=host, session=name))
    rows = await read_rows(request, asked, _make_address(host, name) + "/older")
    return await render_page(request, "parts/hub_older.html", **{**rows, "wanted": wanted})


async def _read(request: Request) -> dict[str, Any]:
    query = request.query_params
    given = {name: query.get(name, "").strip() for name in (*FIELDS, "before")}
    is_refused = bool(query.get("denied"))
    wanted = read_filter({**given, "kind": "refused" if is_refused else "", "limit": str(ROWS)})
    async with read_hub(request) as connection:
        found = await list_sessions(connection, wanted)
    fields = {name: text for name, text in given.items() if text and name != "before"}
    return {
        "sessions": [make_session(one) for one in found],
        "further": found[-1].place if len(found) == ROWS else "",
        "wanted": wanted,
        "is_refused": is_refused,
        "address": urlencode({**fields, **({"denied": "1"} if is_refused else {})}),
    }


def make_session(one: SessionRow) -> ShownSession:
    """A session for a page."""
    return ShownSession(
        address=_make_address(one.host, one.session),
        name=show_line(one.session),
        short=show_line(one.session)[:SHORT_ID] or "…",
        hue=choose_hue(one.session),
        host=show_line(one.host),
        agent=show_line(one.agent),
        project=show_line(name_project(one.project)) or show_line(one.project) or "-",
        root=show_line(one.project),
        began=show_moment(one.first_at),
        last=show_time(one.last_at),
        lasted=describe_span(one.last_at - one.first_at),
        events=one.events,
        refused=one.refused,
    )


def describe_span(seconds: float) -> str:
    """How long it was heard of."""
    if seconds < 5400:
        return f"{max(seconds, 0):.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 172_800 else f"{seconds / 86_400:.0f} d"


def _make_address(host: str, session: str) -> str:
    return f"/session/{quote_in_path(host)}/{quote_in_path(session)}"


ROUTES = [
    Route("/sessions", show_sessions, methods=["GET"]),
    Route("/sessions/older", show_older_sessions, methods=["GET"]),
    Route("/session/{host}/{session:path}/older", show_older_events, methods=["GET"]),
    Route("/session/{host}/{session:path}", show_session, methods=["GET"]),
]

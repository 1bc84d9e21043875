"""The agents' sessions, the one that was heard of last first."""

from datetime import datetime
from urllib.parse import urlencode

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from synaptic.store.session_list import ListedSession, SessionPage, WantedSessions, list_sessions_before
from synaptic.web.page import get_console, render_page
from synaptic.web.rows import choose_hue
from synaptic.web.wanted import LONGEST, read_number
from synaptic.work.event_words import name_project, show_line

ROWS = 30
NO_NUMBER = 2**62
SHORT_ID = 8


class SessionRow(msgspec.Struct, frozen=True, kw_only=True):
    """One session in one line."""

    id: str
    name: str
    """Its id for people."""
    short: str
    hue: int
    agent: str
    project: str
    root: str
    began: str
    last: str
    last_moment: str
    prompts: str
    calls: str
    denied: str
    rewritten: str
    context: int | None
    """How full it is, in hundredths."""


def show_sessions(request: Request) -> Response:
    """The page, with its newest rows."""
    wanted = read_wanted_sessions(request)
    page = list_sessions_before(get_console(request).reader, wanted, ROWS, _read_before(request))
    return render_page(request, "sessions.html", page="sessions", **describe_page(wanted, page))


def show_older_sessions(request: Request) -> Response:
    """Rows before one."""
    wanted = read_wanted_sessions(request)
    page = list_sessions_before(get_console(request).reader, wanted, ROWS, _read_before(request))
    return render_page(request, "parts/session_rows.html", **describe_page(wanted, page))


def describe_page(wanted: WantedSessions, page: SessionPage) -> dict[str, object]:
    """What the templates need."""
    fields = {"project": wanted.project, "agent": wanted.agent, "denied": "1" if wanted.denied else ""}
    given = {name: text for name, text in fields.items() if text}
    return {
        "wanted": wanted,
        "address": urlencode(given, errors="replace"),
        "sessions": [make_session_row(one) for one in page.sessions],
        "further": page.further,
    }


def make_session_row(listed: ListedSession) -> SessionRow:
    """A session for a page."""
    one = listed.found
    more = "" if listed.is_whole else "+"
    return SessionRow(
        id=one.id,
        name=show_line(one.id),
        short=show_line(one.id)[:SHORT_ID],
        hue=choose_hue(one.id),
        agent=show_line(one.agent),
        project=show_line(name_project(one.root)) or "-",
        root=show_line(one.root),
        began=format_time(one.began),
        last=format_time(one.last),
        last_moment=datetime.fromtimestamp(one.last).astimezone().isoformat(timespec="seconds"),
        prompts=f"{one.prompts}{more}",
        calls=f"{one.calls:,}{more}",
        denied=f"{one.denied}{more}" if one.denied else "",
        rewritten=f"{one.rewritten}{more}" if one.rewritten else "",
        context=None if one.context is None else round(min(max(one.context, 0), 1) * 100),
    )


def format_time(at: float) -> str:
    """The time of day if it was today, else the day as well."""
    moment = datetime.fromtimestamp(at)
    return moment.strftime("%H:%M" if moment.date() == datetime.now().date() else "%m-%d %H:%M")


def read_wanted_sessions(request: Request) -> WantedSessions:
    """Which sessions an address asks for."""
    query = request.query_params
    texts = {name: query.get(name, "").strip()[:LONGEST] for name in ("project", "agent")}
    return WantedSessions(**texts, denied=bool(query.get("denied")))


def _read_before(request: Request) -> int:
    return read_number(request.query_params, "before") or NO_NUMBER


ROUTES = [Route("/sessions", show_sessions), Route("/sessions/older", show_older_sessions)]

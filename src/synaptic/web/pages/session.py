"""One session of an agent: a picture of all of it to move over, and what happened at a chosen moment."""

import os

import msgspec
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from synaptic.model.errors import LayerError
from synaptic.store.agent_sessions import find_agent_sessions
from synaptic.store.entries import find_entry
from synaptic.store.journal_filter import has_failed, read_numbered_entries
from synaptic.store.reader import JournalReader
from synaptic.store.record import JournalEntry
from synaptic.store.session_list import find_listed_session
from synaptic.store.session_outline import OutlineRow
from synaptic.web.feed import stream_entries
from synaptic.web.moments import make_moment, read_subagent_kind
from synaptic.web.page import get_console, render_page
from synaptic.web.pages.sessions import make_session_row
from synaptic.web.pages.timeline import STREAM, find_newest
from synaptic.web.rows import EventRow, make_row
from synaptic.web.saved import render_saved_session
from synaptic.web.templating import quote_in_path
from synaptic.web.track import draw_track
from synaptic.web.wanted import read_last_seen, read_number
from synaptic.work.event_words import show_line
from synaptic.work.session_context import ContextPoint, read_context
from synaptic.work.session_outline import PROMPT, SessionOutline, choose_mark, read_outline

AROUND = 40
"""Moments before and behind the chosen one that are listed."""
MOST_BRANCHES = 24
LONGEST_ID = 500


class BranchRow(msgspec.Struct, frozen=True):
    """A sub-agent under the picture."""

    name: str
    kind: str
    number: int
    """The event with which it begins."""
    count: int


class ListedMoment(msgspec.Struct, frozen=True):
    """A moment in the list."""

    row: EventRow
    mark: str
    lane: int

    @property
    def words(self) -> str:
        """What was done; of a prompt its words alone."""
        return self.row.act.removeprefix(f"{PROMPT} ")


def show_session(request: Request) -> Response:
    """The page. The beginning of an id is enough."""
    reader, session = get_console(request).reader, request.path_params["session"]
    found = find_agent_sessions(reader, session[:LONGEST_ID]) if session else ()
    if not found:
        raise LayerError("NOT_FOUND", "the journal knows no such session", hint="synaptic sessions")
    if len(found) > 1:
        raise LayerError("AMBIGUOUS", "several sessions begin with that", hint="/sessions")
    if found[0] != session:
        return RedirectResponse(f"/session/{quote_in_path(found[0])}", 303)
    newest = find_newest(reader)
    outline, points = read_outline(reader, session), read_context(reader, session, os.environ)
    place = _find_wanted_place(request, outline)
    return render_page(
        request, "session.html", page="sessions", session=session, newest=newest, outline=outline, place=place,
        head=make_session_row(find_listed_session(reader, session)), track=draw_track(outline, points),
        listed=list_moments(reader, outline, place), chosen=read_moment(reader, outline, place),
        branches=list_branches(reader, outline), points=points, context=describe_context(points),
    )  # fmt: skip


def show_moment(request: Request) -> Response:
    """What happened at one event, for the place where it is shown."""
    entry = find_entry(get_console(request).reader, read_number(request.query_params, "number"))
    if entry is None:
        raise LayerError("NOT_FOUND", "the journal has no such event any more")
    return render_page(request, "parts/moment.html", chosen=make_moment(entry))


def show_list(request: Request) -> Response:
    """The moments around one."""
    outline = _read_wanted_outline(request)
    place = _find_wanted_place(request, outline)
    listed = list_moments(get_console(request).reader, outline, place)
    return render_page(
        request, "parts/moment_list.html", listed=listed, session=outline.session, outline=outline, place=place
    )


def show_track(request: Request) -> Response:
    """The picture as it is now."""
    reader, outline = get_console(request).reader, _read_wanted_outline(request)
    track = draw_track(outline, read_context(reader, outline.session, os.environ))
    return render_page(request, "parts/track.html", track=track)


def send_outline(request: Request) -> Response:
    """All moments in few letters: numbers and times as steps from the one before, and a letter for what each was."""
    outline = _read_wanted_outline(request)
    points = read_context(get_console(request).reader, outline.session, os.environ)
    return HTMLResponse(encode_outline(outline, points), media_type="application/json")


def save_session(request: Request) -> Response:
    """The session as one file."""
    html = render_saved_session(get_console(request).reader, _read_session(request), os.environ)
    name = "".join(letter for letter in _read_session(request) if letter.isascii() and letter.isalnum())[:40]
    headers = {"content-disposition": f'attachment; filename="session-{name or "unnamed"}.html"'}
    return HTMLResponse(html, headers=headers)


async def stream_session(request: Request) -> Response:
    """New moments of one session as they come."""
    session, console = _read_session(request), get_console(request)
    stream = stream_entries(
        console.feed, console.reader, lambda entries: describe_growth(session, entries), read_last_seen(request)
    )
    return StreamingResponse(stream, media_type=STREAM, headers={"x-accel-buffering": "no"})


def describe_growth(session: str, entries: list[JournalEntry]) -> list[tuple[int, str]]:
    """New moments as the script wants them."""
    found = []
    for entry in entries:
        kind, failed = entry.decision.kind, has_failed(entry)
        row = OutlineRow(entry.id, entry.at, entry.event, entry.tool, kind, entry.agent_id, failed)
        mark = choose_mark(row) if entry.session == session else None
        if mark:
            found.append((entry.id, f'{{"id":{entry.id},"at":{entry.at:.3f},"mark":"{mark}"}}'))
    return found


def encode_outline(outline: SessionOutline, points: tuple[ContextPoint, ...]) -> bytes:
    """The outline as the script reads it."""
    ids, times = [one.id for one in outline.moments], [round(one.at * 1000) for one in outline.moments]
    steps = [
        (outline.moments[place].id, round(one.share * 100), one.tokens, one.written)
        for place, one in _place_points(outline, points)
    ]
    return msgspec.json.encode({
        "ids": _list_steps(ids), "times": _list_steps(times), "marks": "".join(one.mark for one in outline.moments),
        "context": steps,
    })  # fmt: skip


def list_moments(reader: JournalReader, outline: SessionOutline, place: int) -> list[ListedMoment]:
    """The moments around a place, oldest first."""
    around = outline.moments[max(place - AROUND, 0) : place + AROUND + 1]
    entries = read_numbered_entries(reader, [one.id for one in around])
    return [ListedMoment(make_row(entries[one.id]), one.mark, one.lane) for one in around if one.id in entries]


def read_moment(reader: JournalReader, outline: SessionOutline, place: int) -> object:
    """What happened at a place; None in a session without moments."""
    entry = find_entry(reader, outline.moments[place].id) if outline.moments else None
    return make_moment(entry) if entry else None


def list_branches(reader: JournalReader, outline: SessionOutline) -> list[BranchRow]:
    """The sub-agents, with what the agent calls them."""
    shown = outline.branches[:MOST_BRANCHES]
    numbers = [outline.moments[branch.first].id for branch in shown]
    entries = read_numbered_entries(reader, numbers)
    return [
        BranchRow(
            show_line(branch.name)[:12],
            show_line(read_subagent_kind(entries[number])) if number in entries else "",
            number,
            branch.last - branch.first + 1,
        )
        for branch, number in zip(shown, numbers, strict=True)
    ]


def describe_context(points: tuple[ContextPoint, ...]) -> str:
    """How full the context is at the end."""
    if not points:
        return ""
    last = points[-1]
    return f"context {last.share:.0%}, {last.tokens:,} tokens; {last.written:,} written"


def _place_points(outline: SessionOutline, points: tuple[ContextPoint, ...]) -> list[tuple[int, ContextPoint]]:
    if not outline.moments:
        return []
    found, place = [], 0
    for one in points:
        while place + 1 < len(outline.moments) and outline.moments[place + 1].at <= one.at:
            place += 1
        found.append((place, one))
    return found


def _list_steps(numbers: list[int]) -> list[int]:
    return [number - before for before, number in zip([0, *numbers], numbers, strict=False)]


def _find_wanted_place(request: Request, outline: SessionOutline) -> int:
    wanted = read_number(request.query_params, "at")
    return outline.find_place(wanted) if wanted else max(len(outline.moments) - 1, 0)


def _read_wanted_outline(request: Request) -> SessionOutline:
    return read_outline(get_console(request).reader, _read_session(request))


def _read_session(request: Request) -> str:
    # What no database can hold is the name of no session.
    return request.query_params.get("session", "")[:LONGEST_ID].encode("utf-8", "replace").decode()


ROUTES = [
    Route("/session/{session:path}", show_session),
    Route("/moments/one", show_moment),
    Route("/moments/list", show_list),
    Route("/moments/track", show_track),
    Route("/moments/outline", send_outline),
    Route("/moments/stream", stream_session),
    Route("/moments/save", save_session),
]

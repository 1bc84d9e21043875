"""One event: how it was decided as a picture of the chain, and how it would be if something was set otherwise."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from synaptic.model.errors import DeclarationError, LayerError
from synaptic.model.presets import PRESETS
from synaptic.store.entries import find_entry
from synaptic.store.record import JournalEntry
from synaptic.web.events import describe_event
from synaptic.web.page import get_console, render_page
from synaptic.work.event_words import show_text

LONGEST_SETTING = 2000
LONGEST_NUMBER = 19
MOST_SWITCHES = 40


def show_event(request: Request) -> Response:
    """The page of an event, by its number or its call."""
    which = request.path_params["which"]
    reader, entry = get_console(request).reader, _find(request, which)
    if which != str(entry.id):
        return RedirectResponse(f"/event/{entry.id}", 303)
    return render_page(
        request, "event.html", page="timeline", presets=PRESETS, **describe_event(reader, entry)
    )  # fmt: skip


def show_otherwise(request: Request) -> Response:
    """How an event would be decided. It reads, and changes nothing."""
    from synaptic.engine.past_catalog import CatalogChange  # noqa: PLC0415 - the engine is loaded for this alone
    from synaptic.work.what_if import decide_otherwise, describe_decision, parse_setting  # noqa: PLC0415

    query = request.query_params
    settings = [text.strip() for text in query.getlist("set") if text.strip()]
    if any(len(text) > LONGEST_SETTING for text in settings):
        raise DeclarationError("that setting is too long")
    change = CatalogChange(
        enable=tuple(f"@{name}" for name in query.getlist("enable") if name in PRESETS),
        disable=tuple(name[:LONGEST_SETTING] for name in query.getlist("disable")[:MOST_SWITCHES]),
        settings=tuple(map(parse_setting, settings[:MOST_SWITCHES])),
    )
    entry = _find(request, request.path_params["which"])
    one = decide_otherwise(get_console(request).reader, entry, change)
    now = one.decision
    return render_page(
        request, "parts/otherwise.html", one=one, is_changed=not change.is_nothing, why=show_text(one.why),
        was=show_text(describe_decision(entry.decision)), now=show_text(describe_decision(now)) if now else "",
        reason=show_text(now.reason) if now else "",
    )  # fmt: skip


def _find(request: Request, which: str) -> JournalEntry:
    # A longer number does not fit the 64 bits of SQLite; call ids are longer and have letters.
    is_number = which.isascii() and which.isdecimal() and len(which) < LONGEST_NUMBER
    entry = find_entry(get_console(request).reader, int(which) if is_number else which[:200])
    if entry is None:
        raise LayerError("NOT_FOUND", "the journal has no such event", hint="it may have been pruned: synaptic tail")
    return entry


ROUTES = [
    Route("/event/{which}", show_event),
    Route("/event/{which}/otherwise", show_otherwise),
]

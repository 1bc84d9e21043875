"""Health: whether the guard is on, who answers and how fast, what was witnessed, and what `doctor` says."""

import time
from datetime import datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from synaptic.fleet.roster import describe_age
from synaptic.model.errors import StoreError
from synaptic.web import health_look
from synaptic.web.checkup import KeptCheckup
from synaptic.web.health_look import Kept
from synaptic.web.page import Console, get_console, render_page
from synaptic.web.pages.policies import format_millis
from synaptic.web.sizes import format_size
from synaptic.work.event_words import show_line
from synaptic.work.witness_report import MEANING


class ConsoleHealth:
    """What is kept for a while, since it takes a while."""

    def __init__(self, console: Console) -> None:
        reader, home = console.reader, console.home
        self.checkup = KeptCheckup(home, console.catalogs)
        self.witness = Kept(lambda: health_look.look_at_witness(reader))
        self.journal = Kept(lambda: health_look.look_at_journal(reader, home))
        self.guard = Kept(lambda: health_look.look_at_guard(home, console.catalogs.get()))
        self.latency = Kept(lambda: health_look.plot_latency(reader))


def show_health(request: Request) -> Response:
    """The page. What `doctor` says is in it where that is known, else it comes as soon as it is."""
    wants_checkup = "doctor" in request.query_params
    kept = get_health(request).checkup
    checkup = kept.get() if wants_checkup else kept.peek()
    slowest = health_look.list_slowest(get_console(request).counted.get())
    return render_page(
        request, "health.html", page="health", checkup=checkup, slowest=slowest,
        day=get_health(request).latency.get()["day"], **_look(request),
    )  # fmt: skip


def show_cards(request: Request) -> Response:
    """The part that is looked at again now and then."""
    return render_page(request, "parts/health_cards.html", **_look(request))


def show_standing(request: Request) -> Response:
    """A bar on every page as long as the guard is off; nothing while it is on."""
    return render_page(request, "parts/standing.html", guard=get_health(request).guard.get())


def show_checkup(request: Request) -> Response:
    """What `doctor` says, at most a minute old."""
    return render_page(request, "parts/checkup.html", checkup=get_health(request).checkup.get(), **_words())


def send_latency(request: Request) -> Response:
    """The plot's numbers."""
    return JSONResponse(get_health(request).latency.get())


def get_health(request: Request) -> ConsoleHealth:
    """What is kept by this console."""
    state = request.app.state
    if not hasattr(state, "health"):
        state.health = ConsoleHealth(get_console(request))
    found: ConsoleHealth = state.health
    return found


def format_moment(at: float) -> str:
    """When, for people."""
    return datetime.fromtimestamp(at).strftime("%Y-%m-%d %H:%M")


def _look(request: Request) -> dict[str, Any]:
    console, kept = get_console(request), get_health(request)
    try:
        witness, trouble = kept.witness.get(), None
    except StoreError as error:
        witness, trouble = None, error
    journal = kept.journal.get()
    return {
        "guard": kept.guard.get(),
        "daemon": health_look.look_at_daemon(console.home),
        "witness": witness,
        "witness_trouble": trouble,
        "journal": journal,
        "most": max((day.events for day in journal.days), default=0) or 1,
        **_words(),
    }


def _words() -> dict[str, Any]:
    return {
        "now": time.time(), "age": describe_age, "millis": format_millis, "size": format_size,
        "moment": format_moment, "clean": show_line, "meaning": {str(name): text for name, text in MEANING.items()},
    }  # fmt: skip


ROUTES = [
    Route("/health", show_health),
    Route("/health/cards", show_cards),
    Route("/health/doctor", show_checkup),
    Route("/health/latency", send_latency),
    Route("/standing", show_standing),
]

"""The timeline: events of all agents as they come, and further back as far as somebody scrolls."""

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from synaptic.store.journal_filter import matches_entry, read_matching_entries
from synaptic.store.reader import JournalReader
from synaptic.store.record import JournalEntry
from synaptic.web.feed import stream_entries
from synaptic.web.page import get_console, render_page, render_part
from synaptic.web.rows import EventRow, make_row
from synaptic.web.volume import measure_volume
from synaptic.web.wanted import WantedEvents, read_last_seen, read_number, read_wanted
from synaptic.work.event_words import is_quiet

ROWS = 60
LOOKED_THROUGH = 4
"""Pages of events that are looked through for those that have something to say."""
STREAM = "text/event-stream"


def show_timeline(request: Request) -> Response:
    """The page, with its newest rows."""
    wanted, reader = read_wanted(request.query_params), get_console(request).reader
    newest = find_newest(reader)
    rows, further = read_rows(reader, wanted, newest + 1)
    return render_page(
        request, "timeline.html", page="timeline", wanted=wanted, rows=rows, further=further, newest=newest,
        volume=measure_volume(reader),
    )  # fmt: skip


def show_older(request: Request) -> Response:
    """Rows before one."""
    wanted, reader = read_wanted(request.query_params), get_console(request).reader
    rows, further = read_rows(reader, wanted, read_number(request.query_params, "before"))
    return render_page(request, "parts/older.html", wanted=wanted, rows=rows, further=further)


def show_volume(request: Request) -> Response:
    """The spark line as it is now."""
    return render_page(request, "parts/volume.html", volume=measure_volume(get_console(request).reader))


async def stream_timeline(request: Request) -> Response:
    """New rows as they come: after the last one that the browser has seen, else after the one that the page names."""
    wanted, console = read_wanted(request.query_params), get_console(request)
    stream = stream_entries(
        console.feed, console.reader, lambda entries: describe_entries(wanted, entries), read_last_seen(request)
    )
    return StreamingResponse(stream, media_type=STREAM, headers={"x-accel-buffering": "no"})


def describe_entries(wanted: WantedEvents, entries: list[JournalEntry]) -> list[tuple[int, str]]:
    """New events as the rows that this page wants."""
    rows = (make_row(entry) for entry in entries if is_wanted(wanted, entry))
    return [(row.id, render_part("parts/row.html", row=row)) for row in rows]


def is_wanted(wanted: WantedEvents, entry: JournalEntry) -> bool:
    """Whether a page shows an event."""
    return (wanted.quiet or not is_quiet(entry)) and matches_entry(wanted.chosen, entry)


def read_rows(reader: JournalReader, wanted: WantedEvents, before: int) -> tuple[list[EventRow], int]:
    """Rows before a number, newest first, and before which number those after them are; 0 where there are none."""
    rows: list[EventRow] = []
    for _ in range(LOOKED_THROUGH):
        entries = read_matching_entries(reader, wanted.chosen, ROWS, before)
        rows += (make_row(entry) for entry in entries if is_wanted(wanted, entry))
        before = entries[-1].id if len(entries) == ROWS else 0
        if not before or len(rows) >= ROWS:
            break
    return rows, before


def find_newest(reader: JournalReader) -> int:
    """The number of the newest event."""
    return int(reader.read(lambda connection: connection.execute("SELECT max(id) FROM events").fetchone()[0]) or 0)


ROUTES = [
    Route("/timeline", show_timeline),
    Route("/timeline/older", show_older),
    Route("/timeline/volume", show_volume),
    Route("/timeline/stream", stream_timeline),
]

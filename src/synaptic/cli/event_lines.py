"""Events of the journal as lines: what was done, where, and what was said about it."""

import zlib
from collections.abc import Iterator
from datetime import date

from synaptic.cli import screen
from synaptic.cli.cells import clean_line, cut_cells, measure_cells, wrap_cells
from synaptic.model.moment import find_local_time
from synaptic.store.journal_filter import has_failed
from synaptic.store.record import JournalEntry
from synaptic.work.event_words import (
    LONGEST_SUBJECT,
    TONES,
    Tone,
    Verdict,
    describe_act,
    describe_new_input,
    describe_reason,
    format_took,
    list_verdicts,
    name_project,
)

TONE_COLOURS: dict[Tone, int] = {"deny": 31, "ask": 33, "rewrite": 36, "failed": 31}
SESSION_COLOURS = (32, 34, 35, 36, 92, 94, 95, 96)
"""Neither red nor yellow: those mean that something was stopped."""
QUIET_COLOUR = 90
PROJECT_WIDTH, AGENT_WIDTH, TOOK_WIDTH = 10, 8, 8
MOST_REASON_LINES = 2


def format_plain_line(entry: JournalEntry) -> str:
    """Format an event as one whole line, for a pipe."""
    at = find_local_time(entry.at).strftime("%Y-%m-%d %H:%M:%S")
    said = ", ".join(word for word, _ in list_verdicts(entry)) or "none"
    told = clean_line(" ".join(_iter_reasons(entry)))
    place = clean_line(name_project(entry.root) or "-")
    about = f"{entry.id} {at} {place} {clean_line(entry.agent)} {clean_line(describe_act(entry))}"
    return f"{about} -> {said} ({format_took(entry.micros)})" + (f": {told}" if told else "")


def format_short_line(entry: JournalEntry) -> str:
    """Format an event as a line of which the end may be cut off: first what was said about it."""
    moment = find_local_time(entry.at)
    at = moment.strftime("%H:%M" if moment.date() == date.today() else "%Y-%m-%d")
    said = ", ".join(word for word, _ in list_verdicts(entry)) or "none"
    return f"{entry.id} {at} {said}: {clean_line(describe_act(entry))}"


def format_lines(entry: JournalEntry, width: int, number_width: int = 5) -> Iterator[str]:
    """Format an event for a terminal: what was done, and below it what was said about it."""
    at = find_local_time(entry.at).strftime("%H:%M:%S")
    took = cut_cells(format_took(entry.micros), TOOK_WIDTH).rjust(TOOK_WIDTH)
    project = _fit(name_project(entry.root) or "-", PROJECT_WIDTH)
    agent = screen.paint_text(_fit(entry.agent, AGENT_WIDTH), choose_session_colour(entry.session))
    room = max(width - number_width - len(at) - PROJECT_WIDTH - AGENT_WIDTH - TOOK_WIDTH - 5, 8)
    act = _paint_act(_fit(describe_act(entry), room), entry)
    yield f"{entry.id:>{number_width}} {at} {project} {agent} {act} {took}"
    yield from _format_verdict(entry, width, number_width + 1 + len(at) + 1)


def format_quiet(count: int, is_whole: bool = True) -> str:
    """A line that stands for events of which there is nothing to say; there may be more than were counted."""
    if is_whole:
        said = f"{count} quiet event{'' if count == 1 else 's'}"
    else:
        said = f"{count} quiet events or more" if count else "quiet events that were not counted"
    return screen.paint_text(f"… {said}", QUIET_COLOUR)


def choose_session_colour(session: str) -> int:
    """The same colour for the same session, on every terminal."""
    return SESSION_COLOURS[zlib.crc32(session.encode("utf-8", "replace")) % len(SESSION_COLOURS)]


def _format_verdict(entry: JournalEntry, width: int, indent: int) -> Iterator[str]:
    verdicts = list_verdicts(entry)
    if not verdicts:
        return
    words = ", ".join(word for word, _ in verdicts)
    told = clean_line(": ".join(part for part in (words, *_iter_reasons(entry)) if part))
    room = max(width - indent, 20)
    lines = wrap_cells(told, room)
    if len(lines) > MOST_REASON_LINES:
        last = " ".join(lines[MOST_REASON_LINES - 1 : MOST_REASON_LINES + 1])
        lines = [*lines[: MOST_REASON_LINES - 1], cut_cells(last, room)]
    if lines[0].startswith(words):
        lines[0] = _paint_verdicts(verdicts) + lines[0][len(words) :]
    yield from (f"{' ' * indent}{line}" for line in lines)


def _iter_reasons(entry: JournalEntry) -> Iterator[str]:
    if new := describe_new_input(entry.decision):
        yield f"it became `{new[:LONGEST_SUBJECT]}`"
    if why := describe_reason(entry):
        yield why


def _paint_act(act: str, entry: JournalEntry) -> str:
    tone: Tone = "failed" if has_failed(entry) else TONES.get(entry.decision.kind, "plain")
    return _paint(act, tone)


def _paint_verdicts(verdicts: list[Verdict]) -> str:
    return ", ".join(_paint(words, tone) for words, tone in verdicts)


def _paint(words: str, tone: Tone) -> str:
    colour = TONE_COLOURS.get(tone, 0)
    return screen.paint_text(clean_line(words), colour) if colour else clean_line(words)


def _fit(text: str, width: int) -> str:
    """A text in exactly so many cells."""
    cut = cut_cells(clean_line(text), width)
    return cut + " " * (width - measure_cells(cut))

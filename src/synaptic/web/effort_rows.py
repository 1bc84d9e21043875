"""Efforts as a page shows them: their phases as a line of time, their windows, and what each has handed over."""

import time
from collections.abc import Sequence
from datetime import datetime

import msgspec

from synaptic.model.dehydration import Dehydration
from synaptic.model.layers import Effort
from synaptic.store import efforts
from synaptic.store.db import Store
from synaptic.store.effort_windows import EffortWindow, list_effort_windows
from synaptic.store.efforts import PhaseRecord
from synaptic.web.rows import choose_hue
from synaptic.work.event_words import name_project, show_line, show_text

WIDTH = 480.0
NARROWEST = 3.0
MOST_WINDOWS = 30
MOST_PHASES = 60
LONGEST_TEXT = 4000
SHADES = 6


class PhaseBar(msgspec.Struct, frozen=True):
    """One phase on the line."""

    name: str
    words: str
    x: float
    width: float
    shade: int


class WindowRow(msgspec.Struct, frozen=True, kw_only=True):
    """One context window."""

    number: int
    session: str
    hue: int
    who: str
    began: str
    lasted: str
    is_open: bool
    usage: int | None
    left: tuple[tuple[str, str], ...]
    """What it has left for the next window, as names and texts."""
    told: str
    """When the next one was told; "" where nobody was yet."""


class EffortRow(msgspec.Struct, frozen=True, kw_only=True):
    """One effort."""

    id: int
    title: str
    task: str
    skill: str
    ordinal: int
    mode: str
    phase: str
    planned: tuple[str, ...]
    is_active: bool
    began: str
    lasted: str
    bars: tuple[PhaseBar, ...]
    windows: tuple[WindowRow, ...]


def make_effort_row(store: Store, effort: Effort) -> EffortRow:
    """An effort with all that is shown of it."""
    end = effort.finished_at or time.time()
    history = efforts.read_phase_history(store, effort.id)[-MOST_PHASES:]
    return EffortRow(
        id=effort.id,
        title=show_line(name_project(effort.task)),
        task=show_line(effort.task),
        skill=show_line(effort.skill),
        ordinal=effort.ordinal,
        mode=show_line(effort.mode),
        phase=show_line(effort.phase),
        planned=tuple(map(show_line, effort.phases)),
        is_active=not effort.finished,
        began=format_moment(effort.created_at),
        lasted=format_length(end - effort.created_at),
        bars=make_bars(history, effort.created_at, end),
        windows=tuple(map(make_window_row, list_effort_windows(store, effort.id, MOST_WINDOWS))),
    )


def make_bars(history: Sequence[PhaseRecord], began: float, end: float) -> tuple[PhaseBar, ...]:
    """Phases on a line from the effort's beginning to its end; the same phase has the same shade."""
    length, shades = max(end - began, 1.0), dict[str, int]()
    ends = [*(one.at for one in history[1:]), *([end] if history else [])]
    bars = []
    for one, until in zip(history, ends, strict=True):
        name, shade = show_line(one.phase), shades.setdefault(one.phase, len(shades) % SHADES)
        x = min(max((one.at - began) / length, 0.0), 1.0) * WIDTH
        width = min(max((until - one.at) / length * WIDTH, NARROWEST), WIDTH)
        why = f": {show_line(one.reason)[:200]}" if one.reason else ""
        words = f"{name}, {format_length(until - one.at)}{why}"
        bars.append(PhaseBar(name, words, round(min(x, WIDTH - NARROWEST), 1), round(width, 1), shade))
    return tuple(bars)


def make_window_row(one: EffortWindow) -> WindowRow:
    """A window for a page."""
    end = one.ended or time.time()
    who = " ".join(part for part in (show_line(one.agent), show_line(one.subagent)) if part)
    return WindowRow(
        number=one.number,
        session=show_line(one.host),
        hue=choose_hue(one.host),
        who=who or show_line(one.host[:8]) or "a person",
        began=format_moment(one.began),
        lasted=format_length(end - one.began),
        is_open=one.ended is None,
        usage=None if one.usage is None else round(min(max(one.usage, 0.0), 1.0) * 100),
        left=read_payload(one.payload),
        told=format_moment(one.handed_over) if one.handed_over else "",
    )


def read_payload(stored: str | None) -> tuple[tuple[str, str], ...]:
    """A hand-over as names and texts; one that somebody has damaged as the text it is."""
    if not stored:
        return ()
    try:
        found = msgspec.json.decode(stored, type=Dehydration)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return (("left", show_text(stored)[:LONGEST_TEXT]),)
    named = (
        ("summary", found.summary), ("last", found.last_action), ("next", "\n".join(found.next_steps)),
        ("how", found.handover_instructions), ("files", "\n".join(found.required_files)),
    )  # fmt: skip
    return tuple((name, show_text(text)[:LONGEST_TEXT]) for name, text in named if text)


def format_moment(at: float | None) -> str:
    """A time of a table; with its day where that is not today."""
    if not at:
        return ""
    moment = datetime.fromtimestamp(at)
    return moment.strftime("%H:%M" if moment.date() == datetime.now().date() else "%m-%d %H:%M")


def format_length(seconds: float) -> str:
    """How long something took."""
    minutes = max(int(seconds // 60), 0)
    if minutes < 1:
        return f"{max(int(seconds), 0)} s"
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02} min"

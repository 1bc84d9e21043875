"""Agents at work as a screen shows them: what is selected, what a key means, what is drawn. Nothing is read."""

import time
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import msgspec

from synaptic.cli.cells import clean_line, cut_cells, measure_cells, wrap_cells
from synaptic.cli.sparks import draw_spark
from synaptic.fleet.roster import describe_age
from synaptic.model.decision import Kind
from synaptic.model.text import join_lines
from synaptic.store.lanes import SessionLane
from synaptic.store.record import JournalEntry
from synaptic.store.refused import RefusedCall
from synaptic.work.event_words import describe_act, list_verdicts, name_project

Mode = Literal["list", "details", "help"]
Wish = Literal["", "quit", "inbox", "explain"]
RED, YELLOW, GREY = 31, 33, 90
STATUS_COLOURS = {"error": RED, "attention": YELLOW}
KEY_LINE = "enter explain  i inbox  p pause  ? help  q quit"
SHORT_KEYS = "enter  i inbox  p pause  ? help  q quit"
HELP = """\
arrows, j, k    move; page up, page down, home, end
enter           a session's last steps, or why an event ended as it did
escape          go back
i               the inbox: answer what waits for you
p               pause: nothing moves until you press it again
q               leave

This only looks: it reads the journal and asks nobody. The heartbeat is the
number of calls since an effort's log was written, and how many there may be.
"""
STEPS = {"up": -1, "k": -1, "down": 1, "j": 1, "page up": -10, "page down": 10, "home": -(10**6), "end": 10**6}
WIDE, MIDDLE = 100, 60
LEAST_ROOM = 6


class TopFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What was read."""

    lanes: tuple[SessionLane, ...] = ()
    waiting: tuple[RefusedCall, ...] = ()
    """What nobody has answered, the newest first."""
    stopped: tuple[JournalEntry, ...] = ()
    """The last that were denied or asked about, the newest first."""
    volume: tuple[tuple[int, int], ...] = ()
    """Events and refusals, minute by minute."""


class TopView(msgspec.Struct, frozen=True, kw_only=True):
    """What is shown."""

    facts: TopFacts = TopFacts()
    mark: str = ""
    """What is selected: `s:` and a session, or `e:` and the number of an event."""
    mode: Mode = "list"
    details: tuple[str, ...] = ()
    scroll: int = 0
    is_paused: bool = False
    told: str = ""

    @property
    def marks(self) -> tuple[str, ...]:
        """What can be selected, from the top."""
        lanes = (f"s:{lane.session}" for lane in self.facts.lanes)
        return (*lanes, *(f"e:{entry.id}" for entry in self.facts.stopped))

    def change(self, **fields: object) -> "TopView":
        return msgspec.structs.replace(self, **fields)


class DrawnLine(NamedTuple):
    """One line of the screen."""

    text: str
    mark: str = ""
    colour: int = 0


EMPTY = DrawnLine("")


class DrawnScreen(NamedTuple):
    """All lines, which of them are selected, and the colours of the others."""

    lines: list[str]
    chosen: frozenset[int]
    colours: dict[int, int]


def show_facts(view: TopView, facts: TopFacts) -> TopView:
    """The view with what was read. What is selected stays so; what has gone leaves nothing selected."""
    shown = view.change(facts=facts, told="")
    marks = shown.marks
    return shown.change(mark=view.mark if view.mark in marks else "" if view.mark else next(iter(marks), ""))


def press_key(view: TopView, key: str) -> tuple[TopView, Wish]:
    """What a key makes of the view, and what is to be done."""
    if key == "q":
        return view, "quit"
    if key == "i":
        return view, "inbox"
    if key == "p":
        return view.change(is_paused=not view.is_paused), ""
    if key == "?":
        return view.change(mode="list" if view.mode == "help" else "help", scroll=0), ""
    if key == "enter" and view.mode == "list":
        return view, "explain" if view.mark else ""
    if key in ("enter", "escape"):
        return view.change(mode="list", scroll=0, told=""), ""
    return _move(view, STEPS.get(key, 0)), ""


def draw_view(view: TopView, size: tuple[int, int]) -> DrawnScreen:
    """The screen in a size."""
    columns, rows = size[0] - 1, size[1]
    head = [DrawnLine(_describe_count(view))]
    if rows >= LEAST_ROOM:
        head.append(DrawnLine(_describe_volume(view.facts, columns), colour=GREY))
    room = max(rows - len(head) - 1, 1)
    body = _draw_body(view, columns, room)
    lines = [*head, *body, *[EMPTY] * (room - len(body)), DrawnLine(_describe_end(view, columns), colour=GREY)]
    mine = frozenset(at for at, line in enumerate(lines) if line.mark and line.mark == view.mark)
    colours = {at: line.colour for at, line in enumerate(lines) if line.colour and at not in mine}
    return DrawnScreen([cut_cells(line.text, columns) for line in lines], mine, colours)


def draw_frame(facts: TopFacts, size: tuple[int, int]) -> list[str]:
    """One picture for where nobody can press a key, without colours and without what only a screen needs."""
    drawn = draw_view(show_facts(TopView(), facts), size)
    lines = [line.rstrip().replace("> ", "  ", 1) if line.startswith("> ") else line.rstrip() for line in drawn.lines]
    shown = lines[:-1]
    while shown and not shown[-1]:
        shown.pop()
    return shown


def describe_facts(facts: TopFacts) -> dict[str, object]:
    """The same for a program."""
    lanes = [
        {
            "session": lane.session, "agent": lane.agent, "name": lane.name, "status": lane.status, "root": lane.root,
            "phase": lane.phase, "heartbeat": lane.heartbeat, "limit": lane.limit, "context": lane.context,
            "at": lane.last.at, "event": lane.last.id, "act": describe_act(lane.last),
        }
        for lane in facts.lanes
    ]  # fmt: skip
    waiting = [{"code": call.code, "at": call.last_at, "shown": call.subject.shown} for call in facts.waiting]
    stopped = [
        {"event": one.id, "at": one.at, "kind": one.decision.kind, "by": one.decision.by, "act": describe_act(one)}
        for one in facts.stopped
    ]
    return {"sessions": lanes, "waiting": waiting, "stopped": stopped, "minutes": facts.volume}


def describe_session(lane: SessionLane, steps: Sequence[JournalEntry]) -> tuple[str, ...]:
    """Everything that is known about a session in clean lines, its last steps the newest first."""
    context = "" if lane.context is None else f"context {lane.context:.0%} full"
    beat = "" if lane.heartbeat is None else f"heartbeat {lane.heartbeat} of {lane.limit}"
    facts = (
        f"session {lane.session}",
        f"{lane.agent} {lane.name} {lane.status}",
        f"in {lane.root or 'no project'}",
        ", ".join(part for part in (context, beat, lane.phase) if part),
    )
    shown = [clean_line(fact) for fact in facts if fact.strip()]
    return (*shown, "", *(_describe_step(entry) for entry in steps))


def _describe_step(entry: JournalEntry) -> str:
    at = time.strftime("%H:%M:%S", time.localtime(entry.at))
    said = ", ".join(verdict.words for verdict in list_verdicts(entry))
    return clean_line(f"{at} {describe_act(entry)}{f' -> {said}' if said else ''}")


def _move(view: TopView, step: int) -> TopView:
    if not step:
        return view
    if view.mode != "list":
        return view.change(scroll=max(0, view.scroll + step))
    marks = view.marks
    if not marks:
        return view
    at = marks.index(view.mark) + step if view.mark in marks else 0
    return view.change(mark=marks[min(max(at, 0), len(marks) - 1)], told="")


def _draw_body(view: TopView, columns: int, room: int) -> list[DrawnLine]:
    if view.mode == "list":
        return _draw_list(view, columns, room)
    lines = HELP.splitlines() if view.mode == "help" else view.details
    wrapped = [part for line in lines for part in (wrap_cells(line, columns) or [""])]
    start = max(0, min(view.scroll, len(wrapped) - room))
    return [DrawnLine(line) for line in wrapped[start : start + room]]


def _draw_list(view: TopView, columns: int, room: int) -> list[DrawnLine]:
    waiting = list(_iter_waiting(view.facts.waiting, columns))[: max(room // 4, 1)]
    left = room - len(waiting)
    stopped = [DrawnLine("stopped lately", colour=GREY), *_iter_stopped(view, columns)]
    lanes = [DrawnLine("at work", colour=GREY), *_iter_lanes(view, columns)]
    if len(lanes) + len(stopped) + 2 <= left:
        return [*lanes, EMPTY, *waiting, *[EMPTY] * bool(waiting), *stopped]
    below = min(len(stopped), max(left - len(lanes), left // 2))
    return [*_cut_around(lanes, view.mark, left - below), *waiting, *_cut_around(stopped, view.mark, below)]


def _cut_around(lines: list[DrawnLine], mark: str, room: int) -> list[DrawnLine]:
    """As many lines as there is room for: the first one stays, and what is selected is among the others."""
    if len(lines) <= room or room < 2:
        return lines[: max(room, 0)]
    at = next((place for place, line in enumerate(lines) if line.mark == mark), 0)
    start = min(max(1, at - room + 2), len(lines) - room + 1)
    return [lines[0], *lines[start : start + room - 1]]


def _iter_lanes(view: TopView, columns: int) -> Iterator[DrawnLine]:
    if not view.facts.lanes:
        yield DrawnLine("  nobody; agents are here as soon as they do anything")
    now = time.time()
    for lane in view.facts.lanes:
        mark = f"s:{lane.session}"
        sign = ">" if mark == view.mark else " "
        text = f"{sign} {_describe_lane(lane, columns, now - lane.last.at)}"
        yield DrawnLine(text, mark, STATUS_COLOURS.get(lane.status, _choose_colour(lane.last)))


def _describe_lane(lane: SessionLane, columns: int, age: float) -> str:
    context = "" if lane.context is None else f"{lane.context:.0%}"
    beat = "" if lane.heartbeat is None else f"{lane.heartbeat}/{lane.limit}"
    who, project = _fit(lane.name or lane.agent, 8), _fit(name_project(lane.root) or "-", 10)
    ago, act = describe_age(age), clean_line(describe_act(lane.last))
    if columns >= WIDE:
        return f"{who} {project} {lane.status:<9} {beat:>5} {context:>4} {ago:>4}  {act}"
    if columns >= MIDDLE:
        return f"{who} {project} {beat:>5} {context:>4} {ago:>4}  {act}"
    return f"{_fit(who, 6)} {_fit(project, 6)} {context}{' ' * bool(context)}{ago:>3} {act}"


def _iter_waiting(waiting: Sequence[RefusedCall], columns: int) -> Iterator[DrawnLine]:
    if not waiting:
        return
    count = f"{len(waiting)} wait for your answer (i)" if len(waiting) > 1 else "1 waits for your answer (i)"
    yield DrawnLine(count, colour=YELLOW)
    for call in waiting[:3]:
        shown = clean_line(join_lines(call.subject.shown) or call.subject.tool)
        yield DrawnLine(f"  {call.code} {describe_age(time.time() - call.last_at):>4}  {shown}")


def _iter_stopped(view: TopView, columns: int) -> Iterator[DrawnLine]:
    if not view.facts.stopped:
        yield DrawnLine("  nothing")
    for entry in view.facts.stopped:
        mark = f"e:{entry.id}"
        sign = ">" if mark == view.mark else " "
        ago = describe_age(time.time() - entry.at)
        said = clean_line(list_verdicts(entry)[0].words) if list_verdicts(entry) else ""
        act = clean_line(describe_act(entry))
        text = f"{_fit(said, 34)} {act}" if columns >= WIDE else f"{act}  {said}"
        yield DrawnLine(f"{sign} {ago:>4} {text}", mark, _choose_colour(entry))


def _choose_colour(entry: JournalEntry) -> int:
    return {Kind.DENY: RED, Kind.ASK: YELLOW}.get(entry.decision.kind, 0)


def _describe_count(view: TopView) -> str:
    lanes, waiting = len(view.facts.lanes), len(view.facts.waiting)
    told = f"synaptic top: {lanes or 'nobody'} at work" + (f", {waiting} waiting" if waiting else "")
    return told + (" [paused: p]" if view.is_paused else "")


def _describe_volume(facts: TopFacts, columns: int) -> str:
    events, denied = (sum(one[at] for one in facts.volume) for at in (0, 1))
    told = f" {events:,} in an hour, {denied:,} denied"
    return draw_spark([count for count, _ in facts.volume], columns - measure_cells(told)) + told


def _describe_end(view: TopView, columns: int) -> str:
    if view.told:
        return clean_line(view.told)
    if view.mode != "list":
        return "escape back  q quit"
    return KEY_LINE if measure_cells(KEY_LINE) <= columns else SHORT_KEYS


def _fit(text: str, width: int) -> str:
    """A text in exactly so many cells."""
    cut = cut_cells(clean_line(text), width)
    return cut + " " * (width - measure_cells(cut))

"""Agents at work on a whole terminal: it follows the journal, at most twice a second, and writes nothing."""

import time
from collections.abc import Callable
from contextlib import suppress
from select import select

from synaptic.cli import screen as shown
from synaptic.cli.cells import clean_line
from synaptic.cli.full_screen import FullScreen
from synaptic.cli.place import CommandPlace
from synaptic.cli.top_view import (
    DrawnScreen,
    TopFacts,
    TopView,
    Wish,
    describe_session,
    draw_view,
    press_key,
    show_facts,
)
from synaptic.model.decision import Kind
from synaptic.model.errors import StoreError
from synaptic.pipeline.explain import explain_past_event
from synaptic.store import refused
from synaptic.store.entries import find_entry, read_last_entries
from synaptic.store.journal_filter import JournalFilter, read_matching_entries
from synaptic.store.lanes import read_lanes
from synaptic.store.reader import JournalReader
from synaptic.store.volume import count_volume
from synaptic.work.event_story import make_story
from synaptic.work.exceptions import describe_exceptions

LOOK_SECONDS = 0.5
"""Twice a second something is drawn again, at most, however much happens."""
AGE_SECONDS = 5.0
"""Seconds after which ages are written again."""
LIVING_SECONDS = 3600.0
MOST_LANES, MOST_STOPPED, MOST_WAITING, MOST_STEPS = 40, 30, 100, 40
MINUTES, MINUTE = 60, 60.0
STOPPED = JournalFilter(kinds=(Kind.DENY, Kind.ASK))
MinuteCounts = tuple[tuple[int, int], ...]
OLD_TEXT = "the database cannot be read now; what is shown may be old"


def show_top(place: CommandPlace, reader: JournalReader) -> None:
    """Show it until its reader leaves. Raises SystemExit for a signal, after the terminal is as it was."""
    top = TopScreen(reader)
    while True:
        with FullScreen() as screen:
            wish = top.run(screen)
        if wish != "inbox":
            return
        from synaptic.cli.inbox_screen import show_inbox  # noqa: PLC0415  the daemon's client: only who answers needs it
        from synaptic.work.inbox import ListInbox  # noqa: PLC0415

        show_inbox(place, ListInbox())


def read_facts(reader: JournalReader, volume: MinuteCounts = ()) -> TopFacts:
    """Everything that is shown; the minutes are counted unless they are known. Raises StoreError."""
    now = time.time()
    calls = refused.list_refused(reader, most=MOST_WAITING)
    return TopFacts(
        lanes=read_lanes(reader, now - LIVING_SECONDS, MOST_LANES),
        waiting=tuple(call for call in calls if call.is_open),
        stopped=read_matching_entries(reader, STOPPED, MOST_STOPPED),
        volume=volume or tuple(count_volume(reader, now, MINUTES, MINUTE)),
    )


class TopScreen:
    """What is shown while it is open; it outlives a visit to the inbox."""

    def __init__(self, reader: JournalReader) -> None:
        self._reader = reader
        self._version: object = None
        self._read_at = self._counted_at = -AGE_SECONDS
        self._drawn: tuple[object, ...] = ()
        self.view = TopView()

    def run(self, screen: FullScreen) -> Wish:
        """Until somebody leaves, for the inbox or for good; also when nobody can type any more."""
        self._drawn = ()
        while True:
            self._follow()
            self._draw(screen)
            self._wait(screen)
            keys = screen.read_keys()
            if keys is None:
                return "quit"
            for key in keys:
                self.view, wish = press_key(self.view, key)
                if wish in ("quit", "inbox"):
                    return wish
                if wish == "explain":
                    self._explain()

    def _draw(self, screen: FullScreen) -> None:
        drawn = draw_view(self.view, screen.size)
        if (picture := (screen.size, *map(tuple, drawn[:2]))) != self._drawn:
            self._drawn = picture
            _paint(screen, drawn)

    def _wait(self, screen: FullScreen) -> None:
        # By the clock and not by the news: of a thousand events a second two pictures are drawn.
        select([screen.stdin, screen.wake], [], [], screen.patience or LOOK_SECONDS)

    def _follow(self) -> None:
        if self.view.is_paused or time.monotonic() - self._read_at < LOOK_SECONDS:
            return
        try:
            version = self._reader.read(self._reader.version)
            if version != self._version or time.monotonic() - self._read_at >= AGE_SECONDS:
                self._version = version
                self.view = show_facts(self.view, read_facts(self._reader, self._recall_volume()))
                self._read_at = time.monotonic()
        except StoreError:
            self._version = None
            self.view = self.view.change(told=OLD_TEXT)

    def _recall_volume(self) -> MinuteCounts:
        """The minutes as they were counted some seconds ago, if it was no longer: all of an hour is read for them."""
        if time.monotonic() - self._counted_at < AGE_SECONDS:
            return self.view.facts.volume
        self._counted_at = time.monotonic()
        return ()

    def _explain(self) -> None:
        kind, _, name = self.view.mark.partition(":")
        describe: Callable[[str], tuple[str, ...]] = self._tell_session if kind == "s" else self._tell_event
        with suppress(StoreError):
            if details := describe(name):
                self.view = self.view.change(mode="details", details=details, scroll=0, told="")
                return
        self.view = self.view.change(told="nothing is known of it any more")

    def _tell_session(self, session: str) -> tuple[str, ...]:
        lane = next((lane for lane in self.view.facts.lanes if lane.session == session), None)
        steps = read_last_entries(self._reader, MOST_STEPS, session=session)
        return describe_session(lane, steps) if lane else ()

    def _tell_event(self, number: str) -> tuple[str, ...]:
        entry = find_entry(self._reader, int(number))
        if entry is None:
            return ()
        exceptions = describe_exceptions(self._reader, entry.decision.grants)
        return tuple(clean_line(line) for line in explain_past_event(make_story(entry, exceptions)))


def _paint(screen: FullScreen, drawn: DrawnScreen) -> None:
    screen.draw(drawn.lines, drawn.chosen, drawn.colours if shown.has_colour() else None)

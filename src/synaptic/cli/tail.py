"""`synaptic tail`: events as they happen, of all or of those that are wanted."""

import sys
import time
from datetime import date
from typing import Annotated

from synaptic.cli import event_lines, screen, typer
from synaptic.cli.filters import add_filter_options
from synaptic.cli.place import find_place, open_journal
from synaptic.cli.verbs import Hub, format_examples, make_verb_app
from synaptic.model.moment import find_local_time
from synaptic.store import entries
from synaptic.store.db import Store
from synaptic.store.journal_filter import (
    JournalFilter,
    matches_entry,
    read_matching_entries,
    read_numbered_entries,
)
from synaptic.store.journal_outline import OutlineGap, read_outline
from synaptic.store.record import JournalEntry, entry_to_document
from synaptic.work.event_words import is_quiet

app = make_verb_app()
NO_GAP = OutlineGap(0)
POLL_SECONDS = 0.3
"""Seconds between two looks at the journal."""
PAGE_SIZE = 200
USUAL_LINES = 10
MOST_LINES = 1_000_000
MOST_SINCE = 1000
"""Events that are shown of a time that was named, unless `-n` says how many."""

EXAMPLES = """
synaptic tail -f                                 watch, as it happens
synaptic tail --denied --since yesterday --until today
synaptic tail --policy 'git.*' --project . -n 50
synaptic tail --grep 'rm -rf' --since 7d
synaptic tail -a --agent codex --tool Bash       also what nobody minded
synaptic tail --hub --denied                     on all machines of the team
synaptic tail -f --json                          one JSON object a line
"""
Item = JournalEntry | OutlineGap
"""An event, or how many of which there is nothing to say."""


@app.command(epilog=format_examples(EXAMPLES))
@add_filter_options
def tail(
    chosen: JournalFilter,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on until Ctrl-C.")] = False,
    lines: Annotated[
        int | None, typer.Option("--lines", "-n", min=0, max=MOST_LINES, help="How many past events.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", "-a", help="Also quiet events, each with its line.")] = False,
    hub: Hub = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a line, all events.")] = False,
) -> None:
    """Show what happened: number, time, project, agent, what was done, and what was said about it.

    Events that no policy commented on are counted, unless --all is given or only some verdicts are wanted.
    """
    most = lines if lines is not None else MOST_SINCE if chosen.since else USUAL_LINES
    if hub:
        from synaptic.cli.hub_events import tail_hub  # noqa: PLC0415  HTTP and TLS are for this alone

        tail_hub(chosen, most, follows=follow, is_whole=every or as_json, as_json=as_json)
        return
    folds = not (every or as_json or is_about_verdicts(chosen))
    with open_journal(find_place().home) as store:
        # Looked up first: what comes meanwhile is shown by `follow`, and not twice.
        seen = next((entry.id for entry in entries.read_last_entries(store)), 0)
        items = _read_items(store, chosen, most, folds=folds, until=seen + 1)
        printer = EventPrinter(as_json=as_json, is_live=follow, number_width=max(len(str(seen)), 4))
        try:
            for item in items:
                printer.show(item)
            if follow:
                printer.catch_up()
                _follow(store, chosen, printer, seen, folds=folds)
        finally:
            printer.finish()
        if not (items or follow or as_json):
            screen.note("no event" + (" is like that; --since 30d looks further" if not chosen.is_empty else " yet"))
        elif not (follow or as_json or lines is not None) and _count_events(items) >= most > USUAL_LINES:
            screen.note(f"of these only the newest {most} are shown; -n shows more")
        elif folds and not follow and not _count_events(items):
            screen.note("nothing was said about any of them; -a shows each")


class EventPrinter:
    """Prints events one after the other, with the day where it changes, and folds those that say nothing."""

    def __init__(self, *, as_json: bool, is_live: bool, number_width: int) -> None:
        self._as_json, self._number_width = as_json, number_width
        self._is_terminal = screen.is_terminal()
        self._redraws = is_live and self._is_terminal
        self._quiet = NO_GAP
        self._day = date.today()

    def show(self, item: Item) -> None:
        """Print an event; a number of quiet ones waits for what comes next."""
        if isinstance(item, OutlineGap):
            self._quiet = OutlineGap(self._quiet.number + item.number, self._quiet.is_whole and item.is_whole)
            if self._redraws:
                sys.stdout.write(f"\r\x1b[K{self._indent()}{event_lines.format_quiet(*self._quiet)}")
        elif self._as_json:
            screen.print_json_line(entry_to_document(item))
        else:
            self._end_quiet()
            self._print_event(item)

    def catch_up(self) -> None:
        """Print what the past has left waiting, unless it is counted on, on a terminal."""
        if not self._redraws:
            self._end_quiet()

    def finish(self) -> None:
        """Print what waits."""
        self._end_quiet()

    def _print_event(self, entry: JournalEntry) -> None:
        if not self._is_terminal:
            print(event_lines.format_plain_line(entry))
            return
        moment = find_local_time(entry.at)
        if moment.date() != self._day:
            self._day = moment.date()
            print(moment.strftime("%A, %Y-%m-%d"))
        for line in event_lines.format_lines(entry, screen.find_width(), self._number_width):
            print(line)

    def _end_quiet(self) -> None:
        if self._quiet != NO_GAP:
            start = "\r\x1b[K" if self._redraws else ""
            print(f"{start}{self._indent()}{event_lines.format_quiet(*self._quiet)}")
        self._quiet = NO_GAP

    def _indent(self) -> str:
        return " " * (self._number_width + 1) if self._is_terminal else ""


def is_about_verdicts(chosen: JournalFilter) -> bool:
    """Whether it wants certain events, each of which is to be seen, and not a time or a place."""
    return bool(chosen.kinds or chosen.failed or chosen.policies or chosen.grep)


def _read_items(store: Store, chosen: JournalFilter, most: int, *, folds: bool, until: int) -> list[Item]:
    """The newest events, oldest first; quiet ones between them as their number."""
    if not folds:
        return list(reversed(read_matching_entries(store, chosen, most, until, maps=not chosen.is_empty)))
    outline = read_outline(store, chosen, most, until)
    known = read_numbered_entries(store, [one for one in outline if isinstance(one, int)])
    items: list[Item] = []
    for one in reversed(outline):
        if isinstance(one, OutlineGap):
            items.append(one)
        elif entry := known.get(one):
            items.append(OutlineGap(1) if is_quiet(entry) else entry)
    return items


def _count_events(items: list[Item]) -> int:
    return sum(isinstance(item, JournalEntry) for item in items)


def _follow(store: Store, chosen: JournalFilter, printer: EventPrinter, seen: int, *, folds: bool) -> None:
    while True:
        sys.stdout.flush()
        fresh = entries.read_entries_after(store, seen, PAGE_SIZE)
        for entry in fresh:
            seen = entry.id
            if matches_entry(chosen, entry):
                printer.show(OutlineGap(1) if folds and is_quiet(entry) else entry)
        # A full page means that more is waiting: no pause until we have caught up.
        if len(fresh) < PAGE_SIZE:
            sys.stdout.flush()
            time.sleep(POLL_SECONDS)

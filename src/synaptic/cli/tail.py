"""`synaptic tail`: events as they happen, one line each."""

import sys
import time
from typing import Annotated

import typer

from synaptic.cli import event, screen
from synaptic.cli.place import here, journal_of
from synaptic.cli.verbs import shown, verb
from synaptic.daemon.methods import plain
from synaptic.store import journal
from synaptic.store.record import Entry

app = verb()
POLL = 0.3
"""Seconds between two looks at the journal."""
PAGE = 200

EXAMPLES = """
synaptic tail -f          watch every decision
synaptic tail -n 50       the last fifty
synaptic tail -f --json   one JSON object a line, for a program
"""


@app.command(epilog=shown(EXAMPLES))
def tail(
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on until Ctrl-C.")] = False,
    lines: Annotated[int, typer.Option("--lines", "-n", min=0, help="How many past events.")] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a line.")] = False,
) -> None:
    """Show what happened: time, agent, event, subject, decision, who decided and why."""
    with journal_of(here().home) as store:
        # At least one, also for `-n 0`: where to go on from is needed in any case.
        newest = journal.last(store, max(lines, 1))
        seen = newest[0].id if newest else 0
        for entry in reversed(newest[:lines]):
            _print(entry, as_json)
        while follow:
            sys.stdout.flush()
            fresh = journal.after(store, seen, PAGE)
            for entry in fresh:
                _print(entry, as_json)
                seen = entry.id
            # A full page means that more is waiting: no pause until we have caught up.
            if len(fresh) < PAGE:
                time.sleep(POLL)


def _print(entry: Entry, as_json: bool) -> None:
    if as_json:
        screen.line(plain(entry))
    else:
        screen.say(event.one_line(entry))

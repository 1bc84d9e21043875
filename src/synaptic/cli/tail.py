"""`synaptic tail`: events as they happen, one line each."""

import sys
import time
from typing import Annotated

from synaptic.cli import event, screen, typer
from synaptic.cli.place import find_place, open_journal
from synaptic.cli.verbs import format_examples, make_verb_app
from synaptic.store import entries
from synaptic.store.record import JournalEntry, entry_to_json

app = make_verb_app()
POLL_SECONDS = 0.3
"""Seconds between two looks at the journal."""
PAGE_SIZE = 200

EXAMPLES = """
synaptic tail -f          watch every decision
synaptic tail -n 50       the last fifty
synaptic tail -f --json   one JSON object a line, for a program
"""


@app.command(epilog=format_examples(EXAMPLES))
def tail(
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on until Ctrl-C.")] = False,
    lines: Annotated[int, typer.Option("--lines", "-n", min=0, help="How many past events.")] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a line.")] = False,
) -> None:
    """Show what happened: time, agent, event, subject, decision, who decided and why."""
    with open_journal(find_place().home) as store:
        # At least one, also for `-n 0`: where to go on from is needed in any case.
        newest = entries.read_last_entries(store, max(lines, 1))
        seen = newest[0].id if newest else 0
        for entry in reversed(newest[:lines]):
            _print_entry(entry, as_json)
        while follow:
            sys.stdout.flush()
            fresh = entries.read_entries_after(store, seen, PAGE_SIZE)
            for entry in fresh:
                _print_entry(entry, as_json)
                seen = entry.id
            # A full page means that more is waiting: no pause until we have caught up.
            if len(fresh) < PAGE_SIZE:
                time.sleep(POLL_SECONDS)


def _print_entry(entry: JournalEntry, as_json: bool) -> None:
    if as_json:
        screen.print_json_line(entry_to_json(entry))
    else:
        screen.say(event.format_entry_line(entry))

"""`synaptic explain`: the whole walk of one past event."""

from typing import Annotated

import typer

from synaptic.cli import event, screen
from synaptic.cli.place import here, journal_of
from synaptic.cli.verbs import shown, verb
from synaptic.model.errors import StoreError
from synaptic.store import journal
from synaptic.store.db import Store
from synaptic.store.record import Entry

app = verb()

EXAMPLES = """
synaptic explain --last   the last event of any session
synaptic explain 42       by the number that `synaptic tail` and traces show
"""


@app.command(epilog=shown(EXAMPLES))
def explain(
    which: Annotated[str, typer.Argument(metavar="[ID|CALL]", help="Number or call id of the event.")] = "",
    last: Annotated[bool, typer.Option("--last", help="The newest event; so it is without a number.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the entry as JSON.")] = False,
) -> None:
    """Tell what happened to one event: what arrived, which hooks said what, what was decided and answered."""
    if which and last:
        raise typer.BadParameter("give a number or --last, not both")
    with journal_of(here().home) as store:
        event.show(found(store, which), as_json)


def found(store: Store, which: str) -> Entry:
    """Find an entry by its number or call id; without one the newest."""
    if not which:
        newest = journal.last(store)
        if not newest:
            raise StoreError("the journal is empty", where=str(store.path), hint="type: synaptic up")
        return newest[0]
    # A longer number does not fit the 64 bits of SQLite; call ids are longer and have letters.
    entry = journal.get(store, int(which) if which.isascii() and which.isdigit() and len(which) < 19 else which)
    if entry is None:
        raise StoreError(f"there is no event {screen.clean(which)}", where=str(store.path), hint="synaptic tail -n 20")
    return entry

"""`synaptic explain`: the whole walk of one past event."""

from typing import Annotated

from synaptic.cli import event, screen, suggestions, typer
from synaptic.cli.place import find_place, open_journal
from synaptic.cli.verbs import format_examples, make_verb_app
from synaptic.model.errors import StoreError
from synaptic.store import entries
from synaptic.store.db import Store
from synaptic.store.record import JournalEntry
from synaptic.work.exceptions import describe_exceptions

app = make_verb_app()

EXAMPLES = """
synaptic explain --last   the last event of any session
synaptic explain 42       by the number that `synaptic tail` and traces show
synaptic explain 42 --if 'git.force-push.protected=["release/*"]'
"""


@app.command(epilog=format_examples(EXAMPLES))
def explain(
    which: Annotated[
        str,
        typer.Argument(
            metavar="[ID|CALL]",
            help="Number or call id of the event.",
            autocompletion=suggestions.complete_event_numbers,
        ),
    ] = "",
    last: Annotated[bool, typer.Option("--last", help="The newest event; so it is without a number.")] = False,
    otherwise: Annotated[
        list[str] | None,
        typer.Option("--if", metavar="KEY=VALUE", help="How it would be decided with this value in the config."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the entry as JSON.")] = False,
) -> None:
    """Tell what happened to one event: what arrived, which hooks said what, what was decided and answered."""
    if which and last:
        raise typer.BadParameter("give a number or --last, not both")
    with open_journal(find_place().home) as store:
        entry = find_event(store, which)
        if otherwise:
            from synaptic.cli.what_if import print_what_if  # noqa: PLC0415 - the engine is loaded for this alone

            print_what_if(store, entry, otherwise, as_json)
            return
        event.print_story(entry, as_json, exceptions=describe_exceptions(store, entry.decision.grants))


def find_event(store: Store, which: str) -> JournalEntry:
    """Find an entry by its number or call id; without one the newest."""
    if not which:
        newest = entries.read_last_entries(store)
        if not newest:
            raise StoreError("the journal is empty", where=str(store.path), hint="type: synaptic up")
        return newest[0]
    # A longer number does not fit the 64 bits of SQLite; call ids are longer and have letters.
    entry = entries.find_entry(store, int(which) if which.isascii() and which.isdigit() and len(which) < 19 else which)
    if entry is None:
        raise StoreError(
            f"there is no event {screen.clean_text(which)}", where=str(store.path), hint="synaptic tail -n 20"
        )
    return entry

"""`synaptic explain`: why one past event ended as it did."""

from typing import Annotated

import msgspec

from synaptic.cli import event, screen, suggestions, typer
from synaptic.cli.filters import add_filter_options
from synaptic.cli.place import CommandPlace, find_place, open_journal
from synaptic.cli.verbs import format_examples, make_verb_app
from synaptic.model.decision import Kind
from synaptic.model.errors import StoreError
from synaptic.store import entries, refused
from synaptic.store.db import Store
from synaptic.store.journal_filter import JournalFilter, read_matching_entries
from synaptic.store.record import JournalEntry
from synaptic.work.exceptions import describe_exceptions

app = make_verb_app()
STOPPED_KINDS = (Kind.DENY, Kind.ASK, Kind.REWRITE)
MOST_CODE = 10

EXAMPLES = """
synaptic explain                         the last that was denied, asked, rewritten or failed
synaptic explain 42                      by the number that `synaptic tail` shows
synaptic explain k7qmd                   by the code that a refusal names
synaptic explain --denied --policy 'git.*'
synaptic explain --last -v               the very last event, with all that arrived
synaptic explain 42 --if 'git.force-push.protected=["release/*"]'
"""


@app.command(epilog=format_examples(EXAMPLES))
@add_filter_options
def explain(
    chosen: JournalFilter,
    which: Annotated[
        str,
        typer.Argument(
            metavar="[ID|CODE|CALL]",
            help="Number of the event, code of a refusal, or call id.",
            autocompletion=suggestions.complete_event_numbers,
        ),
    ] = "",
    last: Annotated[bool, typer.Option("--last", help="The very last event, whatever was decided.")] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Also what the agent sent and got, and silent policies.")
    ] = False,
    otherwise: Annotated[
        list[str] | None,
        typer.Option("--if", metavar="KEY=VALUE", help="How it would be decided with this value in the config."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the entry as JSON.")] = False,
) -> None:
    """Tell why one event ended as it did: the decision, what was done, and who said what.

    Without a number: the last one that was denied, asked, rewritten or failed, of those that the options choose.
    """
    if which and last:
        raise typer.BadParameter("give a number or --last, not both")
    if which and not chosen.is_empty:
        raise typer.BadParameter("give a number or options that choose one, not both")
    place = find_place()
    with open_journal(place.home) as store:
        entry = find_named_event(store, place, which) if which else _find_last(store, chosen, is_very_last=last)
        if otherwise:
            from synaptic.cli.what_if import print_what_if  # noqa: PLC0415 - the engine is loaded for this alone

            print_what_if(store, entry, otherwise, as_json)
            return
        exceptions = describe_exceptions(store, entry.decision.grants)
    if as_json:
        event.print_explained_json(entry, exceptions)
    else:
        event.print_explanation(entry, exceptions, is_whole=verbose)


def find_event(store: Store, which: str) -> JournalEntry:
    """Find an entry by its number or call id; without one the newest."""
    if not which:
        newest = entries.read_last_entries(store)
        if not newest:
            raise StoreError("the journal is empty", where=str(store.path), hint="type: synaptic up")
        return newest[0]
    entry = _find_entry(store, which)
    if entry is None:
        raise _make_unknown(store, which)
    return entry


def find_named_event(store: Store, place: CommandPlace, which: str) -> JournalEntry:
    """Find an entry by its number, its call id, or the code of its refusal: of several that of this project."""
    entry = _find_entry(store, which)
    if entry is not None:
        return entry
    code = which.strip().lower()
    known = refused.find_by_code(store, code) if code.isascii() and code.isalnum() and len(code) <= MOST_CODE else ()
    if not known:
        raise _make_unknown(store, which)
    call = min(known, key=lambda one: one.subject.root != place.root).call
    if (entry := entries.find_entry(store, call)) is None:
        hint = f"synaptic inbox show {code}"
        raise StoreError(f"the event of refusal {code} is not in the journal any more", hint=hint)
    return entry


def _find_entry(store: Store, which: str) -> JournalEntry | None:
    # A longer number does not fit the 64 bits of SQLite; call ids are longer and have letters.
    return entries.find_entry(store, int(which) if which.isascii() and which.isdigit() and len(which) < 19 else which)


def _find_last(store: Store, chosen: JournalFilter, *, is_very_last: bool) -> JournalEntry:
    """The newest that is wanted. Where nothing was ever stopped, the newest of all, and that is said."""
    wanted = chosen
    if not (is_very_last or chosen.kinds or chosen.failed):
        wanted = msgspec.structs.replace(chosen, kinds=STOPPED_KINDS, failed=True)
    if found := read_matching_entries(store, wanted, 1):
        return found[0]
    if not chosen.is_empty:
        raise StoreError("no such event", where=str(store.path), hint="synaptic tail -a shows what there is")
    newest = find_event(store, "")
    screen.note("nothing was denied, asked, rewritten or failed; this is the last event")
    return newest


def _make_unknown(store: Store, which: str) -> StoreError:
    return StoreError(
        f"there is no event {screen.clean_text(which)}", where=str(store.path), hint="synaptic tail -n 20"
    )

"""`synaptic prune`: forget old events."""

import time
from contextlib import suppress
from typing import Annotated

from synaptic.cli import screen, typer
from synaptic.cli.place import find_place, open_journal
from synaptic.cli.verbs import Json, format_examples, make_verb_app
from synaptic.daemon.shipper import ShipperKeeper
from synaptic.hooks.catalog import HookCatalogs
from synaptic.model.errors import StoreError
from synaptic.store import journal, retention
from synaptic.store.db import Store
from synaptic.store.history_index import keep_index_current
from synaptic.store.retention import PruneCounts

app = make_verb_app()
SECONDS_PER_DAY = 24 * 3600.0
TELL_SECONDS = 1.0

EXAMPLES = """
synaptic prune --dry-run   how much would go
synaptic prune --days 7    keep a week
"""


@app.command(epilog=format_examples(EXAMPLES))
def prune(
    days: Annotated[float | None, typer.Option(min=0, help="Keep this many days; `retention_days` without it.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count.")] = False,
    unshipped: Annotated[bool, typer.Option("--unshipped", help="Also what a destination does not have yet.")] = False,
    as_json: Json = False,
) -> None:
    """Remove events older than the configured number of days. The newest event always stays."""
    home = find_place().home
    # The user's own config, of no project: one journal is kept for all of them.
    config = HookCatalogs(home).get("").config
    kept = config.retention_days if days is None else days
    waits = config.ship.waits and not unshipped and ShipperKeeper(home).is_needed()
    limits = retention.PruneLimits(waits=waits)
    with open_journal(home) as store:
        if dry_run:
            old = _count_older(store, time.time() - kept * SECONDS_PER_DAY)
            _print_counts({"events": old}, f"about {old} events are older than {kept:g} days", as_json)
            return
        gone = retention.prune_events(store, kept, limits, PruneProgress() if screen.may_tell_progress() else None)
        if home.history_index.exists():
            with suppress(StoreError):  # what is gone is not found by it, and the daemon tries again
                keep_index_current(home, store, 0.0)
    words = f"{gone.events} events older than {kept:g} days removed, {gone.bytes} bytes given back"
    if gone.held:
        words += f"; {gone.held} and perhaps more stay until they are shipped (synaptic ship; --unshipped removes them)"
    _print_counts({name: getattr(gone, name) for name in gone.__struct_fields__}, words, as_json)


class PruneProgress:
    """Says on the terminal how far it is, once a second; an interrupt loses nothing, and the next prune goes on."""

    def __init__(self) -> None:
        self._told = time.monotonic()

    def __call__(self, gone: PruneCounts) -> None:
        if time.monotonic() - self._told >= TELL_SECONDS:
            self._told = time.monotonic()
            freed = f", {gone.bytes // 1_000_000} MB given back" if gone.bytes else ""
            screen.warn(f"{gone.events} events removed{freed} ... (Ctrl-C stops; the next `synaptic prune` goes on)")


def _print_counts(numbers: dict[str, int], words: str, as_json: bool) -> None:
    if as_json:
        screen.print_json({"ok": True, **numbers})
    else:
        screen.say(words)


def _count_older(store: Store, before: float) -> int:
    """Events before a time. Numbers grow with time, so the border is found by halving, not by reading them all."""
    first, newest = journal.read_entries_after(store, 0, 1), journal.read_last_entries(store)
    if not first or first[0].at >= before:
        return 0
    low, high = first[0].id, newest[0].id
    while low < high:
        middle = (low + high + 1) // 2
        entry = journal.read_entries_after(store, middle - 1, 1)[0]
        low, high = (entry.id, high) if entry.at < before else (low, middle - 1)
    return low - first[0].id + 1

"""`synaptic up`: from nothing to a first event that is decided, explained, and can be undone."""

from typing import Annotated

import msgspec
import typer

from synaptic.cli import daemon, event, probe, screen
from synaptic.cli.bootstrap import installation, tell
from synaptic.cli.place import Here, here, journal_of
from synaptic.cli.verbs import shown, verb
from synaptic.daemon.methods import plain
from synaptic.setup import bootstrap as packages
from synaptic.store import journal
from synaptic.store.record import Entry

app = verb()

EXAMPLES = """
synaptic up     set everything up, then see one event go through
synaptic down   take it all out again
"""


@app.command(epilog=shown(EXAMPLES))
def up(as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False) -> None:
    """Install, start the daemon, send one harmless event through the dispatcher and show what became of it.

    Run it again at any time: what is already right is left alone.
    """
    place = here()
    report = packages.bootstrap(installation(place))
    started = daemon.ensure(place.home)
    sent = probe.send(place.home.dispatch, place.root or place.cwd)
    entry = _journaled(place, sent.session)
    if as_json:
        answer = msgspec.to_builtins(sent)
        told = {"changes": report.changes, "daemon": started, "event": answer, "trace": entry and plain(entry)}
        screen.document({"ok": sent.exit == 0, **told})
    else:
        screen.say("What was changed")
        tell(report)
        screen.say(f"  daemon {started}: {place.home.socket}")
        _show(sent, entry)
        _next(place)
    if sent.exit != 0:
        raise typer.Exit(1)


def _journaled(place: Here, session: str) -> Entry | None:
    with journal_of(place.home) as store:
        found = journal.last(store, 1, session=session)
    return found[0] if found else None


def _show(sent: probe.Sent, entry: Entry | None) -> None:
    screen.say(f"\nA real event through the real dispatcher ({sent.milliseconds:.1f} ms, exit code {sent.exit})")
    if entry is not None:
        event.show(entry)
    else:
        screen.say("  it is not in the journal, which is switched off in config.toml")
    if sent.stderr:
        screen.say(f"  the dispatcher said: {sent.stderr}")


def _next(place: Here) -> None:
    screen.say(f"\nUndo all of it:  synaptic down   (the journal stays: {place.home.database})")
    screen.say("Next:            synaptic list   synaptic policy list   synaptic tail -f   synaptic doctor")
    if place.project is None:
        screen.say("This folder is no project; `synaptic up` in one writes its variables too.")

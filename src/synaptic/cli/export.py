"""`synaptic export`: the journal for systems of others."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from synaptic.cli import progress, screen, typer
from synaptic.cli.filters import add_filter_options
from synaptic.cli.place import find_place, open_journal
from synaptic.cli.verbs import make_verb_app
from synaptic.store.journal_filter import JournalFilter

if TYPE_CHECKING:
    from synaptic.hub.export.journal_export import ExportTask, JournalExport
    from synaptic.hub.export.selection import ExportChoice
    from synaptic.hub.shipping.destination import Destination
    from synaptic.model.home import Home

EXAMPLES = """
synaptic export jsonl --since 7d --denied | jq .by
synaptic export jsonl ~/audit.jsonl --follow         go on, also after a restart
synaptic export otlp http://127.0.0.1:4318 --since yesterday
synaptic export syslog unix:///dev/log --failed
"""
app = make_verb_app(
    "Hand the journal to a file, a collector of OpenTelemetry or syslog, once or as it grows.", EXAMPLES
)
USUAL_TARGETS = {"otlp": "http://127.0.0.1:4318", "syslog": "unix:///dev/log", "jsonl": "-"}

Contents = Annotated[
    Literal["structure", "full"],
    typer.Option("--contents", help="`full`: also commands, files and reasons. Secrets leave in neither."),
]
Follow = Annotated[bool, typer.Option("--follow", "-f", help="Go on until Ctrl-C, the next time from there.")]


@app.command("jsonl")
@add_filter_options
def export_jsonl(
    chosen: JournalFilter,
    target: Annotated[str, typer.Argument(metavar="[FILE]", help="A file; standard output without it.")] = "",
    contents: Contents = "structure",
    follow: Follow = False,
) -> None:
    """One line of JSON for each event, appended to a file or printed."""
    _export("jsonl", target, _choose(chosen, contents), follow)


@app.command("otlp")
@add_filter_options
def export_otlp(
    chosen: JournalFilter,
    target: Annotated[str, typer.Argument(metavar="[URL]", help="`[ship] otlp`, else http://127.0.0.1:4318.")] = "",
    contents: Contents = "structure",
    follow: Follow = False,
) -> None:
    """Log records and spans for a collector of OpenTelemetry, over HTTP with protobuf."""
    _export("otlp", target, _choose(chosen, contents), follow)


@app.command("syslog")
@add_filter_options
def export_syslog(
    chosen: JournalFilter,
    target: Annotated[str, typer.Argument(metavar="[URL]", help="`[ship] syslog`, else unix:///dev/log.")] = "",
    contents: Contents = "structure",
    follow: Follow = False,
) -> None:
    """A message of RFC 5424 for each event, over UDP, TCP or a socket of this machine."""
    _export("syslog", target, _choose(chosen, contents), follow)


def _choose(chosen: JournalFilter, contents: Literal["structure", "full"]) -> "ExportChoice":
    from synaptic.hub.export.selection import ExportChoice  # noqa: PLC0415 - not for the help page

    return ExportChoice(chosen, contents, str(Path.home()))


def _export(kind: str, target: str, choice: "ExportChoice", follow: bool) -> None:
    from synaptic.hub.export.journal_export import ExportTask  # noqa: PLC0415 - not for the help page

    if follow and choice.chosen.until:
        raise typer.BadParameter("--follow goes on without end, --until ends: take one of them")
    home = find_place().home
    address = target or _find_target(home, kind)
    with open_journal(home) as store, _open_destination(home, (kind, address), choice, follow) as destination:
        task = ExportTask(store, choice, destination, screen.warn)
        if follow:
            _follow(home, task)
        else:
            _run_once(task)


def _find_target(home: "Home", kind: str) -> str:
    """What the user has configured for the shipper, else the usual place on this machine."""
    if kind == "jsonl":
        return "-"  # a file that the shipper writes is its own
    from synaptic.hub.shipping.plan import read_plan  # noqa: PLC0415 - only without an address

    return dict(read_plan(home).exports).get(kind) or USUAL_TARGETS[kind]


@contextmanager
def _open_destination(
    home: "Home", target: tuple[str, str], choice: "ExportChoice", follow: bool
) -> Iterator["Destination"]:
    kind, address = target
    destination = _make_file(home, address, choice, follow) if kind == "jsonl" else _make_other(kind, address)
    try:
        yield destination
    finally:
        asyncio.run(destination.close())


def _make_other(kind: str, address: str) -> "Destination":
    from synaptic.hub.shipping.destination import open_export  # noqa: PLC0415 - not for the help page

    return open_export(kind, address)


def _make_file(home: "Home", address: str, choice: "ExportChoice", follow: bool) -> "Destination":
    from synaptic.hub.export.jsonl import open_stream  # noqa: PLC0415 - not for the help page
    from synaptic.hub.export.source import find_source  # noqa: PLC0415
    from synaptic.hub.export.stdout import StdoutDestination  # noqa: PLC0415

    if address == "-":
        return StdoutDestination(find_source(home))
    return open_stream(str(Path(address).expanduser().absolute()), choice, follow)


def _run_once(task: "ExportTask") -> None:
    from synaptic.hub.export.journal_export import JournalExport  # noqa: PLC0415 - not for the help page

    export = JournalExport(task)
    try:
        with progress.show_progress(f"exporting to {task.destination.name}"):
            asyncio.run(export.run_once())
    finally:
        _tell_end(export, task)


def _follow(home: "Home", task: "ExportTask") -> None:
    from synaptic.hub.export.follow_cursor import FollowCursor, ForgottenCursor  # noqa: PLC0415 - only here
    from synaptic.hub.export.journal_export import JournalExport  # noqa: PLC0415

    export = JournalExport(task)
    try:
        if task.destination.name == "jsonl -":  # nobody knows what became of what was read there
            asyncio.run(export.follow(ForgottenCursor()))
            return
        keeper = FollowCursor(home, task.choice.name_stream(task.destination.name))
        with keeper.hold():
            asyncio.run(export.follow(keeper))
    finally:
        _tell_end(export, task)


def _tell_end(export: "JournalExport", task: "ExportTask") -> None:
    for text in getattr(getattr(task.destination, "sender", None), "notices", ()):
        screen.warn(text)
    events = "1 event" if export.count == 1 else f"{export.count} events"
    screen.note(f"{events} exported to {task.destination.name.replace('jsonl -', 'standard output')}")

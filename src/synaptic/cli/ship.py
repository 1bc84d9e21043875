"""`synaptic ship`: what leaves this machine, how far it is, and what keeps it back."""

import time
from typing import TYPE_CHECKING, Annotated

from synaptic.cli import screen, typer
from synaptic.cli.place import find_place
from synaptic.cli.verbs import Json, make_verb_app
from synaptic.model.errors import SynapticError
from synaptic.model.home import Home

if TYPE_CHECKING:
    from synaptic.hub.shipping.report import DestinationReport, ShippingReport

app = make_verb_app(
    "What leaves this machine: where it goes, how far it is, and what keeps it back.",
    """
    synaptic ship                  every destination, and what it lacks
    synaptic ship --json           for a program
    synaptic ship now --wait 60    at the end of a job: bring everything out first
    """,
)
NOTHING = "nothing leaves this machine"
NOTHING_HINT = "synaptic join URL, or synaptic config set ship.jsonl FILE"


@app.callback(invoke_without_command=True, no_args_is_help=False)
def show(context: typer.Context, as_json: Json = False) -> None:
    if context.invoked_subcommand:
        return
    from synaptic.hub.shipping.report import make_report  # noqa: PLC0415 - only where it is needed

    report = make_report(find_place().home)
    if as_json:
        _print_json(report)
        return
    if not report.destinations:
        screen.say(f"{NOTHING} ({NOTHING_HINT})")
    _say_report(report)
    if report.destinations:
        screen.say(f"contents: {report.contents}")
        if not report.is_running:
            screen.warn("nobody ships now: the daemon starts that (synaptic daemon start), or `synaptic ship now`")


@app.command()
def now(
    wait: Annotated[float, typer.Option("--wait", min=0, help="How many seconds it may take.")] = 60.0,
    as_json: Json = False,
) -> None:
    """Bring out everything that is there now; exit code 1 when not all of it has arrived by then."""
    from synaptic.hub.shipping.report import wait_until_shipped  # noqa: PLC0415

    home = find_place().home
    _start(home)
    report, is_done = wait_until_shipped(home, wait)
    if as_json:
        _print_json(report, is_ok=is_done)
    else:
        _say_report(report)
    if not is_done:
        raise typer.Exit(1)


def _start(home: Home) -> None:
    from synaptic.daemon.shipper import is_shipping, start_shipper  # noqa: PLC0415
    from synaptic.hub.shipping.plan import read_plan  # noqa: PLC0415

    plan = read_plan(home)
    if plan.is_empty:
        raise SynapticError(NOTHING, hint=NOTHING_HINT)
    if not is_shipping(home):
        start_shipper(home)


def _say_report(report: "ShippingReport") -> None:
    for one in report.destinations:
        _say_destination(one)
    for problem in report.problems:
        screen.warn(problem)


def _say_destination(one: "DestinationReport") -> None:
    if not one.is_known:
        screen.say(f"{one.name}: not begun yet")
    elif one.waiting:
        lag = _format_span(time.time() - one.oldest)
        screen.say(f"{one.name}: {one.waiting} events wait, the oldest for {lag}; {one.shipped} were shipped")
    else:
        screen.say(f"{one.name}: has everything, up to event {one.last}")
    if one.trouble:
        again = one.again - time.time()
        soon = f", tried again in {_format_span(again)}" if again > 0 else ""
        screen.say_under("    ", f"{one.trouble} (for {_format_span(time.time() - one.since)}{soon})")
        if one.hint:
            screen.say_under("    ", one.hint)


def _format_span(seconds: float) -> str:
    for size, letter in ((86400, "d"), (3600, "h"), (60, "m")):
        if seconds >= size:
            return f"{seconds / size:.0f}{letter}"
    return f"{max(seconds, 0):.0f}s"


def _print_json(report: "ShippingReport", *, is_ok: bool = True) -> None:
    import msgspec  # noqa: PLC0415

    screen.print_json({"ok": is_ok, **msgspec.to_builtins(report)})

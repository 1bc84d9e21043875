"""`synaptic usage`: what is used, how long it takes, what fails, and what never runs."""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated

import typer

from synaptic.cli import screen
from synaptic.cli.carry_out import at_work, wait_for
from synaptic.cli.place import Here, here, required_root
from synaptic.cli.registered import catalog_of
from synaptic.cli.verbs import shown, verb
from synaptic.model.hook import Builtin
from synaptic.store import usage
from synaptic.store.usage import Used
from synaptic.work.abilities import ListAbilities, ShowAbilityUsage

app = verb()
BARS = " ▁▂▃▄▅▆▇█"

EXAMPLES = """
synaptic usage                   abilities, hooks and policies of this project
synaptic usage --by hook --days 7
"""


@app.command(epilog=shown(EXAMPLES))
def show(
    by: Annotated[str, typer.Option(help="ability, hook or policy; without it all three.")] = "",
    days: Annotated[int, typer.Option(help="How far back to look.")] = 30,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Calls, failures, durations and the last use of everything in this project; what never ran comes last.

    The bars are the last fourteen days, today on the right.
    """
    names = ("ability", "hook", "policy")
    if by not in ("", *names):
        raise typer.BadParameter(f"--by is one of {', '.join(names)}")
    place = here()
    tables = {name: rows for name, rows in _tables(place, days).items() if by in ("", name)}
    if as_json:
        screen.document({"root": place.root, "days": days, **tables})
        return
    for name, rows in tables.items():
        screen.say(f"{name.capitalize()}:" if rows else f"{name.capitalize()}: none")
        if rows:
            screen.table(("NAME", "CALLS", "FAILED", "SPOKE", "AVERAGE", "LAST", "DAYS"), (_row(row) for row in rows))


def _tables(place: Here, days: int) -> dict[str, tuple[Used, ...]]:
    root = required_root(place)
    catalog = catalog_of(place)
    policies = {hook.id for hook in catalog.hooks if isinstance(hook.handler, Builtin)}
    registered = {hook.id for hook in catalog.hooks} - policies
    with at_work() as context:
        ran = usage.hooks(context.store, root, days)
        called = ShowAbilityUsage(root=root, days=days).run(context)
        known = {one.id for one in wait_for(ListAbilities(root=root).run(context))}
    return {
        "ability": _with_unused(called, known),
        # A policy that is switched off by now is still told from a hook by the dot in its id.
        "hook": _with_unused((one for one in ran if one.name not in policies and "." not in one.name), registered),
        "policy": _with_unused((one for one in ran if one.name in policies or "." in one.name), policies),
    }


def _with_unused(used: Iterable[Used], known: set[str]) -> tuple[Used, ...]:
    found = tuple(used)
    names = {one.name for one in found}
    return (*found, *(Used(name=name) for name in sorted(known - names)))


def _row(one: Used) -> tuple[str, ...]:
    if not one.calls:
        return (one.name, "0", "", "", "", "never", "")
    last = datetime.fromtimestamp(one.last).strftime("%Y-%m-%d %H:%M")
    return (one.name, str(one.calls), str(one.failures), str(one.spoke), f"{one.millis:g} ms", last, bars(one.days))


def bars(counts: tuple[int, ...]) -> str:
    """Draw numbers as a line of bars, the highest one full."""
    top = max(counts, default=0) or 1
    return "".join(BARS[-(-count * (len(BARS) - 1) // top)] for count in counts)

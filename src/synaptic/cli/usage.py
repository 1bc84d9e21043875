"""`synaptic usage`: what is used, how long it takes, what fails, and what never runs."""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated

from synaptic.cli import progress, screen, suggestions, typer
from synaptic.cli.carry_out import open_context
from synaptic.cli.place import CommandPlace, find_place, require_root
from synaptic.cli.registered import load_hook_catalog
from synaptic.cli.verbs import format_examples, make_verb_app
from synaptic.cli.waiting import run_to_end
from synaptic.store import usage
from synaptic.store.usage import UsageCount
from synaptic.work.abilities import ListAbilities, ShowAbilityUsage

app = make_verb_app()
BAR_LETTERS = " ▁▂▃▄▅▆▇█"

EXAMPLES = """
synaptic usage                   abilities, hooks and policies of this project
synaptic usage --by hook --days 7
"""


@app.command(epilog=format_examples(EXAMPLES))
def show(
    by: Annotated[
        str,
        typer.Option(
            help="ability, hook or policy; without it all three.",
            autocompletion=suggestions.complete_words("ability", "hook", "policy"),
        ),
    ] = "",
    days: Annotated[int, typer.Option(help="How far back to look.")] = 30,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Calls, failures, durations and the last use of everything in this project; what never ran comes last.

    The bars are the last fourteen days, today on the right.
    """
    names = ("ability", "hook", "policy")
    if by not in ("", *names):
        raise typer.BadParameter(f"--by is one of {', '.join(names)}")
    place = find_place()
    with progress.show_progress("counting what the journal holds"):
        tables = {name: rows for name, rows in _build_tables(place, days).items() if by in ("", name)}
    if as_json:
        screen.print_json({"root": place.root, "days": days, **tables})
        return
    for name, rows in tables.items():
        screen.say(f"{name.capitalize()}:" if rows else f"{name.capitalize()}: none")
        if rows:
            screen.print_table(
                ("NAME", "CALLS", "FAILED", "SPOKE", "AVERAGE", "LAST", "DAYS"), (_make_row(row) for row in rows)
            )


def _build_tables(place: CommandPlace, days: int) -> dict[str, tuple[UsageCount, ...]]:
    root = require_root(place)
    catalog = load_hook_catalog(place)
    policies = {hook.id for hook in catalog.hooks if hook.is_policy}
    registered = {hook.id for hook in catalog.hooks} - policies
    with open_context() as context:
        ran = usage.read_hook_usage(context.store, root, days)
        called = ShowAbilityUsage(root=root, days=days).run(context)
        known = {one.id for one in run_to_end(ListAbilities(root=root).run(context))}
    return {
        "ability": _add_unused(called, known),
        # A policy that is switched off by now is still told from a hook by the dot in its id.
        "hook": _add_unused((one for one in ran if one.name not in policies and "." not in one.name), registered),
        "policy": _add_unused((one for one in ran if one.name in policies or "." in one.name), policies),
    }


def _add_unused(used: Iterable[UsageCount], known: set[str]) -> tuple[UsageCount, ...]:
    found = tuple(used)
    names = {one.name for one in found}
    return (*found, *(UsageCount(name=name) for name in sorted(known - names)))


def _make_row(one: UsageCount) -> tuple[str, ...]:
    if not one.calls:
        return (one.name, "0", "", "", "", "never", "")
    last = datetime.fromtimestamp(one.last).strftime("%Y-%m-%d %H:%M")
    return (
        one.name,
        str(one.calls),
        str(one.failures),
        str(one.spoke),
        f"{one.millis:g} ms",
        last,
        draw_bars(one.days),
    )


def draw_bars(counts: tuple[int, ...]) -> str:
    """Draw numbers as a line of bars, the highest one full."""
    top = max(counts, default=0) or 1
    return "".join(BAR_LETTERS[-(-count * (len(BAR_LETTERS) - 1) // top)] for count in counts)

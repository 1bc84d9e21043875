"""`synaptic usage`: what is used, how long it takes, what fails, and what never runs."""

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Annotated

from synaptic.cli import progress, screen, suggestions, typer
from synaptic.cli.carry_out import open_context
from synaptic.cli.place import CommandPlace, find_place, require_root
from synaptic.cli.registered import load_hook_catalog
from synaptic.cli.sparks import BAR_LETTERS
from synaptic.cli.verbs import format_examples, make_verb_app
from synaptic.cli.waiting import run_to_end
from synaptic.model.moment import find_local_time
from synaptic.store import usage
from synaptic.store.usage import UsageCount
from synaptic.work.abilities import ListAbilities, ShowAbilityUsage

app = make_verb_app()
POLICY_ID = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)+")
TITLES = ("NAME", "CALLS", "FAILED", "SPOKE", "P50", "P95", "TOTAL", "LAST", "DAYS")
SCRIPT_ENDINGS = (".sh", ".py", ".js", ".ts", ".rb", ".pl", ".bash", ".zsh")

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

    Half of the calls took at most P50, 95 of 100 at most P95; `~` is an average, where no more is known. Policies that
    have nothing to say are not timed one by one. The bars are the last fourteen days, today on the right.
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
            screen.print_table(TITLES, (_make_row(row) for row in rows))


def _build_tables(place: CommandPlace, days: int) -> dict[str, tuple[UsageCount, ...]]:
    root = require_root(place)
    catalog = load_hook_catalog(place)
    policies = {hook.id for hook in catalog.hooks if hook.is_policy}
    registered = {hook.id for hook in catalog.hooks} - policies

    def is_policy(name: str) -> bool:
        # One that is switched off by now is told from a hook by its id: the name of a script has a dot, too.
        own = name.partition(" ")[0]  # behind it stands what it would have done, for one in shadow
        return own in policies or (own not in registered and is_policy_id(own))

    with open_context() as context:
        ran = usage.read_hook_usage(context.store, root, days)
        called = ShowAbilityUsage(root=root, days=days).run(context)
        known = {one.id for one in run_to_end(ListAbilities(root=root).run(context))}
    return {
        "ability": _add_unused(called, known),
        "hook": _add_unused((one for one in ran if not is_policy(one.name)), registered),
        "policy": _add_unused((one for one in ran if is_policy(one.name)), policies),
    }


def is_policy_id(name: str) -> bool:
    """Whether a name looks like a policy's and not like a hook's, for one that is not registered any more."""
    return bool(POLICY_ID.fullmatch(name)) and not name.endswith(SCRIPT_ENDINGS)


def _add_unused(used: Iterable[UsageCount], known: set[str]) -> tuple[UsageCount, ...]:
    found = tuple(used)
    names = {one.name for one in found}
    return (*found, *(UsageCount(name=name) for name in sorted(known - names)))


def _make_row(one: UsageCount) -> tuple[str, ...]:
    if not one.calls:
        return (one.name, "0", "", "", "", "", "", "never", "")
    at = find_local_time(one.last)
    last = at.strftime("%H:%M" if at.date() == datetime.now().date() else "%m-%d")
    # Abilities, and hooks that were counted before durations were: the average is what is known.
    average = f"~{_format(one.millis)}" if one.millis else ""
    middle = average if one.p50 is None else _format(one.p50)
    most = "" if one.p95 is None else _format(one.p95)
    total = _format(one.total or one.millis * one.calls)
    bars = draw_bars(one.days)
    return (one.name, str(one.calls), str(one.failures), str(one.spoke), middle, most, total, last, bars)


def _format(millis: float) -> str:
    """A duration as one word: a narrow column would break it between number and unit."""
    return format_millis(millis).replace(" ", "")


def format_millis(millis: float) -> str:
    """Format a duration in the unit that fits it: `0.4 ms`, `35 ms`, `1.2 s`, `5 min`."""
    if millis < 10:
        return f"{millis:.1f} ms" if millis else "0"
    if millis < 1000:
        return f"{millis:.0f} ms"
    return f"{millis / 1000:.1f} s" if millis < 120_000 else f"{millis / 60_000:.0f} min"


def draw_bars(counts: tuple[int, ...]) -> str:
    """Draw numbers as a line of bars, the highest one full."""
    top = max(counts, default=0) or 1
    return "".join(BAR_LETTERS[-(-count * (len(BAR_LETTERS) - 1) // top)] for count in counts)

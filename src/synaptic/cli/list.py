"""`synaptic list`: every hook in the order in which it runs."""

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from synaptic.cli import screen
from synaptic.cli.place import find_place
from synaptic.cli.registered import load_hook_catalog, read_trust
from synaptic.cli.verbs import Json, format_examples, make_verb_app
from synaptic.hooks.catalog import HookCatalog
from synaptic.hooks.trust import HookTrust
from synaptic.model.hook import Hook

app = make_verb_app()
LIST_HEAD = ("PRIORITY", "ID", "EVENTS", "MATCHER", "BLOCKING", "TRUSTED", "SOURCE")

EXAMPLES = """
synaptic list                      everything, first to run first
synaptic list --event PreToolUse   what concerns one event
"""


@app.command(epilog=format_examples(EXAMPLES))
def list_hooks(
    event: Annotated[str, typer.Option(help="Only hooks of this event.")] = "",
    as_json: Json = False,
) -> None:
    """Show every hook of this project in its order, and what is wrong with the declarations."""
    place = find_place()
    catalog = load_hook_catalog(place)
    hooks = [hook for hook in catalog.hooks if not event or event in hook.events]
    with read_trust(place.home, catalog) as trust:
        if as_json:
            rows = [_hook_to_json(hook, trust) for hook in hooks]
            screen.print_json(
                {"root": catalog.root, "hooks": rows, "problems": catalog.problems, "notes": catalog.notes}
            )
            return
        _print_hooks(hooks, trust, catalog)


def _print_hooks(hooks: list[Hook], trust: HookTrust, catalog: HookCatalog) -> None:
    if hooks:
        screen.print_table(LIST_HEAD, (_make_row(hook, trust) for hook in hooks))
    else:
        screen.say("no hook is registered")
    for problem in _iter_problems(hooks, trust, catalog):
        screen.say(f"problem: {problem}")
    for note in catalog.notes:
        screen.say(f"note: {note}")


def _iter_problems(hooks: list[Hook], trust: HookTrust, catalog: HookCatalog) -> Iterator[str]:
    yield from catalog.problems
    yield from (why for hook in hooks if (why := trust.explain_refusal(hook)))


def _make_row(hook: Hook, trust: HookTrust) -> tuple[str, ...]:
    blocking = "yes" if hook.blocking else "no"
    shown_matcher = hook.matcher or ".*"
    order = (str(hook.priority), hook.id, ",".join(hook.events), shown_matcher)
    return (*order, blocking, _describe_trust(hook, trust), hook.source)


def _describe_trust(hook: Hook, trust: HookTrust) -> str:
    if trust.explain_refusal(hook):
        return "no"
    return "yes" if hook.scope == "project" else "own"


def _hook_to_json(hook: Hook, trust: HookTrust) -> dict[str, Any]:
    names = ("id", "priority", "events", "matcher", "blocking", "timeout", "on_error", "protocol", "scope", "source")
    return {**{name: getattr(hook, name) for name in names}, "trusted": trust.explain_refusal(hook) is None}

"""`synaptic list`: every hook in the order in which it runs."""

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from synaptic.cli import screen
from synaptic.cli.place import here
from synaptic.cli.registered import catalog_of, trust_now
from synaptic.cli.verbs import Json, shown, verb
from synaptic.hooks.catalog import Catalog
from synaptic.hooks.trust import Trust
from synaptic.model.hook import Hook

app = verb()
HEAD = ("PRIORITY", "ID", "EVENTS", "MATCHER", "BLOCKING", "TRUSTED", "SOURCE")

EXAMPLES = """
synaptic list                      everything, first to run first
synaptic list --event PreToolUse   what concerns one event
"""


@app.command(epilog=shown(EXAMPLES))
def list_hooks(
    event: Annotated[str, typer.Option(help="Only hooks of this event.")] = "",
    as_json: Json = False,
) -> None:
    """Show every hook of this project in its order, and what is wrong with the declarations."""
    place = here()
    catalog = catalog_of(place)
    hooks = [hook for hook in catalog.hooks if not event or event in hook.events]
    with trust_now(place.home, catalog) as trust:
        if as_json:
            rows = [_object(hook, trust) for hook in hooks]
            screen.document({"root": catalog.root, "hooks": rows, "problems": catalog.problems})
            return
        _print(hooks, trust, catalog)


def _print(hooks: list[Hook], trust: Trust, catalog: Catalog) -> None:
    if hooks:
        screen.table(HEAD, (_row(hook, trust) for hook in hooks))
    else:
        screen.say("no hook is registered")
    for problem in _problems(hooks, trust, catalog):
        screen.say(f"problem: {problem}")


def _problems(hooks: list[Hook], trust: Trust, catalog: Catalog) -> Iterator[str]:
    yield from catalog.problems
    yield from (why for hook in hooks if (why := catalog.tampered(hook) or trust.refusal(hook)))


def _row(hook: Hook, trust: Trust) -> tuple[str, ...]:
    blocking = "yes" if hook.blocking else "no"
    shown_matcher = hook.matcher or ".*"
    order = (str(hook.priority), hook.id, ",".join(hook.events), shown_matcher)
    return (*order, blocking, _trusted(hook, trust), hook.source)


def _trusted(hook: Hook, trust: Trust) -> str:
    if hook.scope != "project":
        return "own"
    return "no" if trust.refusal(hook) else "yes"


def _object(hook: Hook, trust: Trust) -> dict[str, Any]:
    names = ("id", "priority", "events", "matcher", "blocking", "timeout", "on_error", "protocol", "scope", "source")
    return {**{name: getattr(hook, name) for name in names}, "trusted": trust.refusal(hook) is None}

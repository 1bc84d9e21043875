"""`synaptic list`: every hook in the order in which it runs."""

import os
from collections.abc import Iterator
from typing import Annotated, Any

from synaptic.cli import completion, screen, typer
from synaptic.cli.hints import require_known_event
from synaptic.cli.place import CommandPlace, find_place
from synaptic.cli.verbs import Json, format_examples, make_verb_app
from synaptic.daemon.ask import ask_daemon

app = make_verb_app()
LIST_HEAD = ("PRI", "ID", "EVENTS", "MATCHER", "BLOCK", "TRUST", "SOURCE")
"""Short, so that what is on from the start fits 80 columns, a line each."""
BUILT_IN = "built in"
JSON_FIELDS = ("root", "hooks", "problems", "notes")

EXAMPLES = """
synaptic list                      everything, first to run first
synaptic list --event PreToolUse   what concerns one event
"""


@app.command(epilog=format_examples(EXAMPLES))
def list_hooks(
    event: Annotated[
        str, typer.Option(help="Only hooks of this event.", autocompletion=completion.complete_events)
    ] = "",
    as_json: Json = False,
) -> None:
    """Show every hook of this project in its order, and what is wrong with the declarations."""
    catalog = read_catalog(find_place())
    hooks = [hook for hook in catalog["hooks"] if not event or event in hook["events"]]
    if not hooks:
        require_known_event(event)
    if as_json:
        screen.print_json({**{name: catalog[name] for name in JSON_FIELDS}, "hooks": hooks})
        return
    _print_hooks(hooks, catalog["problems"])
    for note in catalog["notes"]:
        screen.say(f"note: {note}")


def read_catalog(place: CommandPlace) -> dict[str, Any]:
    """What is registered here: as the daemon has it, where one of this code runs, else read here."""
    wanted = {"root": place.root, "env": os.environ.get("SYNAPTIC_ENV", ""), "cwd": place.utf8_cwd}
    known = ask_daemon(place.home, "catalog.list", wanted)
    if isinstance(known, dict):
        return known
    # Every policy is imported for it: most of a second.
    from synaptic.cli.registered import load_hook_catalog, read_trust  # noqa: PLC0415
    from synaptic.hooks.described import describe_catalog  # noqa: PLC0415

    catalog = load_hook_catalog(place)
    with read_trust(place.home, catalog) as trust:
        return describe_catalog(catalog, trust)


def _print_hooks(hooks: list[dict[str, Any]], problems: list[str]) -> None:
    if hooks:
        screen.print_table(LIST_HEAD, map(_make_row, hooks))
    else:
        screen.say("no hook is registered")
    for problem in _iter_problems(hooks, problems):
        screen.say(f"problem: {problem}")


def _iter_problems(hooks: list[dict[str, Any]], problems: list[str]) -> Iterator[str]:
    yield from problems
    yield from (hook["refusal"] for hook in hooks if hook["refusal"])


def _make_row(hook: dict[str, Any]) -> tuple[str, ...]:
    order = (str(hook["priority"]), hook["id"], ",".join(hook["events"]), hook["matcher"] or ".*")
    return (*order, "yes" if hook["blocking"] else "no", _describe_trust(hook), _name_source(hook["source"]))


def _describe_trust(hook: dict[str, Any]) -> str:
    if hook.get("broken"):  # a daemon of older code does not say it
        return "broken"
    if hook["refusal"]:
        return "no"
    return "yes" if hook["scope"] == "project" else "own"


def _name_source(source: str) -> str:
    """Where a hook is declared; a policy is declared nowhere."""
    return "policy" if source == BUILT_IN else source

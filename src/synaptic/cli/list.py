"""`synaptic list`: every hook in the order in which it runs."""

import os
from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Any

from synaptic.cli import completion, screen, typer
from synaptic.cli.hints import require_known_event
from synaptic.cli.place import CommandPlace, find_place, open_journal
from synaptic.cli.verbs import Json, format_examples, make_verb_app
from synaptic.daemon.ask import ask_daemon
from synaptic.work.exceptions import format_exceptions, list_in_force

app = make_verb_app()
LIST_HEAD = ("PRI", "ID", "EVENTS", "MATCHER", "BLOCK", "TRUST", "SOURCE")
"""Short, so that what is on from the start fits 80 columns, a line each."""
BUILT_IN = "built in"
MARK = "*"
"""Beside what a hook with exceptions blocks: it does not block all of that."""
TRUST_WORDS = {"project": "yes", "organisation": "bundle"}
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
    place = find_place()
    catalog = read_catalog(place)
    hooks = [hook for hook in catalog["hooks"] if not event or event in hook["events"]]
    if not hooks:
        require_known_event(event)
    found = count_exceptions(place)
    for hook in hooks:
        hook["exceptions"] = found[hook["id"]]
    if as_json:
        shown = {**{name: catalog[name] for name in JSON_FIELDS}, "hooks": hooks}
        screen.print_json({**shown, "exceptions": found.total()})
        return
    _print_hooks(hooks, catalog["problems"])
    if found:
        screen.say(format_exceptions(found.total(), f"{MARK} "))
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


def count_exceptions(place: CommandPlace) -> Counter[str]:
    """How many exceptions are in force here, by policy; none where nobody has made any. Raises StoreError."""
    if not place.home.database.exists():
        return Counter()
    with open_journal(place.home) as store:
        return Counter(one.grant.policy for one in list_in_force(store, place.root))


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
    blocks = _describe_blocking(hook) + (MARK if hook["exceptions"] else "")
    return (*order, blocks, _describe_trust(hook), _name_source(hook["source"]))


def _describe_blocking(hook: dict[str, Any]) -> str:
    mode: str = hook.get("mode", "enforce")  # a daemon of older code does not say it
    if mode != "enforce":
        return mode
    return "yes" if hook["blocking"] else "no"


def _describe_trust(hook: dict[str, Any]) -> str:
    if hook.get("broken"):  # a daemon of older code does not say it
        return "broken"
    if hook["refusal"]:
        return "no"
    return TRUST_WORDS.get(hook["scope"], "own")


def _name_source(source: str) -> str:
    """Where a hook is declared; a policy is declared nowhere."""
    return "policy" if source == BUILT_IN else source

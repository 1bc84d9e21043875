"""`synaptic trust`: agree to run the hooks that a repository brings, by their content."""

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from synaptic.cli import screen
from synaptic.cli.place import find_place, open_database, require_root
from synaptic.cli.registered import load_hook_catalog
from synaptic.cli.verbs import format_examples, make_verb_app
from synaptic.engine.recollection import make_trust
from synaptic.hooks.trust import TrustItem
from synaptic.model.errors import StoreError
from synaptic.model.hook import Command, Hook, HttpEndpoint, PythonFunction
from synaptic.store import trust as store_trust
from synaptic.store.db import Store

app = make_verb_app()
SHORT_DIGEST = 12
DOCTOR_HINT = "type: synaptic doctor"

EXAMPLES = """
synaptic trust            look at what this project brings, then agree
synaptic trust --list     what has been agreed to, in every project
synaptic trust --forget   agree to nothing of this project any more
"""


@app.command(epilog=format_examples(EXAMPLES))
def trust(
    path: Annotated[str, typer.Argument(help="The project; the current one without it.")] = "",
    show_list: Annotated[bool, typer.Option("--list", help="Show what is trusted.")] = False,
    forget: Annotated[bool, typer.Option("--forget", help="Trust nothing of this project any more.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document; does not ask.")] = False,
) -> None:
    """Trust the hooks of a project as they are now. A changed file is not trusted again by itself."""
    place = find_place(path)
    with open_database(place.home) as store:
        if show_list:
            _print_agreements(store, place.root if path else None, as_json)
            return
        root = require_root(place)
        if forget:
            _forget_project(store, root, as_json)
            return
        catalog = load_hook_catalog(place)
        new = [item for item in make_trust(catalog, store).list_items(catalog.hooks) if not item.trusted]
        _remember_after_asking(
            store, root, new, ask=sys.stdin.isatty() and screen.is_terminal() and not (yes or as_json)
        )
        _print_trusted(root, new, as_json)


def describe_handler(hook: Hook) -> str:
    """Describe what a hook executes."""
    match hook.handler:
        case Command(argv=argv, shell=shell):
            return shell or " ".join(argv)
        case PythonFunction(file=file, function=function):
            return f"{file}:{function}"
        case HttpEndpoint(url=url):
            return url
    return "built in"


def remember_hooks(store: Store, root: str, items: Sequence[TrustItem]) -> None:
    """Write down that these hooks may run. Raises StoreError where it would be forgotten at once."""
    if not store.durable:
        raise StoreError("; ".join(store.notices) or "nothing can be written", where=str(store.path), hint=DOCTOR_HINT)
    labels = (
        store_trust.TrustedContent(item.digest, f"{item.hook.id}: {describe_handler(item.hook)}") for item in items
    )
    store_trust.remember_trust(store, root, labels)


def _remember_after_asking(store: Store, root: str, new: Sequence[TrustItem], ask: bool) -> None:
    if ask and new:
        _print_items(new)
        if not typer.confirm(f"Run these hooks in {root}?"):
            raise typer.Exit(1)
    if new:
        remember_hooks(store, root, new)


def _print_trusted(root: str, new: Sequence[TrustItem], as_json: bool) -> None:
    if as_json:
        rows = [{"id": item.hook.id, "runs": describe_handler(item.hook), "digest": item.digest} for item in new]
        screen.print_json({"ok": True, "root": root, "trusted": rows})
        return
    if not new:
        screen.say(f"nothing to trust in {root}")
        return
    _print_items(new)
    screen.say(f"trusted in {root}; undo it with `synaptic trust --forget`")


def _print_items(items: Sequence[TrustItem]) -> None:
    screen.print_table(
        ("ID", "DIGEST", "RUNS"),
        ((item.hook.id, item.digest[:SHORT_DIGEST], describe_handler(item.hook)) for item in items),
    )


def _print_agreements(store: Store, root: str | None, as_json: bool) -> None:
    found = store_trust.list_agreements(store, root)
    if as_json:
        screen.print_json({"ok": True, "trusted": found})
    elif not found:
        screen.say("nothing is trusted")
    else:
        rows = ((line.root, line.digest[:SHORT_DIGEST], line.label) for line in found)
        screen.print_table(("PROJECT", "DIGEST", "HOOK"), rows)


def _forget_project(store: Store, root: str, as_json: bool) -> None:
    gone = store_trust.forget_trust(store, root)
    if as_json:
        screen.print_json({"ok": True, "root": root, "forgotten": gone})
        return
    screen.say(f"{gone} agreements forgotten in {root}" if gone else f"nothing was trusted in {root}")

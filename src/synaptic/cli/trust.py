"""`synaptic trust`: agree to run the hooks that a repository brings, by their content."""

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from synaptic.cli import screen
from synaptic.cli.place import here, opened, required_root
from synaptic.cli.registered import catalog_of, trust_of
from synaptic.cli.verbs import shown, verb
from synaptic.hooks.trust import Item
from synaptic.model.errors import StoreError
from synaptic.model.hook import Command, Hook, HttpEndpoint, PythonFunction
from synaptic.store import trust as store_trust
from synaptic.store.db import Store

app = verb()
SHORT = 12
DOCTOR = "type: synaptic doctor"

EXAMPLES = """
synaptic trust            look at what this project brings, then agree
synaptic trust --list     what has been agreed to, in every project
synaptic trust --forget   agree to nothing of this project any more
"""


@app.command(epilog=shown(EXAMPLES))
def trust(
    path: Annotated[str, typer.Argument(help="The project; the current one without it.")] = "",
    show_list: Annotated[bool, typer.Option("--list", help="Show what is trusted.")] = False,
    forget: Annotated[bool, typer.Option("--forget", help="Trust nothing of this project any more.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document; does not ask.")] = False,
) -> None:
    """Trust the hooks of a project as they are now. A changed file is not trusted again by itself."""
    place = here(path)
    with opened(place.home) as store:
        if show_list:
            _show(store, place.root if path else None, as_json)
            return
        root = required_root(place)
        if forget:
            _forget(store, root, as_json)
            return
        catalog = catalog_of(place)
        new = [item for item in trust_of(catalog, store).items(catalog.hooks) if not item.trusted]
        _remember(store, root, new, ask=sys.stdin.isatty() and screen.is_terminal() and not (yes or as_json))
        _tell(root, new, as_json)


def what_runs(hook: Hook) -> str:
    """Describe what a hook executes."""
    match hook.handler:
        case Command(argv=argv, shell=shell):
            return shell or " ".join(argv)
        case PythonFunction(file=file, function=function):
            return f"{file}:{function}"
        case HttpEndpoint(url=url):
            return url
    return "built in"


def remember(store: Store, root: str, items: Sequence[Item]) -> None:
    """Write down that these hooks may run. Raises StoreError where it would be forgotten at once."""
    if not store.durable:
        raise StoreError("; ".join(store.notices) or "nothing can be written", where=str(store.path), hint=DOCTOR)
    labels = (store_trust.Item(item.digest, f"{item.hook.id}: {what_runs(item.hook)}") for item in items)
    store_trust.remember(store, root, labels)


def _remember(store: Store, root: str, new: Sequence[Item], ask: bool) -> None:
    if ask and new:
        _describe(new)
        if not typer.confirm(f"Run these hooks in {root}?"):
            raise typer.Exit(1)
    if new:
        remember(store, root, new)


def _tell(root: str, new: Sequence[Item], as_json: bool) -> None:
    if as_json:
        rows = [{"id": item.hook.id, "runs": what_runs(item.hook), "digest": item.digest} for item in new]
        screen.document({"ok": True, "root": root, "trusted": rows})
        return
    if not new:
        screen.say(f"nothing to trust in {root}")
        return
    _describe(new)
    screen.say(f"trusted in {root}; undo it with `synaptic trust --forget`")


def _describe(items: Sequence[Item]) -> None:
    screen.table(
        ("ID", "DIGEST", "RUNS"), ((item.hook.id, item.digest[:SHORT], what_runs(item.hook)) for item in items)
    )


def _show(store: Store, root: str | None, as_json: bool) -> None:
    found = store_trust.listing(store, root)
    if as_json:
        screen.document({"ok": True, "trusted": found})
    elif not found:
        screen.say("nothing is trusted")
    else:
        rows = ((line.root, line.digest[:SHORT], line.label) for line in found)
        screen.table(("PROJECT", "DIGEST", "HOOK"), rows)


def _forget(store: Store, root: str, as_json: bool) -> None:
    gone = store_trust.forget(store, root)
    if as_json:
        screen.document({"ok": True, "root": root, "forgotten": gone})
        return
    screen.say(f"{gone} agreements forgotten in {root}" if gone else f"nothing was trusted in {root}")

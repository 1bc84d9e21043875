"""`synaptic trust`: agree to run the hooks that a repository brings, by their content."""

from collections.abc import Sequence
from typing import Annotated

import msgspec

from synaptic.cli import screen, typer
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
synaptic trust               look at what this project brings, then agree
synaptic trust --list        what has been agreed to, in every project
synaptic trust --forget      agree to nothing of this project any more
synaptic trust --json        what there is to agree to, for programs; agrees to nothing
"""


@app.command(epilog=format_examples(EXAMPLES))
def trust(
    path: Annotated[str, typer.Argument(help="The project; the current one without it.")] = "",
    show_list: Annotated[bool, typer.Option("--list", help="Show what is trusted.")] = False,
    forget: Annotated[bool, typer.Option("--forget", help="Trust nothing of this project any more.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask about what is covered.")] = False,
    uncovered: Annotated[
        bool, typer.Option("--uncovered", help="Do not ask about what is shown as not covered, either.")
    ] = False,
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
        choice = _Consent(yes, uncovered, screen.is_dialogue() and not as_json)
        if not as_json and (yes or not choice.can_ask):
            _print_items(new)
        accepted = choice.choose(root, new)
        if accepted:
            remember_hooks(store, root, accepted)
        _print_outcome(root, new, accepted, as_json)


class _Consent(msgspec.Struct, frozen=True):
    """What the person has said, and whether they can be asked for the rest."""

    yes: bool
    uncovered: bool
    can_ask: bool

    def choose(self, root: str, items: Sequence[TrustItem]) -> list[TrustItem]:
        """The hooks that may run from now on. Each one with something that is not covered needs a yes of its own."""
        plain = [item for item in items if not item.gaps]
        chosen = plain if plain and self._agrees(self.yes, f"Run these hooks in {root}?", plain) else []
        for item in items:
            question = f"Run {item.hook.id}, whatever becomes of what is not covered?"
            if item.gaps and self._agrees(self.yes and self.uncovered, question, [item]):
                chosen = [*chosen, item]
        return chosen

    def _agrees(self, said: bool, question: str, items: Sequence[TrustItem]) -> bool:
        if said or not self.can_ask:
            return said
        _print_items(items)
        return typer.confirm(question, default=False)


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


def _print_outcome(root: str, new: Sequence[TrustItem], accepted: Sequence[TrustItem], as_json: bool) -> None:
    """Say what runs from now on and what does not; raises Exit where something is left."""
    left = [item for item in new if item not in accepted]
    if as_json:
        rows = {"trusted": list(map(_item_to_json, accepted)), "untrusted": list(map(_item_to_json, left))}
        screen.print_json({"ok": not left, "root": root, **rows})
    elif not new:
        screen.say(f"nothing to trust in {root}")
    if accepted and not as_json:
        screen.say(f"trusted in {root}; undo it with `synaptic trust --forget`")
    if left and not as_json:
        screen.say(_describe_left(left))
    if left:
        raise typer.Exit(1)


def _describe_left(left: Sequence[TrustItem]) -> str:
    names = ", ".join(item.hook.id for item in left)
    ways = "--yes --uncovered" if any(item.gaps for item in left) else "--yes"
    return f"not trusted: {names} (type `synaptic trust` in a terminal of your own, or add {ways})"


def _item_to_json(item: TrustItem) -> dict[str, object]:
    told = {"id": item.hook.id, "runs": describe_handler(item.hook), "digest": item.digest}
    return {**told, "not_covered": list(item.gaps)}


def _print_items(items: Sequence[TrustItem]) -> None:
    if not items:
        return
    screen.print_table(
        ("ID", "DIGEST", "RUNS"),
        ((item.hook.id, item.digest[:SHORT_DIGEST], describe_handler(item.hook)) for item in items),
    )
    for item in items:
        for gap in item.gaps:
            screen.say(f"  {item.hook.id}: not covered: {gap}")


def _print_agreements(store: Store, root: str | None, as_json: bool) -> None:
    found = store_trust.list_agreements(store, root)
    if as_json:
        screen.print_json({"ok": True, "trusted": found})
    elif not found:
        screen.say("nothing is trusted")
    else:
        notes = {True: "", False: " (not signed by this installation: does not count)"}
        rows = ((line.root, line.digest[:SHORT_DIGEST], f"{line.label}{notes[line.signed]}") for line in found)
        screen.print_table(("PROJECT", "DIGEST", "HOOK"), rows)


def _forget_project(store: Store, root: str, as_json: bool) -> None:
    gone = store_trust.forget_trust(store, root)
    if as_json:
        screen.print_json({"ok": True, "root": root, "forgotten": gone})
        return
    screen.say(f"{gone} agreements forgotten in {root}" if gone else f"nothing was trusted in {root}")

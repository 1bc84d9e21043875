"""`synaptic trust`: agree to run the hooks that a repository brings, by their content."""

import time
from collections.abc import Sequence
from typing import Annotated

import msgspec

from synaptic.cli import screen, suggestions, typer
from synaptic.cli.place import find_place, open_database, require_root
from synaptic.cli.registered import load_hook_catalog
from synaptic.cli.trust_view import SHORT_DIGEST, TrustView, describe_handler
from synaptic.cli.verbs import format_examples, make_verb_app
from synaptic.engine.recollection import make_trust
from synaptic.hooks.agreed import describe_agreed, encode_agreed, read_files
from synaptic.hooks.trust import TrustItem
from synaptic.hooks.worktrees import NAME_PREFIX, describe_repository, name_repository
from synaptic.model.errors import StoreError
from synaptic.store import trust as store_trust
from synaptic.store.db import Store

app = make_verb_app()
DOCTOR_HINT = "type: synaptic doctor"

EXAMPLES = """
synaptic trust               look at what this project brings, or what is new in it, then agree
synaptic trust --lines 0     the same, with every line of every file
synaptic trust --list        what has been agreed to, in every project
synaptic trust --forget      agree to nothing of this project any more
synaptic trust --json        what there is to agree to, for programs; agrees to nothing
"""


@app.command(epilog=format_examples(EXAMPLES))
def trust(
    path: Annotated[
        str,
        typer.Argument(help="The project; the current one without it.", autocompletion=suggestions.complete_projects),
    ] = "",
    show_list: Annotated[bool, typer.Option("--list", help="Show what is trusted.")] = False,
    forget: Annotated[bool, typer.Option("--forget", help="Trust nothing of this project any more.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask about what is covered.")] = False,
    uncovered: Annotated[
        bool, typer.Option("--uncovered", help="Do not ask about what is shown as not covered, either.")
    ] = False,
    lines: Annotated[int, typer.Option("--lines", min=0, help="Lines of each file to show; 0 shows all.")] = 40,
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
        view = TrustView(store, root, lines)
        choice = _Consent(yes, uncovered, screen.is_dialogue() and not as_json, view)
        if not as_json and (yes or not choice.can_ask):
            view.print_items(new)
        accepted = choice.choose(root, new)
        # Agreed to where it comes from: that is where its files are seen from, whoever asks.
        for folder in dict.fromkeys(item.hook.root or root for item in accepted):
            remember_hooks(store, folder, [item for item in accepted if (item.hook.root or root) == folder])
        _print_outcome(view, new, accepted, as_json)


class _Consent(msgspec.Struct, frozen=True):
    """What the person has said, and whether they can be asked for the rest."""

    yes: bool
    uncovered: bool
    can_ask: bool
    view: TrustView

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
        self.view.print_items(items)
        return typer.confirm(question, default=False)


def remember_hooks(store: Store, root: str, items: Sequence[TrustItem]) -> None:
    """Write down that these hooks may run. Raises StoreError where it would be forgotten at once.

    Here, and in every worktree of the same repository that has the same content; only here what is not all covered.
    """
    if not store.durable:
        raise StoreError("; ".join(store.notices) or "nothing can be written", where=str(store.path), hint=DOCTOR_HINT)
    name = name_repository(root)
    shared = [item for item in items if name and not item.gaps]
    store_trust.remember_trust(store, root, (_make_content(item, "" if item in shared else root) for item in items))
    if shared:
        store_trust.remember_trust(store, name, (_make_content(item, root) for item in shared))


def _make_content(item: TrustItem, root: str) -> store_trust.TrustedContent:
    """The content by its digest; with a root also what it is, for the next comparison."""
    runs = describe_handler(item.hook)
    kept = encode_agreed(describe_agreed(runs, time.time(), read_files(item), root)) if root else b""
    return store_trust.TrustedContent(item.digest, f"{item.hook.id}: {runs}", item.hook.id, kept)


def _print_outcome(view: TrustView, new: Sequence[TrustItem], accepted: Sequence[TrustItem], as_json: bool) -> None:
    """Say what runs from now on and what does not; raises Exit where something is left."""
    root, left = view.root, [item for item in new if item not in accepted]
    if as_json:
        rows = {"trusted": list(map(view.to_json, accepted)), "untrusted": list(map(view.to_json, left))}
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


def _print_agreements(store: Store, root: str | None, as_json: bool) -> None:
    places = [root, *filter(None, [name_repository(root)])] if root else [None]
    found = [line for place in places for line in store_trust.list_agreements(store, place)]
    if as_json:
        screen.print_json({"ok": True, "trusted": found})
    elif not found:
        screen.say("nothing is trusted")
    else:
        notes = {True: "", False: " (not signed by this installation: does not count)"}
        rows = (
            (_describe_place(line.root), line.digest[:SHORT_DIGEST], f"{line.label}{notes[line.signed]}")
            for line in found
        )
        screen.print_table(("PROJECT", "DIGEST", "HOOK"), rows)


def _describe_place(root: str) -> str:
    return describe_repository(root) if root.startswith(NAME_PREFIX) else root


def _forget_project(store: Store, root: str, as_json: bool) -> None:
    gone = store_trust.forget_trust(store, root)
    # What was agreed to for all worktrees would still count here.
    gone = max(gone, store_trust.forget_trust(store, name) if (name := name_repository(root)) else 0)
    if as_json:
        screen.print_json({"ok": True, "root": root, "forgotten": gone})
        return
    screen.say(f"{gone} agreements forgotten in {root}" if gone else f"nothing was trusted in {root}")

"""`synaptic import claude`: the hooks that are already in the agent's settings become ours, and can be put back."""

from pathlib import Path
from typing import Annotated

import typer

from synaptic.cli import foreign, screen
from synaptic.cli.bootstrap import installation
from synaptic.cli.imports import Import, Scope, Taken, done, put_back, take
from synaptic.cli.place import Here, here, opened, required_root
from synaptic.cli.registered import catalog_of, trust_of
from synaptic.cli.trust import remember
from synaptic.cli.verbs import Json, verb
from synaptic.model.errors import SettingsError
from synaptic.setup import bootstrap as packages

app = verb(
    "Take over hooks that an agent already has.",
    """
    synaptic import claude --dry-run   what would be taken over, what has to stay and why
    synaptic import claude             your own hooks, from your settings.json
    synaptic import claude --undo      back to where they were, byte for byte
    """,
)


@app.callback()
def group() -> None:
    """Take over hooks that an agent already has."""


@app.command()
def claude(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would happen.")] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Put back what was taken over.")] = False,
    project: Annotated[bool, typer.Option("--project/--user", help="This project's settings, or yours.")] = False,
    as_json: Json = False,
) -> None:
    """Move the hooks of settings.json into our registry, with protocol `native`: they run as before, in a known order.

    What only the agent can run stays where it is and is named.
    """
    place = here()
    scope = _scope(place, project)
    if undo:
        _undo(place, scope, as_json)
        return
    # Hooks that leave the settings while nobody calls the dispatcher would run nowhere.
    if not dry_run and not packages.is_registered(installation(place)):
        raise SettingsError("the agent is not connected yet", where=str(scope.settings), hint="type: synaptic up")
    taken = take(place.home, scope, dry_run)
    if project and not dry_run and taken.moved:
        _trust(place, taken.moved)
    _tell(taken, scope, dry_run, as_json)


def _scope(place: Here, project: bool) -> Scope:
    if project:
        root = Path(required_root(place))
        return Scope(root / ".claude" / "settings.json", root / ".synaptic" / "hooks" / "registry.toml")
    return Scope(installation(place).settings, place.home.registry)


def _trust(place: Here, imported: Import) -> None:
    """What we wrote ourselves is trusted at once, and nothing else."""
    catalog = catalog_of(place)
    with opened(place.home) as store:
        items = trust_of(catalog, store).items(catalog.hooks)
        remember(store, catalog.root, [item for item in items if item.hook.id in imported.ids])


def _undo(place: Here, scope: Scope, as_json: bool) -> None:
    known = [one for one in done(place.home) if one.settings == str(scope.settings)]
    exact = [put_back(place.home, one) for one in reversed(known)]
    if as_json:
        count = sum(len(one.ids) for one in known)
        screen.document({"ok": True, "file": str(scope.settings), "hooks": count, "exact": all(exact)})
        return
    if not known:
        screen.say(f"nothing was taken over from {scope.settings}")
    for one, same in zip(reversed(known), exact, strict=True):
        how = "byte for byte" if same else "at the end of their events, since the file was edited in the meantime"
        screen.say(f"{len(one.ids)} hooks put back into {one.settings}, {how}")


def _tell(taken: Taken, scope: Scope, dry_run: bool, as_json: bool) -> None:
    stays = [{"event": one.event, "hook": _label(one), "why": foreign.refusal(one)} for one in taken.staying]
    entries = taken.moved.entries if taken.moved else ()
    if as_json:
        told = {"dry_run": dry_run, "file": str(scope.settings), "taken": entries, "staying": stays}
        screen.document({"ok": True, **told})
        return
    screen.say(f"{len(entries)} hooks {'would be taken' if dry_run else 'taken'} over from {scope.settings}")
    for entry in entries:
        screen.say(f"  {entry['id']}  {entry['matcher']}  {entry.get('command') or entry.get('url')}")
    for one in stays:
        screen.say(f"  stays: {one['event']} {one['hook']}: {one['why']}")
    if entries:
        screen.say(f"their place {'would be' if dry_run else 'is now'} {scope.registry}; `--undo` puts them back")


def _label(one: foreign.Foreign) -> str:
    hook = one.hook if isinstance(one.hook, dict) else {}
    return str(hook.get("command") or hook.get("url") or hook.get("prompt") or hook.get("type") or "?")[:80]

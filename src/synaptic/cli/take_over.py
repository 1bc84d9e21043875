"""`synaptic import`: hooks of an agent's settings become ours and can be put back; rules of other tools, too."""

from pathlib import Path
from typing import Annotated

from synaptic.cli import foreign, screen, typer
from synaptic.cli.bootstrap import read_installation
from synaptic.cli.import_rules import RuleImport, take_over_rules
from synaptic.cli.imports import HookImport, ImportOutcome, ImportScope, list_imports, take_over_hooks, undo_import
from synaptic.cli.place import CommandPlace, find_place, open_database, require_root
from synaptic.cli.registered import load_hook_catalog
from synaptic.cli.trust import remember_hooks
from synaptic.cli.verbs import Json, make_verb_app
from synaptic.engine.recollection import make_trust
from synaptic.model.errors import SettingsError
from synaptic.setup import bootstrap as packages

app = make_verb_app(
    "Take over the hooks that an agent already has, and rules of other tools.",
    """
    synaptic import claude --dry-run        what would be taken over, what has to stay and why
    synaptic import claude                  your own hooks, from your settings.json
    synaptic import claude --undo           back to where they were, byte for byte
    synaptic import hookify --project       rules of .claude/hookify.*.local.md, for everybody here
    synaptic import permissions --dry-run   deny and ask of your settings.json, as rules
    """,
)
RuleFiles = Annotated[
    list[Path] | None, typer.Argument(metavar="[FILE]...", help="Files instead of those in their usual places.")
]
ForProject = Annotated[bool, typer.Option("--project/--user", help="This project's files and rules, or yours.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only show what would be written.")]


@app.callback()
def group() -> None:
    """Take over the hooks that an agent already has, and rules of other tools."""


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
    place = find_place()
    scope = _choose_scope(place, project)
    if undo:
        _undo_imports(place, scope, as_json)
        return
    # Hooks that leave the settings while nobody calls the dispatcher would run nowhere.
    if not dry_run and not packages.is_registered(read_installation(place)):
        raise SettingsError("the agent is not connected yet", where=str(scope.settings), hint="type: synaptic up")
    taken = take_over_hooks(place.home, scope, dry_run)
    if project and not dry_run and taken.moved:
        _trust_imported(place, taken.moved)
    _print_outcome(taken, scope, dry_run, as_json)


@app.command()
def hookify(
    files: RuleFiles = None, project: ForProject = False, dry_run: DryRun = False, as_json: Json = False
) -> None:
    """Write what the rules of the hookify plugin say as rules; its files stay as they are."""
    take_over_rules(find_place(), RuleImport("hookify", files or (), project, dry_run, as_json))


@app.command()
def permissions(
    files: RuleFiles = None, project: ForProject = False, dry_run: DryRun = False, as_json: Json = False
) -> None:
    """Write deny and ask of Claude Code's permissions as rules, for every agent; the settings stay as they are."""
    take_over_rules(find_place(), RuleImport("permissions", files or (), project, dry_run, as_json))


@app.command("cc-safety-net")
def safety_net(
    files: RuleFiles = None, project: ForProject = False, dry_run: DryRun = False, as_json: Json = False
) -> None:
    """Write custom rules of cc-safety-net, rulebooks and inline ones, as rules; its files stay as they are."""
    take_over_rules(find_place(), RuleImport("cc-safety-net", files or (), project, dry_run, as_json))


@app.command()
def dcg(files: RuleFiles = None, project: ForProject = False, dry_run: DryRun = False, as_json: Json = False) -> None:
    """Write custom packs and block overrides of dcg as rules, as far as they plainly name commands."""
    take_over_rules(find_place(), RuleImport("dcg", files or (), project, dry_run, as_json))


def _choose_scope(place: CommandPlace, project: bool) -> ImportScope:
    if project:
        root = Path(require_root(place))
        return ImportScope(root / ".claude" / "settings.json", root / ".synaptic" / "hooks" / "registry.toml", root)
    return ImportScope(read_installation(place).settings, place.home.registry)


def _trust_imported(place: CommandPlace, imported: HookImport) -> None:
    """What we wrote ourselves is trusted at once, and nothing else."""
    catalog = load_hook_catalog(place)
    with open_database(place.home) as store:
        items = make_trust(catalog, store).list_items(catalog.hooks)
        remember_hooks(
            store,
            catalog.root,
            [item for item in items if item.hook.id in imported.ids and item.hook.root in ("", catalog.root)],
        )


def _undo_imports(place: CommandPlace, scope: ImportScope, as_json: bool) -> None:
    known = [one for one in list_imports(place.home) if one.settings == str(scope.settings)]
    exact = [undo_import(place.home, one) for one in reversed(known)]
    if as_json:
        count = sum(len(one.ids) for one in known)
        screen.print_json({"ok": True, "file": str(scope.settings), "hooks": count, "exact": all(exact)})
        return
    if not known:
        screen.say(f"nothing was taken over from {scope.settings}")
    for one, same in zip(reversed(known), exact, strict=True):
        how = "byte for byte" if same else "at the end of their events, since the file was edited in the meantime"
        screen.say(f"{len(one.ids)} hooks put back into {one.settings}, {how}")


def _print_outcome(taken: ImportOutcome, scope: ImportScope, dry_run: bool, as_json: bool) -> None:
    stays = [
        {"event": one.event, "hook": _label_hook(one), "why": foreign.explain_refusal(one)} for one in taken.staying
    ]
    entries = taken.moved.entries if taken.moved else ()
    if as_json:
        told = {"dry_run": dry_run, "file": str(scope.settings), "taken": entries, "staying": stays}
        screen.print_json({"ok": True, **told})
        return
    screen.say(f"{len(entries)} hooks {'would be taken' if dry_run else 'taken'} over from {scope.settings}")
    for entry in entries:
        screen.say(f"  {entry['id']}  {entry['matcher']}  {entry.get('command') or entry.get('url')}")
    for one in stays:
        screen.say(f"  stays: {one['event']} {one['hook']}: {one['why']}")
    if entries:
        screen.say(f"their place {'would be' if dry_run else 'is now'} {scope.registry}; `--undo` puts them back")


def _label_hook(one: foreign.ForeignHook) -> str:
    hook = one.hook if isinstance(one.hook, dict) else {}
    return str(hook.get("command") or hook.get("url") or hook.get("prompt") or hook.get("type") or "?")[:80]

"""`synaptic policy`: the built-in policies, shown and switched."""

import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from synaptic.cli import screen
from synaptic.cli.place import CommandPlace, choose_config_file, find_place, open_database
from synaptic.cli.registered import load_hook_catalog
from synaptic.cli.verbs import Json, make_verb_app
from synaptic.hooks import edit
from synaptic.hooks.config import Config, ConfigFile, configure_policy, is_enabled, parse_config_text
from synaptic.hooks.nearest import make_hint
from synaptic.hooks.schema import read_field_docs
from synaptic.hooks.sources import CatalogSources
from synaptic.model.errors import DeclarationError, StoreError
from synaptic.model.hook import Builtin
from synaptic.policies.base import PRESETS, Policy, load_policies
from synaptic.store import usage
from synaptic.store.usage import UsageCount

app = make_verb_app(
    "Show the built-in policies and switch them on and off.",
    """
    synaptic policy list
    synaptic policy show paths.outside-project
    synaptic policy enable @sane                      a preset
    synaptic policy disable audit.tool-use
    """,
)
PolicyNames = Annotated[list[str], typer.Argument(metavar="NAME...", help="Policy ids, and presets as @name.")]
NEVER_USED = UsageCount(name="")
ProjectFlag = Annotated[bool, typer.Option("--project", help="In this project's config.toml instead of yours.")]


@app.command("list")
def list_policies(as_json: Json = False) -> None:
    """Every policy: on or off here and by which file, how often it was asked and fired, and what it is about."""
    place = find_place()
    config, told = load_hook_catalog(place).config, _find_standing(place)
    rows = [{**_summarise_policy(policy, config), **told[policy.id]} for policy in load_policies().values()]
    if as_json:
        screen.print_json({"presets": config.presets, "policies": rows})
        return
    head = ("ON", "ID", "PRESET", "PRIORITY", "EVENTS", "BY", "ASKED", "FIRED", "ABOUT")
    screen.print_table(head, (_make_row(row) for row in rows))
    screen.say(f"presets that are on: {', '.join(config.presets) or 'none'} (known: {', '.join(PRESETS)})")
    if silent := [row["id"] for row in rows if row["enabled"] and not row["asked"]]:
        screen.say(f"on and never asked yet: {', '.join(silent)}")


@app.command()
def show(name: Annotated[str, typer.Argument(metavar="ID")], as_json: Json = False) -> None:
    """What one policy does, why, and its options as they are set here."""
    policy = load_policies().get(name)
    if policy is None:
        raise DeclarationError(f"there is no policy `{name}`", hint=make_hint(name, load_policies()))
    config = load_hook_catalog(find_place()).config
    summary = {
        **_summarise_policy(policy, config),
        "doc": inspect.getdoc(policy),
        "options": _list_options(policy, config),
    }
    if as_json:
        screen.print_json(summary)
        return
    screen.say(f"{policy.id} is {'on' if summary['enabled'] else 'off'} (preset {policy.preset})\n")
    screen.say(str(summary["doc"]))
    for option in _list_options(policy, config):
        screen.say(f"\n{option['name']} = {msgspec.json.encode(option['value']).decode()}\n  {option['about']}")


@app.command()
def enable(names: PolicyNames, project: ProjectFlag = False, as_json: Json = False) -> None:
    """Switch policies or presets on."""
    path, root = choose_config_file(find_place(), project)
    _print_change(edit.enable_policies(path, names, root), path, names, as_json)


@app.command()
def disable(names: PolicyNames, project: ProjectFlag = False, as_json: Json = False) -> None:
    """Switch policies or presets off. A project cannot switch off what the user has on."""
    path, root = choose_config_file(find_place(), project)
    _print_change(edit.disable_policies(path, names, root), path, names, as_json)


def _print_change(changed: bool, path: Path, names: list[str], as_json: bool) -> None:
    catalog = load_hook_catalog(find_place())
    on = sorted(hook.id for hook in catalog.hooks if isinstance(hook.handler, Builtin))
    if as_json:
        screen.print_json({"ok": True, "changed": changed, "file": str(path), "names": names, "on": on})
        return
    screen.say(f"{'changed' if changed else 'as it was'}: {path}")
    screen.say(f"policies that are on here: {', '.join(on) or 'none'}")
    for problem in catalog.problems:
        screen.say(f"problem: {problem}")
    for note in catalog.notes:
        screen.say(f"note: {note}")


def _summarise_policy(policy: type[Policy], config: Config) -> dict[str, Any]:
    return {
        "id": policy.id,
        "enabled": is_enabled(policy, config),
        "preset": policy.preset,
        "priority": policy.priority,
        "events": [event.__name__ for event in policy.events],
        "about": (inspect.getdoc(policy) or "").partition("\n")[0],
    }


def _make_row(row: dict[str, Any]) -> tuple[str, ...]:
    on = "on" if row["enabled"] else "off"
    counts = (str(row["asked"]), str(row["fired"]))
    return (
        on,
        row["id"],
        row["preset"],
        str(row["priority"]),
        ",".join(row["events"]),
        row["by"],
        *counts,
        row["about"],
    )


def _list_options(policy: type[Policy], config: Config) -> list[dict[str, Any]]:
    set_here, words = configure_policy(policy, config), read_field_docs(policy)
    names = policy.__struct_fields__
    return [{"name": name, "value": getattr(set_here, name), "about": words.get(name, "")} for name in names]


def _find_standing(place: CommandPlace) -> dict[str, dict[str, Any]]:
    """How each policy stands here, by id: `enabled` as the engine has it, `by` which file, `asked` and `fired`."""
    sources = CatalogSources(place.home, place.root)
    files = (parse_config_text(*sources.read_user_config()), parse_config_text(*sources.read_project_config()))
    running = {hook.id for hook in load_hook_catalog(place).hooks if isinstance(hook.handler, Builtin)}
    known = _read_usage(place)
    return {
        name: {
            "enabled": name in running,
            "by": _find_switch(policy, *files),
            "asked": known.get(name, NEVER_USED).calls,
            "fired": known.get(name, NEVER_USED).spoke,
        }
        for name, policy in load_policies().items()
    }


def _find_switch(policy: type[Policy], user: ConfigFile, project: ConfigFile) -> str:
    """The file, and the preset in it, that switches a policy on or off; empty when none does."""
    for settings in (user, project):
        if "enabled" in settings.values.get("policies", {}).get(policy.id, {}):
            return settings.where
    defaults = Config().presets
    for settings, plain in ((user, defaults), (project, ())):
        presets = settings.values.get("presets", plain)
        # `strict` switches every policy on; its own preset is the better explanation where both are.
        for preset in (policy.preset, "strict"):
            if preset in presets:
                return f"@{preset} in {settings.where}" if "presets" in settings.values else f"@{preset} by default"
    return ""


def _read_usage(place: CommandPlace) -> Mapping[str, UsageCount]:
    """What the journal knows of each policy; where there is none yet, none is made for a look."""
    if not place.home.database.exists():
        return {}
    try:
        with open_database(place.home) as store:
            # Of all projects and the last 30 days: a policy that is quiet here may well fire elsewhere.
            return {used.name: used for used in usage.read_hook_usage(store)}
    except StoreError:
        return {}

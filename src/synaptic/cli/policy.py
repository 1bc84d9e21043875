"""`synaptic policy`: the built-in policies, shown and switched."""

import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from synaptic.cli import screen
from synaptic.cli.place import Here, here, opened, required_root
from synaptic.cli.registered import catalog_of
from synaptic.cli.verbs import Json, verb
from synaptic.hooks import edit
from synaptic.hooks.config import Config, Settings, configured, enabled, parse
from synaptic.hooks.nearest import hint
from synaptic.hooks.schema import described_fields
from synaptic.hooks.sources import Sources
from synaptic.model.errors import DeclarationError, StoreError
from synaptic.model.hook import Builtin
from synaptic.policies.base import PRESETS, Policy, policies
from synaptic.store import usage
from synaptic.store.usage import Used

app = verb(
    "Show the built-in policies and switch them on and off.",
    """
    synaptic policy list
    synaptic policy show paths.outside-project
    synaptic policy enable @sane                      a preset
    synaptic policy disable audit.tool-use
    """,
)
Names = Annotated[list[str], typer.Argument(metavar="NAME...", help="Policy ids, and presets as @name.")]
NEVER_USED = Used(name="")
Project = Annotated[bool, typer.Option("--project", help="In this project's config.toml instead of yours.")]


@app.command("list")
def list_policies(as_json: Json = False) -> None:
    """Every policy: on or off here and by which file, how often it was asked and fired, and what it is about."""
    place = here()
    config, told = catalog_of(place).config, _find_standing(place)
    rows = [{**_summary(policy, config), **told[policy.id]} for policy in policies().values()]
    if as_json:
        screen.document({"presets": config.presets, "policies": rows})
        return
    head = ("ON", "ID", "PRESET", "PRIORITY", "EVENTS", "BY", "ASKED", "FIRED", "ABOUT")
    screen.table(head, (_row(row) for row in rows))
    screen.say(f"presets that are on: {', '.join(config.presets) or 'none'} (known: {', '.join(PRESETS)})")
    if silent := [row["id"] for row in rows if row["enabled"] and not row["asked"]]:
        screen.say(f"on and never asked yet: {', '.join(silent)}")


@app.command()
def show(name: Annotated[str, typer.Argument(metavar="ID")], as_json: Json = False) -> None:
    """What one policy does, why, and its options as they are set here."""
    policy = policies().get(name)
    if policy is None:
        raise DeclarationError(f"there is no policy `{name}`", hint=hint(name, policies()))
    config = catalog_of(here()).config
    summary = {**_summary(policy, config), "doc": inspect.getdoc(policy), "options": _options(policy, config)}
    if as_json:
        screen.document(summary)
        return
    screen.say(f"{policy.id} is {'on' if summary['enabled'] else 'off'} (preset {policy.preset})\n")
    screen.say(str(summary["doc"]))
    for option in _options(policy, config):
        screen.say(f"\n{option['name']} = {msgspec.json.encode(option['value']).decode()}\n  {option['about']}")


@app.command()
def enable(names: Names, project: Project = False, as_json: Json = False) -> None:
    """Switch policies or presets on."""
    path = _file(project)
    _tell(edit.enable(path, names), path, names, as_json)


@app.command()
def disable(names: Names, project: Project = False, as_json: Json = False) -> None:
    """Switch policies or presets off. A project cannot switch off what the user has on."""
    path = _file(project)
    _tell(edit.disable(path, names), path, names, as_json)


def _file(project: bool) -> Path:
    place = here()
    return Path(required_root(place), ".synaptic", "config.toml") if project else place.home.config


def _tell(changed: bool, path: Path, names: list[str], as_json: bool) -> None:
    catalog = catalog_of(here())
    on = sorted(hook.id for hook in catalog.hooks if isinstance(hook.handler, Builtin))
    if as_json:
        screen.document({"ok": True, "changed": changed, "file": str(path), "names": names, "on": on})
        return
    screen.say(f"{'changed' if changed else 'as it was'}: {path}")
    screen.say(f"policies that are on here: {', '.join(on) or 'none'}")
    for problem in catalog.problems:
        screen.say(f"problem: {problem}")


def _summary(policy: type[Policy], config: Config) -> dict[str, Any]:
    return {
        "id": policy.id,
        "enabled": enabled(policy, config),
        "preset": policy.preset,
        "priority": policy.priority,
        "events": [event.__name__ for event in policy.events],
        "about": (inspect.getdoc(policy) or "").partition("\n")[0],
    }


def _row(row: dict[str, Any]) -> tuple[str, ...]:
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


def _options(policy: type[Policy], config: Config) -> list[dict[str, Any]]:
    set_here, words = configured(policy, config), described_fields(policy)
    names = policy.__struct_fields__
    return [{"name": name, "value": getattr(set_here, name), "about": words.get(name, "")} for name in names]


def _find_standing(place: Here) -> dict[str, dict[str, Any]]:
    """How each policy stands here, by id: `enabled` as the engine has it, `by` which file, `asked` and `fired`."""
    sources = Sources(place.home, place.root)
    files = (parse(*sources.user_config()), parse(*sources.project_config()))
    running = {hook.id for hook in catalog_of(place).hooks if isinstance(hook.handler, Builtin)}
    known = _read_usage(place)
    return {
        name: {
            "enabled": name in running,
            "by": _find_switch(policy, *files),
            "asked": known.get(name, NEVER_USED).calls,
            "fired": known.get(name, NEVER_USED).spoke,
        }
        for name, policy in policies().items()
    }


def _find_switch(policy: type[Policy], user: Settings, project: Settings) -> str:
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


def _read_usage(place: Here) -> Mapping[str, Used]:
    """What the journal knows of each policy; where there is none yet, none is made for a look."""
    if not place.home.database.exists():
        return {}
    try:
        with opened(place.home) as store:
            # Of all projects and the last 30 days: a policy that is quiet here may well fire elsewhere.
            return {used.name: used for used in usage.hooks(store)}
    except StoreError:
        return {}

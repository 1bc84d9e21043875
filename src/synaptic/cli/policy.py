"""`synaptic policy`: the built-in policies, shown and switched."""

import inspect
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from synaptic.cli import screen
from synaptic.cli.place import here, required_root
from synaptic.cli.registered import catalog_of
from synaptic.cli.standing import standing
from synaptic.cli.verbs import verb
from synaptic.hooks import edit
from synaptic.hooks.config import Config, configured, enabled
from synaptic.hooks.nearest import hint
from synaptic.hooks.schema import described_fields
from synaptic.model.errors import DeclarationError
from synaptic.model.hook import Builtin
from synaptic.policies.base import PRESETS, Policy, policies

app = verb(
    "Show the built-in policies and switch them on and off.",
    """
    synaptic policy list
    synaptic policy show paths.outside-project
    synaptic policy enable @sane                      a preset
    synaptic policy disable audit.tool-use
    """,
)
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Names = Annotated[list[str], typer.Argument(metavar="NAME...", help="Policy ids, and presets as @name.")]
Project = Annotated[bool, typer.Option("--project", help="In this project's config.toml instead of yours.")]


@app.command("list")
def list_policies(as_json: Json = False) -> None:
    """Every policy: on or off here and by which file, how often it was asked and fired, and what it is about."""
    place = here()
    config, told = catalog_of(place).config, standing(place)
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

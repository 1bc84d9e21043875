"""`synaptic config`: what is set, where it was set, and whether it is right."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from synaptic.cli import screen
from synaptic.cli.place import Here, here, required_root
from synaptic.cli.registered import catalog_of
from synaptic.cli.verbs import Json, verb
from synaptic.hooks import config as configs
from synaptic.hooks import edit
from synaptic.hooks.config import Config, Settings
from synaptic.hooks.nearest import hint
from synaptic.hooks.schema import schema as json_schema
from synaptic.hooks.sources import Sources
from synaptic.hooks.tighten import merge
from synaptic.model.errors import DeclarationError

app = verb(
    "Show and check the configuration: yours, and what this project tightens.",
    """
    synaptic config show            every value and the file it comes from
    synaptic config get journal
    synaptic config set journal structure
    synaptic config set 'policies."paths.outside-project".scratch' '["/tmp"]'
    synaptic config validate        exit code 1 with every fault
    synaptic config schema          JSON Schema, for an editor
    """,
)


class Setting(msgspec.Struct, frozen=True):
    """One value and where it comes from."""

    key: str
    value: Any
    source: str


@app.command()
def show(as_json: Json = False) -> None:
    """Every value that counts here, and the file it comes from."""
    place = here()
    settings = list(_settings(place))
    problems = catalog_of(place).problems
    if as_json:
        screen.document({"settings": settings, "problems": problems})
        return
    screen.table(("KEY", "VALUE", "FROM"), ((item.key, _text(item.value), item.source) for item in settings))
    for problem in problems:
        screen.say(f"problem: {problem}")


@app.command()
def get(key: Annotated[str, typer.Argument(help="Such as `journal` or `http.port`.")], as_json: Json = False) -> None:
    """One value."""
    found = {item.key: item for item in _settings(here())}
    if key not in found:
        raise DeclarationError(f"there is no setting `{key}`", hint=hint(key, found))
    if as_json:
        screen.document(found[key])
    else:
        screen.say(_text(found[key].value))


@app.command("set")
def assign(
    key: Annotated[str, typer.Argument(help="Such as `journal` or `http.port`.")],
    value: Annotated[str, typer.Argument(help="A TOML value; plain words need no quotes.")],
    project: Annotated[bool, typer.Option("--project", help="In this project's config.toml instead of yours.")] = False,
    as_json: Json = False,
) -> None:
    """Set one value in config.toml; comments and everything else in it stay. A wrong one is refused."""
    place = here()
    file = Path(required_root(place), ".synaptic", "config.toml") if project else place.home.config
    changed = edit.set_value(file, key, value)
    if as_json:
        screen.document({"ok": True, "changed": changed, "file": str(file)})
    else:
        screen.say(f"{'changed' if changed else 'as it was'}: {file}")


@app.command()
def path(as_json: Json = False) -> None:
    """The files that are read, whether they exist or not."""
    files = [str(file) for file in _files(here())]
    if as_json:
        screen.document({"files": files})
        return
    for file in files:
        screen.say(file)


@app.command()
def schema() -> None:
    """The JSON Schema of config.toml."""
    screen.document(json_schema())


@app.command()
def validate(as_json: Json = False) -> None:
    """Check both config files; exit code 1 when something in them is wrong."""
    user, project = _read(here())
    # Merged, not only parsed: a project that loosens what the user has set is a fault too.
    problems = merge(user, project)[1]
    if as_json:
        screen.document({"ok": not problems, "problems": problems})
    else:
        for problem in problems:
            screen.warn(problem)
        if not problems:
            screen.say("the configuration is valid")
    if problems:
        raise typer.Exit(1)


def _files(place: Here) -> Iterator[Path]:
    yield place.home.config
    if place.root:
        yield Path(place.root, ".synaptic", "config.toml")


def _read(place: Here) -> tuple[Settings, Settings]:
    sources = Sources(place.home, place.root)
    user, project = configs.parse(*sources.user_config()), configs.parse(*sources.project_config())
    unread = tuple(sources.problems)
    return msgspec.structs.replace(user, problems=user.problems + unread), project


def _settings(place: Here) -> Iterator[Setting]:
    user, project = _read(place)
    merged = merge(user, project)[0]
    for key in Config.__struct_fields__:
        value = getattr(merged, key)
        source = _source(key, user, project)
        if key == "http":
            yield from (Setting(f"http.{name}", getattr(value, name), source) for name in value.__struct_fields__)
        elif key == "policies":
            yield from _policy_settings(value, user, project)
        else:
            yield Setting(key, value, source)


def _policy_settings(tables: Any, user: Settings, project: Settings) -> Iterator[Setting]:
    for name, table in tables.items():
        for option, value in table.items():
            both = [file for file in (user, project) if option in file.values.get("policies", {}).get(name, {})]
            source = " and ".join(file.where for file in both) or "default"
            yield Setting(f'policies."{name}".{option}', value, source)


def _source(key: str, user: Settings, project: Settings) -> str:
    files = [user.where] if key in user.values else []
    # Other keys of a project are ignored, so they are no source even when they are written there.
    if key in Config.SHARED and key in project.values:
        files.append(project.where)
    return " and ".join(files) or "default"


def _text(value: Any) -> str:
    # An empty text is shown as "": a blank cell would look like no value.
    return value if isinstance(value, str) and value else msgspec.json.encode(value).decode()

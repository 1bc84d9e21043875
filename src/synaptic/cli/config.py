"""`synaptic config`: what is set, where it was set, and whether it is right."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec

from synaptic.cli import screen, suggestions, typer
from synaptic.cli.hints import suggest_name
from synaptic.cli.place import CommandPlace, choose_config_file, find_place
from synaptic.cli.registered import load_hook_catalog, open_sources
from synaptic.cli.verbs import Json, make_verb_app
from synaptic.hooks import config as configs
from synaptic.hooks import edit
from synaptic.hooks.catalog import HookCatalog
from synaptic.hooks.config import Config, ConfigFile, describe_unknown, is_enabled
from synaptic.hooks.modes import find_mode
from synaptic.hooks.schema import build_schema as json_schema
from synaptic.hooks.tighten import merge_configs
from synaptic.model.errors import DeclarationError
from synaptic.model.outside import PLACEHOLDER_PREFIX
from synaptic.policies.base import load_policies

app = make_verb_app(
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


DEFAULT_SOURCE = "default"


class EffectiveSetting(msgspec.Struct, frozen=True):
    """One value and where it comes from."""

    key: str
    value: Any
    source: str


@app.command()
def show(as_json: Json = False) -> None:
    """Every value that counts here, and the file it comes from."""
    place = find_place()
    settings = list(_iter_settings(place))
    problems = load_hook_catalog(place).problems
    if as_json:
        screen.print_json({"settings": settings, "problems": problems})
        return
    screen.print_table(
        ("KEY", "VALUE", "FROM"), ((item.key, _format_value(item.value), item.source) for item in settings)
    )
    for problem in problems:
        screen.say(f"problem: {problem}")


@app.command()
def get(
    key: Annotated[
        str,
        typer.Argument(
            help='Such as `journal`, `http.port`, `policies."git.force-push".protected`.',
            autocompletion=suggestions.complete_settings,
        ),
    ],
    as_json: Json = False,
) -> None:
    """One value, also one that nothing sets: then it is the default."""
    found = {_drop_quotes(item.key): item for item in _iter_all_settings(find_place())}
    item = found.get(_drop_quotes(key))
    if item is None:
        raise DeclarationError(f"there is no setting `{key}`", hint=suggest_name(key, found, "synaptic config show"))
    if as_json:
        screen.print_json(item)
        return
    screen.say_exactly(_format_value(item.value))
    if item.source == DEFAULT_SOURCE:
        screen.warn(f"this is the default: nothing sets {item.key}")


@app.command("set")
def assign(
    key: Annotated[
        str, typer.Argument(help="Such as `journal` or `http.port`.", autocompletion=suggestions.complete_settings)
    ],
    value: Annotated[str, typer.Argument(help="A TOML value; plain words need no quotes.")],
    project: Annotated[bool, typer.Option("--project", help="In this project's config.toml instead of yours.")] = False,
    as_json: Json = False,
) -> None:
    """Set one value in config.toml; comments and everything else in it stay. A wrong one is refused."""
    place = find_place()
    file, root = choose_config_file(place, project)
    changed = edit.set_value(file, key, value, root)
    if as_json:
        screen.print_json({"ok": True, "changed": changed, "file": str(file)})
    else:
        screen.say(f"{'changed' if changed else 'as it was'}: {file}")


@app.command()
def path(as_json: Json = False) -> None:
    """The files that are read, whether they exist or not."""
    files = [str(file) for file in _iter_config_files(find_place())]
    if as_json:
        screen.print_json({"files": files})
        return
    for file in files:
        screen.say_exactly(file)


@app.command()
def schema() -> None:
    """The JSON Schema of config.toml."""
    screen.print_document(json_schema())


@app.command()
def validate(as_json: Json = False) -> None:
    """Check the config files; exit code 1 when something in them is wrong."""
    # Merged, not only parsed: a project that loosens what the user has set is a fault too.
    files, catalog = _read_config_files(find_place()), load_hook_catalog(find_place())
    outside = {entry.policy.id for entry in catalog.outside}
    unknown = () if _has_unasked(catalog) else (text for file in files for text in describe_unknown(file, outside))
    problems = (*merge_configs(*files)[1], *unknown)
    if as_json:
        screen.print_json({"ok": not problems, "problems": problems})
    else:
        for problem in problems:
            screen.warn(problem)
        if not problems:
            screen.say("the configuration is valid")
    if problems:
        raise typer.Exit(1)


def _has_unasked(catalog: HookCatalog) -> bool:
    """Whether a file with policies was not asked what it holds: then nobody knows which ids there are."""
    return any(hook.id.startswith(PLACEHOLDER_PREFIX) for hook in catalog.hooks)


def _iter_config_files(place: CommandPlace) -> Iterator[Path]:
    yield place.home.config
    for folder in open_sources(place).folders:
        yield Path(folder, ".synaptic", "config.toml")


def _read_config_files(place: CommandPlace) -> tuple[ConfigFile, ...]:
    """The user's, then those of every folder that counts here, the outermost first."""
    sources = open_sources(place)
    user = sources.read_settings()
    projects = tuple(configs.parse_config_text(*source) for source in sources.read_project_configs())
    unread = tuple(sources.problems)
    return msgspec.structs.replace(user, problems=user.problems + unread), *projects


def _iter_settings(place: CommandPlace) -> Iterator[EffectiveSetting]:
    files = _read_config_files(place)
    merged = merge_configs(*files)[0]
    for key in Config.__struct_fields__:
        value = getattr(merged, key)
        source = _find_source(key, files)
        if key == "http":
            yield from (
                EffectiveSetting(f"http.{name}", getattr(value, name), source) for name in value.__struct_fields__
            )
        elif key == "policies":
            yield from _iter_policy_settings(value, files)
        else:
            yield EffectiveSetting(key, value, source)


def _iter_all_settings(place: CommandPlace) -> Iterator[EffectiveSetting]:
    """The same with every option of every policy: those that nothing sets have their defaults."""
    config = load_hook_catalog(place).config
    for name, policy in load_policies().items():
        yield EffectiveSetting(f'policies."{name}".enabled', is_enabled(policy, config), DEFAULT_SOURCE)
        yield EffectiveSetting(f'policies."{name}".mode', find_mode(policy, config), DEFAULT_SOURCE)
        for option in policy.__struct_fields__:
            yield EffectiveSetting(f'policies."{name}".{option}', getattr(policy(), option), DEFAULT_SOURCE)
    yield from _iter_settings(place)


def _drop_quotes(key: str) -> str:
    """A policy's name has a dot and stands in quotes, which a shell takes away as it likes."""
    return key.replace('"', "").replace("'", "")


def _iter_policy_settings(tables: Any, files: tuple[ConfigFile, ...]) -> Iterator[EffectiveSetting]:
    for name, table in tables.items():
        for option, value in table.items():
            parts = _list_parts(files)
            setting = [file for file in parts if option in file.values.get("policies", {}).get(name, {})]
            source = " and ".join(file.where for file in setting) or DEFAULT_SOURCE
            yield EffectiveSetting(f'policies."{name}".{option}', value, source)


def _find_source(key: str, files: tuple[ConfigFile, ...]) -> str:
    # Other keys of a project are ignored, so they are no source even when they are written there.
    counting = _list_parts(files if key in Config.SHARED else files[:1])
    return " and ".join(file.where for file in counting if key in file.values) or DEFAULT_SOURCE


def _list_parts(files: tuple[ConfigFile, ...]) -> list[ConfigFile]:
    """With the user's own file and the bundle each by itself."""
    return [part for file in files for part in (file.layers or (file,))]


def _format_value(value: Any) -> str:
    # An empty text is shown as "": a blank cell would look like no value.
    return value if isinstance(value, str) and value else msgspec.json.encode(value).decode()

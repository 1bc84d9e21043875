"""Read YAML hooks, one file each: `.system/hooks` and `.synaptic/hooks` of a project, and the user's own."""

import re
from collections.abc import Iterable
from typing import Annotated, Any

import msgspec

from synaptic.hooks.budget import ITEM_CHARS, LIST_ITEMS
from synaptic.hooks.config import Config
from synaptic.hooks.declaration import (
    DeclarationFile,
    Declarations,
    Timeout,
    check_events,
    check_matcher,
    find_matcher_doubts,
)
from synaptic.hooks.document import load_yaml
from synaptic.hooks.handler import build_handler
from synaptic.hooks.nearest import MAX_HINTS, make_hint
from synaptic.hooks.shape import convert_table, list_unknown_keys, refuse_typos
from synaptic.model.errors import DeclarationError
from synaptic.model.hook import DEFAULT_TIMEOUT, Hook, Match, OnError, Protocol

HOOK_ID = re.compile(r"[a-z0-9][a-z0-9_-]*")
GLOB_BRACKETS = re.compile(r"\[[^\]]+\]")

NameList = str | tuple[str, ...]


class MatchTable(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The keys of `match`; all that are present must hold."""

    ability_scope: NameList = ()
    """Globs over ability ids."""
    operation_key: NameList = ()
    """Globs over operation keys."""
    min_duration_ms: Annotated[float, msgspec.Meta(ge=0)] | None = None
    """At least this long."""
    only_if_changed_paths: NameList = ()
    """Globs; one changed file must match one of them."""
    file_patterns: NameList = ()
    """Globs over the files of the event."""
    environment: NameList = ()
    """Environments in which the hook exists."""
    tool: NameList = ()
    """Names of tools, or other subjects of the event."""
    matcher: str = ""
    """The same as a regular expression."""


class HookDefinition(msgspec.Struct, frozen=True, kw_only=True):
    """The keys of a YAML hook."""

    id: str
    """Its name, unique in the project."""
    event_type: NameList
    """The event it runs for, or a list of them."""
    handler: dict[str, Any]
    """What runs: `kind` and its settings."""
    enabled: bool = True
    """false switches it off, except where `environments` says otherwise."""
    summary: str = ""
    """For people."""
    match: dict[str, Any] | None = None
    """Further conditions."""
    effects: Any = None
    """For people; never executed."""
    blocking: bool | None = None
    """Its failure stops the act. With false not even a block that it asks for does."""
    awaited: bool = True
    """Its answer counts. With false it is started and nobody waits for it."""
    priority: int = 50
    """Lower runs first."""
    timeout: Timeout = DEFAULT_TIMEOUT
    """Seconds."""
    on_error: OnError | None = None
    """What its failure means; `deny` when blocking, else `allow`."""
    environments: tuple[str, ...] | dict[str, bool] | None = None
    """A list: on there and nowhere else. A map: switches `enabled` per environment."""
    protocol: Protocol = "result"
    """How its output and exit code are read."""

    @property
    def events(self) -> tuple[str, ...]:
        return _to_tuple(self.event_type)


class DefinedHook(msgspec.Struct, frozen=True):
    """A valid definition that is switched on, and the hook made of it."""

    definition: HookDefinition
    hook: Hook


def read_declarations(files: Iterable[tuple[DeclarationFile, bytes]], config: Config) -> Declarations:
    """Read the hooks of YAML files, in their order. Never raises: unusable files are reported as problems."""
    found, problems = read_definitions(files, config)
    return Declarations(tuple(item.hook for item in found), problems)


def read_definitions(
    files: Iterable[tuple[DeclarationFile, bytes]], config: Config
) -> tuple[list[DefinedHook], tuple[str, ...]]:
    """Read definitions with their hooks, without those that are switched off in this environment."""
    problems: list[str] = []
    first: dict[str, str] = {}
    found = []
    for place, text in files:
        try:
            definition = _read_definition(text, place, problems)
            # Also for disabled hooks: an id must not change its meaning with the environment.
            _claim_id(definition.id, place.file, first)
            hook = _make_hook(definition, place, config)
            if hook is not None and len(problems) <= MAX_HINTS:
                problems += find_matcher_doubts(hook.matcher, hook.events, place.file)
        except DeclarationError as error:
            problems.append(f"{error}; this hook is disabled")
            continue
        if hook is not None:
            found.append(DefinedHook(definition, hook))
    return found, tuple(problems)


def _read_definition(text: bytes, place: DeclarationFile, problems: list[str]) -> HookDefinition:
    table = load_yaml(text, place.file)
    definition = convert_table(table, HookDefinition, place.file)
    problems += refuse_typos(table, HookDefinition, place.file)
    if not HOOK_ID.fullmatch(definition.id):
        raise DeclarationError(f"`id`: `{definition.id}` must be made of a-z, 0-9, _ and -", where=place.file)
    check_events(definition.events, place.file, "event_type")
    if definition.blocking and not definition.awaited:
        raise DeclarationError(
            "`awaited: false` beside `blocking: true`: what nobody waits for cannot stop anything",
            where=place.file,
            hint="keep one of them",
        )
    return definition


def _claim_id(name: str, file: str, first: dict[str, str]) -> None:
    if name in first:
        raise DeclarationError(f"`id`: `{name}` is already taken by {first[name]}", where=file)
    first[name] = file


def _make_hook(definition: HookDefinition, place: DeclarationFile, config: Config) -> Hook | None:
    """Make the hook; None when it is off. A disabled one is checked too, so that enabling it later cannot fail."""
    wanted = _read_filter(definition, place.file)
    handler = build_handler(definition.handler, place, config, definition.events)
    matcher = check_matcher(_choose_matcher(wanted, place.file), place.file, place.scope)
    if not _is_active(definition, wanted, config.environment):
        return None
    return Hook(
        id=definition.id,
        events=tuple(dict.fromkeys(definition.events)),
        handler=handler,
        matcher=matcher,
        match=_make_match(wanted),
        priority=definition.priority,
        blocking=definition.blocking is True,
        can_block=definition.blocking is not False,
        awaited=definition.awaited,
        timeout=definition.timeout,
        on_error=definition.on_error or ("deny" if definition.blocking else "allow"),
        protocol=definition.protocol,
        scope=place.scope,
        root=place.root if place.scope == "project" else "",
        source=place.file,
    )


def _read_filter(definition: HookDefinition, where: str) -> MatchTable:
    table = definition.match or {}
    if unknown := list_unknown_keys(table, MatchTable):
        known = MatchTable.__struct_fields__
        raise DeclarationError(f"unknown key `match.{unknown[0]}`", where=where, hint=make_hint(unknown[0], known))
    wanted = convert_table(table, MatchTable, f"{where}: match")
    for key in ("ability_scope", "operation_key", "only_if_changed_paths", "file_patterns"):
        _check_globs(_to_tuple(getattr(wanted, key)), f"{where}: match.{key}")
    return wanted


def _check_globs(globs: tuple[str, ...], where: str) -> None:
    if len(globs) > LIST_ITEMS or any(len(pattern) > ITEM_CHARS for pattern in globs):
        raise DeclarationError(f"has more than {LIST_ITEMS} globs, or one of over {ITEM_CHARS} letters", where=where)
    for pattern in globs:
        try:
            # fnmatch turns brackets into a regular expression as they are: a bad range would raise inside an event.
            for brackets in GLOB_BRACKETS.findall(pattern):
                re.compile(brackets)
        except re.error as error:
            raise DeclarationError(f"`{pattern}` is no glob: {error}", where=where) from None


def _choose_matcher(wanted: MatchTable, where: str) -> str:
    if wanted.tool and wanted.matcher:
        raise DeclarationError("`match` has both `tool` and `matcher`", where=where, hint="keep one of them")
    return wanted.matcher or "|".join(_to_tuple(wanted.tool))


def _is_active(definition: HookDefinition, wanted: MatchTable, environment: str) -> bool:
    if wanted.environment and environment not in _to_tuple(wanted.environment):
        return False
    if isinstance(definition.environments, tuple):
        return environment in definition.environments
    return (definition.environments or {}).get(environment, definition.enabled)


def _make_match(wanted: MatchTable) -> Match | None:
    match = Match(
        ability_scope=_to_tuple(wanted.ability_scope),
        operation_key=_to_tuple(wanted.operation_key),
        min_duration_ms=wanted.min_duration_ms,
        only_if_changed_paths=_to_tuple(wanted.only_if_changed_paths),
        file_patterns=_to_tuple(wanted.file_patterns),
    )
    return None if match == Match() else match


def _to_tuple(names: NameList) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else names


def is_definition_file(name: str) -> bool:
    """Whether a file name is that of a hook definition: YAML and not hidden."""
    return name.endswith((".yaml", ".yml")) and not name.startswith(".")

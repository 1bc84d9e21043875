"""Read YAML hooks, one file each: `.system/hooks` and `.synaptic/hooks` of a project, and the user's own."""

import re
from collections.abc import Iterable
from typing import Annotated, Any

import msgspec

from synaptic.hooks.config import Config
from synaptic.hooks.declaration import Declarations, Place, Timeout, checked_matcher, known_events
from synaptic.hooks.document import load
from synaptic.hooks.handler import described
from synaptic.hooks.nearest import hint
from synaptic.hooks.shape import refuse_typos, shaped, strangers
from synaptic.model.errors import DeclarationError
from synaptic.model.hook import DEFAULT_TIMEOUT, Hook, Match, OnError, Protocol

ID = re.compile(r"[a-z0-9][a-z0-9_-]*")
BRACKETS = re.compile(r"\[[^\]]+\]")

Names = str | tuple[str, ...]


class Filter(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The keys of `match`; all that are present must hold."""

    ability_scope: Names = ()
    """Globs over ability ids."""
    operation_key: Names = ()
    """Globs over operation keys."""
    min_duration_ms: Annotated[float, msgspec.Meta(ge=0)] | None = None
    """At least this long."""
    only_if_changed_paths: Names = ()
    """Globs; one changed file must match one of them."""
    file_patterns: Names = ()
    """Globs over the files of the event."""
    environment: Names = ()
    """Environments in which the hook exists."""
    tool: Names = ()
    """Names of tools, or other subjects of the event."""
    matcher: str = ""
    """The same as a regular expression."""


class Definition(msgspec.Struct, frozen=True, kw_only=True):
    """The keys of a YAML hook."""

    id: str
    """Its name, unique in the project."""
    event_type: Names
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
    blocking: bool = False
    """It is waited for and its failure stops the act."""
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
        return _tuple(self.event_type)


class Found(msgspec.Struct, frozen=True):
    """A valid definition that is switched on, and the hook made of it."""

    definition: Definition
    hook: Hook


def declared(files: Iterable[tuple[Place, bytes]], config: Config) -> Declarations:
    """Read the hooks of YAML files, in their order. Never raises: unusable files are reported as problems."""
    found, problems = found_in(files, config)
    return Declarations(tuple(item.hook for item in found), problems)


def found_in(files: Iterable[tuple[Place, bytes]], config: Config) -> tuple[list[Found], tuple[str, ...]]:
    """Read definitions with their hooks, without those that are switched off in this environment."""
    problems: list[str] = []
    first: dict[str, str] = {}
    found = []
    for place, text in files:
        try:
            definition = _definition(text, place, problems)
            # Also for disabled hooks: an id must not change its meaning with the environment.
            _claim(definition.id, place.file, first)
            hook = _hook(definition, place, config)
        except DeclarationError as error:
            problems.append(f"{error}; this hook is disabled")
            continue
        if hook is not None:
            found.append(Found(definition, hook))
    return found, tuple(problems)


def _definition(text: bytes, place: Place, problems: list[str]) -> Definition:
    table = load(text, place.file)
    definition = shaped(table, Definition, place.file)
    problems += refuse_typos(table, Definition, place.file)
    if not ID.fullmatch(definition.id):
        raise DeclarationError(f"`id`: `{definition.id}` must be made of a-z, 0-9, _ and -", where=place.file)
    known_events(definition.events, place.file, "event_type")
    return definition


def _claim(name: str, file: str, first: dict[str, str]) -> None:
    if name in first:
        raise DeclarationError(f"`id`: `{name}` is already taken by {first[name]}", where=file)
    first[name] = file


def _hook(definition: Definition, place: Place, config: Config) -> Hook | None:
    """Make the hook; None when it is off. A disabled one is checked too, so that enabling it later cannot fail."""
    wanted = _filter(definition, place.file)
    handler = described(definition.handler, place, config, definition.events)
    matcher = checked_matcher(_matcher(wanted, place.file), place.file, place.scope)
    if not _active(definition, wanted, config.environment):
        return None
    return Hook(
        id=definition.id,
        events=tuple(dict.fromkeys(definition.events)),
        handler=handler,
        matcher=matcher,
        match=_match(wanted),
        priority=definition.priority,
        blocking=definition.blocking,
        timeout=definition.timeout,
        on_error=definition.on_error or ("deny" if definition.blocking else "allow"),
        protocol=definition.protocol,
        scope=place.scope,
        source=place.file,
    )


def _filter(definition: Definition, where: str) -> Filter:
    table = definition.match or {}
    if unknown := strangers(table, Filter):
        known = Filter.__struct_fields__
        raise DeclarationError(f"unknown key `match.{unknown[0]}`", where=where, hint=hint(unknown[0], known))
    wanted = shaped(table, Filter, f"{where}: match")
    for key in ("ability_scope", "operation_key", "only_if_changed_paths", "file_patterns"):
        _check_globs(_tuple(getattr(wanted, key)), f"{where}: match.{key}")
    return wanted


def _check_globs(globs: tuple[str, ...], where: str) -> None:
    for pattern in globs:
        try:
            # fnmatch turns brackets into a regular expression as they are: a bad range would raise inside an event.
            for brackets in BRACKETS.findall(pattern):
                re.compile(brackets)
        except re.error as error:
            raise DeclarationError(f"`{pattern}` is no glob: {error}", where=where) from None


def _matcher(wanted: Filter, where: str) -> str:
    if wanted.tool and wanted.matcher:
        raise DeclarationError("`match` has both `tool` and `matcher`", where=where, hint="keep one of them")
    return wanted.matcher or "|".join(_tuple(wanted.tool))


def _active(definition: Definition, wanted: Filter, environment: str) -> bool:
    if wanted.environment and environment not in _tuple(wanted.environment):
        return False
    if isinstance(definition.environments, tuple):
        return environment in definition.environments
    return (definition.environments or {}).get(environment, definition.enabled)


def _match(wanted: Filter) -> Match | None:
    match = Match(
        ability_scope=_tuple(wanted.ability_scope),
        operation_key=_tuple(wanted.operation_key),
        min_duration_ms=wanted.min_duration_ms,
        only_if_changed_paths=_tuple(wanted.only_if_changed_paths),
        file_patterns=_tuple(wanted.file_patterns),
    )
    return None if match == Match() else match


def _tuple(names: Names) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else names


def is_definition(name: str) -> bool:
    """Whether a file name is that of a hook definition: YAML and not hidden."""
    return name.endswith((".yaml", ".yml")) and not name.startswith(".")

"""Parse `config.toml` of user and project; a wrong key is reported and the rest is used."""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, get_type_hints

import msgspec

from synaptic.hooks.nearest import hint
from synaptic.hooks.shape import converted, shaped, strangers
from synaptic.model.environment import DEFAULT_AGENTS, DEFAULT_CHANNEL
from synaptic.model.errors import DeclarationError
from synaptic.policies.base import PRESETS, Policy, policies

LIMIT = 1 << 20
"""Bytes; a longer config is refused."""

Table = Mapping[str, Any]


class Http(msgspec.Struct, frozen=True, kw_only=True):
    """The loopback listener for agents that post their hooks."""

    enabled: bool = False
    """Listen on 127.0.0.1 as well as on the Unix socket."""
    port: Annotated[int, msgspec.Meta(ge=0, le=65535)] = 8377
    """The port; 0 takes a free one."""


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that can be set; a project may set `presets` and `policies` only, and only tighten."""

    presets: tuple[str, ...] = ("essentials",)
    """Sets of policies that are on."""
    policies: Mapping[str, Mapping[str, Any]] = {}
    """Per policy id: `enabled` and the policy's own options."""
    trust: Literal["ask", "all"] = "ask"
    """`all` runs the hooks of every repository without asking."""
    journal: Literal["full", "structure", "off"] = "full"
    """What is kept of an event: everything, no contents, or nothing."""
    retention_days: Annotated[int, msgspec.Meta(ge=1)] = 30
    """Days after which journal entries may be pruned."""
    environment: str = ""
    """The current environment, such as `dev`; SYNAPTIC_ENV when empty."""
    channel: str = DEFAULT_CHANNEL
    """SYNAPTIC_CHANNEL for hooks, where a project's env.toml does not say."""
    agents: str = DEFAULT_AGENTS
    """SYNAPTIC_AGENTS for hooks, where a project's env.toml does not say."""
    fail: Literal["open", "closed"] = "open"
    """What an event means that the engine cannot decide at all."""
    http: Http = Http()
    """The loopback listener."""
    stop_cap: Annotated[int, msgspec.Meta(ge=1, le=100)] = 5
    """Consecutive times a session may be kept from stopping."""

    SHARED: ClassVar[frozenset[str]] = frozenset({"presets", "policies"})
    """What a project may set as well."""


class Settings(msgspec.Struct, frozen=True):
    """One parsed config file: the values that it sets, typed, and the problems of the others."""

    where: str = ""
    values: Table = {}
    problems: tuple[str, ...] = ()


@cache
def fields(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """The settable fields of a struct and their types, constraints and marks included."""
    hints = get_type_hints(kind, include_extras=True)
    return {name: hints[name] for name in kind.__struct_fields__}


def parse(text: bytes, where: str) -> Settings:
    """Parse a config file's text. Never raises: unusable values are reported as problems."""
    try:
        table = tomllib.loads(text.decode())
    except (ValueError, RecursionError) as error:
        return Settings(where, {}, (f"{where}: is no valid TOML, nothing in it counts: {error}",))
    problems: list[str] = []
    values = dict(_values(table, where, problems))
    return Settings(where, values, tuple(problems))


def _values(table: dict[str, Any], where: str, problems: list[str]) -> Iterator[tuple[str, Any]]:
    known = fields(Config)
    for key, value in table.items():
        if key not in known:
            problems.append(f"{where}: unknown key `{key}` ({hint(key, known)})")
            continue
        try:
            yield key, _value(key, value, where, problems)
        except DeclarationError as error:
            problems.append(str(error))


def _value(key: str, value: Any, where: str, problems: list[str]) -> Any:
    place = f"{where}: {key}"
    if key == "presets":
        return _known_presets(converted(value, tuple[str, ...], place), place, problems)
    if key == "policies":
        return _policy_tables(value, place, problems)
    if key == "http":
        http = shaped(value, Http, place)
        problems += (f"{place}: unknown key `{name}` ({hint(name, fields(Http))})" for name in strangers(value, Http))
        return http
    return converted(value, fields(Config)[key], place)


def _known_presets(names: tuple[str, ...], place: str, problems: list[str]) -> tuple[str, ...]:
    problems += (f"{place}: unknown preset `{name}` ({hint(name, PRESETS)})" for name in names if name not in PRESETS)
    return tuple(name for name in dict.fromkeys(names) if name in PRESETS)


def _policy_tables(value: Any, place: str, problems: list[str]) -> dict[str, Table]:
    tables = converted(value, dict[str, dict[str, Any]], place)
    known = policies()
    found = {}
    for name, table in tables.items():
        if name not in known:
            problems.append(f'{place}."{name}": unknown policy ({hint(name, known)})')
            continue
        found[name] = _options(known[name], table, f'{place}."{name}"', problems)
    return found


def _options(policy: type[Policy], table: dict[str, Any], place: str, problems: list[str]) -> Table:
    """Read the valid options; a wrong one keeps its default, so that a typo does not disable a guard."""
    known = {"enabled": bool, **fields(policy)}
    good = {}
    for name, value in table.items():
        if name not in known:
            problems.append(f"{place}: unknown option `{name}` ({hint(name, known)})")
            continue
        try:
            good[name] = converted(value, known[name], f"{place}.{name}")
        except DeclarationError as error:
            problems.append(f"{error}; the default counts")
    return good


def instantiate(config: Config) -> tuple[Policy, ...]:
    """Instantiate the policies that are on, configured, in the order of their ids."""
    return tuple(configured(kind, config) for kind in policies().values() if enabled(kind, config))


def enabled(policy: type[Policy], config: Config) -> bool:
    """Whether a policy is on: by its own switch, else by its preset; `strict` is every policy."""
    switch = config.policies.get(policy.id, {}).get("enabled")
    # An explicit switch wins over presets both ways: `strict` must not bring back what the user turned off.
    if switch is not None:
        return bool(switch)
    return policy.preset in config.presets or "strict" in config.presets


def configured(policy: type[Policy], config: Config) -> Policy:
    """Instantiate a policy with the options that are set."""
    options = {name: value for name, value in config.policies.get(policy.id, {}).items() if name != "enabled"}
    return policy(**options)

"""Parse `config.toml` of user and project; a wrong key is reported and the rest is used."""

from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, get_type_hints

import msgspec

from synaptic.files.toml import parse_toml
from synaptic.hooks.nearest import make_hint
from synaptic.hooks.shape import convert_table, convert_value, list_unknown_keys
from synaptic.model.environment import DEFAULT_AGENTS, DEFAULT_CHANNEL
from synaptic.model.errors import DeclarationError
from synaptic.model.hook import MODES, Mode
from synaptic.model.outside import POLICY_ID
from synaptic.model.presets import DEFAULT_PRESETS, PRESETS
from synaptic.policies.base import Policy, load_policies

CONFIG_LIMIT = 1 << 20
"""Bytes; a longer config is refused."""

RULE_KEY = "rule"
OWN_GUARDS = "self."
"""What the ids of policies begin with that guard Synaptic itself."""
SWITCHES = ("enabled", "mode")
"""Keys of a policy's table that are no options of its own."""

ConfigTable = Mapping[str, Any]


class HttpConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The loopback listener for agents that post their hooks."""

    enabled: bool = False
    """Listen on 127.0.0.1 as well as on the Unix socket."""
    port: Annotated[int, msgspec.Meta(ge=0, le=65535)] = 8377
    """The port; 0 takes a free one."""


class GrantsConfig(msgspec.Struct, frozen=True, kw_only=True):
    """What exceptions can be made, and what it takes to make one."""

    never: tuple[str, ...] = ()
    """Ids of policies, or globs, to which nobody can make an exception; `self.*` always belongs to them."""
    pin: Literal["unsure", "always"] = "unsure"
    """Whether the PIN (`synaptic pin`) is asked for every time, or where it cannot be seen that a person asks."""


class AskConfig(msgspec.Struct, frozen=True, kw_only=True):
    """Questions where nobody sits at the agent."""

    wait: Annotated[float, msgspec.Meta(ge=0, le=3600)] = 0.0
    """Seconds for which a call waits for a person's answer where the agent cannot ask; 0: it is refused at once."""
    notify: str = ""
    """How you are told: `desktop`, `bell`, or a command of your own; empty: not at all."""


class ShipConfig(msgspec.Struct, frozen=True, kw_only=True):
    """What leaves this machine, and to whom: by default nothing. A hub is joined with `synaptic join`."""

    contents: Literal["structure", "full"] = "structure"
    """`structure`: names, sizes, verdicts and times; `full`: also commands, paths and reasons, redacted once more."""
    otlp: str = ""
    """The address of an OpenTelemetry collector, such as `http://127.0.0.1:4318`."""
    jsonl: str = ""
    """A file that gets a line of JSON for each event."""
    syslog: str = ""
    """`udp://host:514`, `tcp://host:601` or `unix:/dev/log`."""
    waits: bool = True
    """Whether old events stay in the journal until every destination has them."""


class HubConfig(msgspec.Struct, frozen=True, kw_only=True):
    """What a hub may do here."""

    grants: tuple[str, ...] = ()
    """Ids of policies, or globs, that people at the hub can make exceptions to; by default none."""
    longest: Annotated[int, msgspec.Meta(ge=60, le=7 * 86400)] = 3600
    """Seconds after which an exception from there is over, whatever it says."""


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that can be set; a project may set `presets`, `policies` and `modes` only, and only tighten."""

    presets: tuple[str, ...] = DEFAULT_PRESETS
    """Sets of policies that are on."""
    policies: Mapping[str, Mapping[str, Any]] = {}
    """Per policy id: `enabled`, `mode` and the policy's own options."""
    modes: Mapping[str, Mode] = {}
    """Per preset, such as `@practice`: `enforce`, `advise` (told, and the call goes on) or `shadow` (only kept)."""
    trust: Literal["ask", "all"] = "ask"
    """`all` runs the hooks of every repository without asking."""
    journal: Literal["full", "structure", "off"] = "full"
    """What is kept of an event: everything, no contents, or nothing."""
    retention_days: Annotated[int, msgspec.Meta(ge=1)] = 30
    """Days after which journal entries may be pruned."""
    environment: str = ""
    """The current environment, such as `dev`; for a project's hooks SYNAPTIC_ENV when empty."""
    channel: str = DEFAULT_CHANNEL
    """SYNAPTIC_CHANNEL for hooks, where a project's env.toml does not say."""
    agents: str = DEFAULT_AGENTS
    """SYNAPTIC_AGENTS for hooks, where a project's env.toml does not say."""
    fail: Literal["open", "closed"] = "open"
    """What an event means that the engine cannot decide at all."""
    http: HttpConfig = HttpConfig()
    """The loopback listener."""
    grants: GrantsConfig = GrantsConfig()
    """Exceptions that you make with `synaptic allow`."""
    ask: AskConfig = AskConfig()
    """Questions that an agent cannot ask you itself."""
    ship: ShipConfig = ShipConfig()
    """What leaves this machine."""
    hub: HubConfig = HubConfig()
    """What a hub may do here."""
    stop_cap: Annotated[int, msgspec.Meta(ge=1, le=100)] = 5
    """Consecutive times a session may be kept from stopping."""

    SHARED: ClassVar[frozenset[str]] = frozenset({"presets", "policies", "modes"})
    """What a project may set as well."""


TABLES: Mapping[str, type[msgspec.Struct]] = {
    "http": HttpConfig,
    "grants": GrantsConfig,
    "ask": AskConfig,
    "ship": ShipConfig,
    "hub": HubConfig,
}


class ConfigFile(msgspec.Struct, frozen=True):
    """One parsed config file: the values that it sets, typed, and the problems of the others."""

    where: str = ""
    values: ConfigTable = {}
    problems: tuple[str, ...] = ()
    outside: Mapping[str, ConfigTable] = {}
    """Tables of policies that are not built in: nobody knows yet whether there are such."""
    named: frozenset[str] = frozenset()
    """Keys of tables that stand in it, such as `grants.pin`: a table that is read has a value for each."""
    layers: "tuple[ConfigFile, ...]" = ()
    """Where it was put together: the user's own, and what counts of a bundle."""
    is_bundle: bool = False


@cache
def list_fields(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """The settable fields of a struct and their types, constraints and marks included."""
    hints = get_type_hints(kind, include_extras=True)
    return {name: hints[name] for name in kind.__struct_fields__}


def parse_config_text(text: bytes, where: str) -> ConfigFile:
    """Parse a config file's text. Never raises: unusable values are reported as problems."""
    try:
        table = parse_toml(text)
    except ValueError as error:
        return ConfigFile(where, {}, (f"{where}: is no valid TOML, nothing in it counts: {error}",))
    return read_config_table(table, where)


def read_config_table(table: dict[str, Any], where: str) -> ConfigFile:
    """The same of a text that was parsed already."""
    problems: list[str] = []
    values = dict(_iter_values(table, where, problems))
    named = frozenset(f"{key}.{name}" for key in TABLES if isinstance(table.get(key), dict) for name in table[key])
    return ConfigFile(where, values, tuple(problems), _list_outside_tables(table), named)


def _iter_values(table: dict[str, Any], where: str, problems: list[str]) -> Iterator[tuple[str, Any]]:
    known = list_fields(Config)
    for key, value in table.items():
        if key == RULE_KEY:
            continue  # rules of the user: read by `rules/parse.py`
        if key not in known:
            problems.append(f"{where}: unknown key `{key}` ({make_hint(key, known, len(problems))})")
            continue
        try:
            yield key, _read_value(key, value, where, problems)
        except DeclarationError as error:
            problems.append(str(error))


def _read_value(key: str, value: Any, where: str, problems: list[str]) -> Any:
    place = f"{where}: {key}"
    if key == "presets":
        return _keep_known_presets(convert_value(value, tuple[str, ...], place), place, problems)
    if key == "policies":
        return _read_policy_tables(value, place, problems)
    if key == "modes":
        return _read_preset_modes(convert_value(value, dict[str, Any], place), place, problems)
    if key in TABLES:
        table = convert_table(value, TABLES[key], place)
        for name in list_unknown_keys(value, TABLES[key]):
            hint = make_hint(name, list_fields(TABLES[key]), len(problems))
            problems.append(f"{place}: unknown key `{name}` ({hint})")
        return table
    return convert_value(value, list_fields(Config)[key], place)


def _read_preset_modes(table: dict[str, Any], place: str, problems: list[str]) -> dict[str, Mode]:
    known = tuple(f"@{preset}" for preset in PRESETS)
    found = {}
    for name, value in table.items():
        if name in load_policies():
            hint = f'write `mode` into [policies."{name}"]'
            problems.append(f'{place}."{name}": is a policy and no preset ({hint})')
        elif name not in known:
            problems.append(f'{place}."{name}": unknown preset ({make_hint(name, known, len(problems))})')
        elif mode := read_mode(value, f'{place}."{name}"', problems):
            found[name] = mode
    return found


def read_mode(value: object, place: str, problems: list[str]) -> Mode | None:
    """The mode that is meant. Any other word is a problem, and what it is about stays enforced."""
    for mode in MODES:
        if value == mode:
            return mode
    problems.append(f"{place}: unknown mode `{str(value)[:80]}` ({make_hint(str(value), MODES, len(problems))})")
    return None


def _keep_known_presets(names: tuple[str, ...], place: str, problems: list[str]) -> tuple[str, ...]:
    for name in names:
        if name not in PRESETS:
            problems.append(f"{place}: unknown preset `{name}` ({make_hint(name, PRESETS, len(problems))})")
    return tuple(name for name in dict.fromkeys(names) if name in PRESETS)


def _list_outside_tables(table: dict[str, Any]) -> dict[str, ConfigTable]:
    tables = table.get("policies")
    found = tables.items() if isinstance(tables, dict) else ()
    return {name: one for name, one in found if isinstance(one, dict) and may_be_outside(name)}


def may_be_outside(name: str) -> bool:
    """Whether a policy that is not built in may have this id: the groups of ours are ours."""
    return bool(POLICY_ID.fullmatch(name)) and name.partition(".")[0] not in list_own_groups()


@cache
def list_own_groups() -> frozenset[str]:
    """The groups of built-in policies, such as `git`."""
    return frozenset(name.partition(".")[0] for name in load_policies())


def describe_unknown(file: ConfigFile, known: Collection[str] = ()) -> list[str]:
    """A problem for each table of a policy that is neither built in nor among these."""
    every = (*load_policies(), *known)
    return [
        f'{file.where}: policies."{name}": unknown policy ({make_hint(name, every, count)})'
        for count, name in enumerate(name for name in file.outside if name not in known)
    ]


def _read_policy_tables(value: Any, place: str, problems: list[str]) -> dict[str, ConfigTable]:
    tables = convert_value(value, dict[str, dict[str, Any]], place)
    known = load_policies()
    found = {}
    for name, table in tables.items():
        if may_be_outside(name):
            continue
        if name not in known:
            problems.append(f'{place}."{name}": unknown policy ({make_hint(name, known, len(problems))})')
            continue
        found[name] = read_options(known[name], table, f'{place}."{name}"', problems)
    return found


def read_options(policy: type[Policy], table: dict[str, Any], place: str, problems: list[str]) -> ConfigTable:
    """Read the valid options; a wrong one keeps its default, so that a typo does not disable a guard."""
    known = {"enabled": bool, "mode": Mode, **list_fields(policy)}
    good: dict[str, Any] = {}
    for name, value in table.items():
        if name == "mode":
            if mode := _read_policy_mode(policy, value, f"{place}.mode", problems):
                good[name] = mode
            continue
        if name not in known:
            problems.append(f"{place}: unknown option `{name}` ({make_hint(name, known, len(problems))})")
            continue
        try:
            good[name] = convert_value(value, known[name], f"{place}.{name}")
        except DeclarationError as error:
            problems.append(f"{error}; the default counts")
    return good


def _read_policy_mode(policy: type[Policy], value: object, place: str, problems: list[str]) -> Mode | None:
    mode = read_mode(value, place, problems)
    if mode in ("advise", "shadow") and is_always_enforced(policy.id):
        problems.append(f"{place}: what guards Synaptic itself is always enforced")
        return None
    return mode


def is_always_enforced(name: str) -> bool:
    """Whether a policy has no other mode: whoever could loosen it could loosen all others by it."""
    return name.startswith(OWN_GUARDS)


def instantiate_policies(config: Config) -> tuple[Policy, ...]:
    """Instantiate the policies that are on, configured, in the order of their ids."""
    return tuple(configure_policy(kind, config) for kind in load_policies().values() if is_enabled(kind, config))


def is_enabled(policy: type[Policy], config: Config) -> bool:
    """Whether a policy is on: by its own switch, else by its preset; `strict` is every policy."""
    switch = config.policies.get(policy.id, {}).get("enabled")
    # An explicit switch wins over presets both ways: `strict` must not bring back what the user turned off.
    if switch is not None:
        return bool(switch)
    return policy.preset in config.presets or "strict" in config.presets


def configure_policy(policy: type[Policy], config: Config) -> Policy:
    """Instantiate a policy with the options that are set."""
    options = {name: value for name, value in config.policies.get(policy.id, {}).items() if name not in SWITCHES}
    return policy(**options)

"""A bundle between what is built in and what the user has set: it tightens the one and gives way to the other.

What is locked counts against the user on a machine that joined as a managed one: then the stricter of both holds.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from synaptic.hooks.budget import ITEM_CHARS, LIST_ITEMS
from synaptic.hooks.bundle import Bundle
from synaptic.hooks.bundle_locks import is_locked, name_lock
from synaptic.hooks.bundle_modes import list_mode_faults, want_modes
from synaptic.hooks.config import SWITCHES, Config, ConfigFile, ConfigTable, GrantsConfig, is_enabled, list_fields
from synaptic.hooks.tighten import LooseningNotes, get_default, get_mark, tighten_options
from synaptic.policies.base import load_policies

ORDERS: Mapping[str, tuple[str, ...]] = {
    "trust": ("all", "ask"),
    "fail": ("open", "closed"),
    "journal": ("off", "structure", "full"),
}
"""Of each key its values, the loosest first. Of the journal: the more is kept, the less goes unseen."""
PINS = ("unsure", "always")
UNLIMITED = 1 << 20
PRESETS, POLICIES, GRANTS, NEVER, PIN = "presets", "policies", "grants", "never", "pin"


def layer_bundle(user: ConfigFile, bundle: Bundle, is_managed: bool) -> ConfigFile:
    """The user's settings with a bundle beneath them: what stands for the user's in every further step."""
    locked = bundle.locked if is_managed else frozenset()
    return _Layering(user, bundle, locked, tighten_defaults(bundle), [], {}).build()


def tighten_defaults(bundle: Bundle, problems: list[str] | None = None) -> dict[str, Any]:
    """What holds where the user has set nothing: the defaults, tightened. Without what they are not changed in."""
    told, place = [] if problems is None else problems, bundle.settings.where
    said, plain = bundle.settings.values, Config()
    held: dict[str, Any] = {}
    for key, order in ORDERS.items():
        if key in said:
            held[key] = _choose_stricter(getattr(plain, key), said[key], order, f"{place}: {key}", told)
    if PRESETS in said:
        held[PRESETS] = tuple(dict.fromkeys((*plain.presets, *said[PRESETS])))
    if GRANTS in said:
        held[GRANTS] = said[GRANTS]
    notes = [_make_notes(f"{place}: {name_lock(name)}", told) for name in said.get(POLICIES, {})]
    held[POLICIES] = {
        name: tighten_options(load_policies()[name], {}, _drop_mode(table), note)
        for (name, table), note in zip(said.get(POLICIES, {}).items(), notes, strict=True)
    }
    return held


def list_loosening(bundle: Bundle) -> tuple[str, ...]:
    """Everything in a bundle that is looser than what is built in, or of which nobody can say so."""
    problems: list[str] = []
    place = bundle.settings.where
    tighten_defaults(bundle, problems)
    for name, table in bundle.settings.values.get(POLICIES, {}).items():
        for option, value in table.items():
            where = f"{place}: {name_lock(name, option)}"
            if option not in SWITCHES and not get_mark(load_policies()[name], option):
                problems.append(f"{where}: nobody can say which value is stricter, so only the user sets it")
            problems += _find_too_long(where, value)
    return tuple(dict.fromkeys((*problems, *list_mode_faults(bundle))))


def _find_too_long(where: str, value: object) -> Iterator[str]:
    items = value if isinstance(value, tuple | list | frozenset) else ()
    if len(items) > LIST_ITEMS:
        yield f"{where}: has {len(items)} items, more than {LIST_ITEMS}"
    if any(len(str(item)) > ITEM_CHARS for item in items):
        yield f"{where}: holds a text of more than {ITEM_CHARS} characters"


def _choose_stricter(mine: str, wanted: str, order: tuple[str, ...], place: str, problems: list[str]) -> str:
    if order.index(wanted) < order.index(mine):
        problems.append(f"{place}: `{wanted}` is looser than `{mine}`, which is built in")
    return max(mine, wanted, key=order.index)


def _make_notes(place: str, problems: list[str]) -> LooseningNotes:
    return LooseningNotes(place, problems, "which is looser than what is built in", "a bundle", UNLIMITED)


def _drop_mode(table: ConfigTable) -> ConfigTable:
    return {name: value for name, value in table.items() if name != "mode"}


class _Layering(msgspec.Struct, frozen=True):
    """One user's settings over one bundle. `counts` gathers what of the bundle counts."""

    user: ConfigFile
    bundle: Bundle
    locked: frozenset[str]
    held: Mapping[str, Any]
    problems: list[str]
    counts: dict[str, Any]

    def build(self) -> ConfigFile:
        values = dict(self.user.values)
        self._settle_ordered(values)
        self._settle_grants(values)
        self._settle_presets(values)
        self._settle_policies(values)
        self._hold_switches(values)
        wished, modes = want_modes(self.user, self.bundle, self.locked, values, self.problems)
        if modes:
            values["modes"] = modes
        tables = {name: dict(table) for name, table in self.counts.get(POLICIES, {}).items()}
        for name, wish in wished.items():
            tables[name] = {**tables.get(name, {}), **wish}
        counts = {**self.counts, POLICIES: tables} if tables else self.counts
        part = ConfigFile(self.bundle.label, counts, is_bundle=True)
        problems = (*self.user.problems, *self.problems)
        return msgspec.structs.replace(self.user, values=values, problems=problems, layers=(self.user, part))

    def _settle_ordered(self, values: dict[str, Any]) -> None:
        for key, order in ORDERS.items():
            held = self.held.get(key, getattr(Config(), key))
            chosen = self._choose(key, values.get(key), held, order)
            if chosen is not None:
                values[key] = chosen

    def _choose(self, key: str, mine: Any, held: str, order: tuple[str, ...]) -> str | None:
        """What counts of the bundle; None where it leaves everything as it is."""
        if mine is None:
            if key not in self.held:
                return None
            self.counts[key] = held
            return held
        if key not in self.locked or order.index(mine) >= order.index(held):
            return None
        self._tell(key, f"`{mine}` is looser than `{held}`, which counts")
        self.counts[key] = held
        return held

    def _settle_grants(self, values: dict[str, Any]) -> None:
        wanted: GrantsConfig = self.held.get(GRANTS, GrantsConfig())
        mine: GrantsConfig = values.get(GRANTS, GrantsConfig())
        named = self.user.named if GRANTS in values else frozenset()
        never = wanted.never
        if "grants.never" in named:
            missing = [one for one in wanted.never if one not in mine.never] if "grants.never" in self.locked else []
            if missing:
                self._tell("grants.never", f"{', '.join(missing)} stays in it")
            never = (*mine.never, *missing)
        pin = mine.pin
        if "grants.pin" not in named:
            pin = max(mine.pin, wanted.pin, key=PINS.index)
        elif "grants.pin" in self.locked and PINS.index(mine.pin) < PINS.index(wanted.pin):
            self._tell("grants.pin", f"`{mine.pin}` is looser than `{wanted.pin}`, which counts")
            pin = wanted.pin
        found = GrantsConfig(never=tuple(dict.fromkeys(never)), pin=pin)
        if found != mine:
            values[GRANTS] = self.counts[GRANTS] = found

    def _settle_presets(self, values: dict[str, Any]) -> None:
        held = self.held.get(PRESETS)
        if PRESETS not in values:
            if held is not None:
                values[PRESETS] = held
                self.counts[PRESETS] = self.bundle.settings.values[PRESETS]
        elif PRESETS in self.locked:
            missing = [one for one in held or Config().presets if one not in values[PRESETS]]
            if missing and "strict" not in values[PRESETS]:
                self._tell(PRESETS, f"{', '.join(missing)} stays on")
                values[PRESETS] = self.counts[PRESETS] = (*values[PRESETS], *missing)

    def _settle_policies(self, values: dict[str, Any]) -> None:
        mine: Mapping[str, ConfigTable] = values.get(POLICIES, {})
        wanted: Mapping[str, ConfigTable] = self.held[POLICIES]
        tables = dict(mine)
        for name in dict.fromkeys((*wanted, *mine)):
            table, counting = self._settle_options(name, mine.get(name, {}), wanted.get(name, {}))
            if table:
                tables[name] = table
            if counting:
                self._count(name, counting)
        if tables:
            values[POLICIES] = tables

    def _settle_options(self, name: str, mine: ConfigTable, wanted: ConfigTable) -> tuple[ConfigTable, ConfigTable]:
        """A policy's table as it counts, and what in it is the bundle's."""
        policy = load_policies()[name]
        table = dict(mine)
        for option in (one for one in (*wanted, *list_fields(policy)) if one not in SWITCHES):
            held = wanted.get(option, get_default(policy, option))
            if option not in mine and option in wanted:
                table[option] = held
            elif option in mine and is_locked(self.locked, name, option):
                notes = _make_notes("", [])
                table[option] = tighten_options(policy, {option: mine[option]}, {option: held}, notes)[option]
        if wanted.get("enabled") and "enabled" not in mine:
            table["enabled"] = True
        counting = {one: value for one, value in table.items() if value != mine.get(one, _UNSET)}
        for option in counting:
            if option in mine:
                self._tell(name_lock(name, option), f"looser than {table[option]!r}, which counts")
        return table, counting

    def _hold_switches(self, values: dict[str, Any]) -> None:
        """What the bundle holds on stays on, by whatever key the user would switch it off."""
        if not self.locked:
            return
        plain = Config(**{key: value for key, value in self.held.items() if key in (PRESETS, POLICIES)})
        for name, policy in load_policies().items():
            holds = PRESETS in self.locked and (policy.preset in plain.presets or "strict" in plain.presets)
            holds = holds or is_locked(self.locked, name, "enabled")
            if holds and is_enabled(policy, plain) and not is_enabled(policy, Config(**values)):
                self._tell(name_lock(name, "enabled"), "it stays on")
                tables = dict(values.get(POLICIES, {}))
                tables[name] = {**tables.get(name, {}), "enabled": True}
                values[POLICIES] = tables
                self._count(name, {"enabled": True})

    def _count(self, name: str, options: ConfigTable) -> None:
        tables = self.counts.setdefault(POLICIES, {})
        tables[name] = {**tables.get(name, {}), **options}

    def _tell(self, key: str, what: str) -> None:
        where = self.user.where or "~/.synaptic/config.toml"
        self.problems.append(f"{where}: {key}: the {self.bundle.label} locks it here: {what}")


_UNSET = object()

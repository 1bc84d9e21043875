"""Modes that a bundle wants: for what it switches on itself as it likes, for anything else never a looser one."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from synaptic.hooks.bundle import Bundle
from synaptic.hooks.bundle_locks import is_locked
from synaptic.hooks.config import Config, ConfigFile, ConfigTable, GrantsConfig, is_always_enforced, is_enabled
from synaptic.hooks.modes import find_named_mode
from synaptic.model.hook import MODES, Mode
from synaptic.policies.base import Policy, load_policies

MOST_NAMED = 5


def list_mode_faults(bundle: Bundle) -> Iterator[str]:
    """Modes that would loosen what is on without the bundle."""
    place, plain, held = bundle.settings.where, Config(), _find_held(bundle)
    loose = []
    for name, policy in load_policies().items():
        named = find_named_mode(policy, bundle.settings, ())
        if named in (None, "enforce") or is_always_enforced(name):
            continue
        if is_enabled(policy, plain) or not is_enabled(policy, held):
            loose.append(name)
    if loose:
        yield (
            f"{place}: modes: {_shorten(loose)} would be looser than without this bundle; it can only loosen what it "
            "switches on itself"
        )


def want_modes(
    user: ConfigFile, bundle: Bundle, locked: frozenset[str], values: Mapping[str, Any], problems: list[str]
) -> tuple[dict[str, ConfigTable], dict[str, Mode]]:
    """What the bundle wants for each policy, and the user's modes of presets where they are held."""
    if not locked and not _says_anything(bundle):
        return {}, {}
    found = _ModeWishes(user, bundle, locked, Config(**values), Config(**user.values), _find_held(bundle))
    wished, loosened = {}, []
    for name, policy in load_policies().items():
        if is_always_enforced(name):
            continue
        if wish := found.want(policy):
            wished[name] = wish
        if found.is_loosened(policy):
            loosened.append(name)
    if loosened:
        where = user.where or "~/.synaptic/config.toml"
        problems.append(f"{where}: modes: the {bundle.label} locks them here: not looser for {_shorten(loosened)}")
    return wished, found.hold_presets()


def _says_anything(bundle: Bundle) -> bool:
    said = bundle.settings.values
    return any(said.get(key) for key in ("presets", "modes", "policies"))


def _find_held(bundle: Bundle) -> Config:
    """What is on where the user has set nothing."""
    said = bundle.settings.values
    presets = tuple(dict.fromkeys((*Config().presets, *said.get("presets", ()))))
    tables = {name: {"enabled": True} for name, table in said.get("policies", {}).items() if table.get("enabled")}
    return Config(presets=presets, policies=tables)


def _shorten(names: list[str]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


class _ModeWishes(msgspec.Struct, frozen=True):
    """One user over one bundle: as it is settled, without the bundle, and without the user."""

    user: ConfigFile
    bundle: Bundle
    locked: frozenset[str]
    layered: Config
    alone: Config
    held: Config

    def want(self, policy: type[Policy]) -> ConfigTable:
        """What the bundle asks for one policy; nothing where the user's own word is all that counts."""
        is_new = is_enabled(policy, self.layered) and not is_enabled(policy, self.alone)
        wish: dict[str, Any] = {"enabled": True} if is_new else {}
        bound = self._find_bound(policy)
        if bound is None and is_new and self._find_mine(policy) is None:
            bound = self._find_theirs(policy)
        return {**wish, "mode": bound} if bound is not None else wish

    def is_loosened(self, policy: type[Policy]) -> bool:
        """Whether the user has set a mode that is looser than the one that is locked."""
        mine, bound = self._find_mine(policy), self._find_bound(policy)
        return mine is not None and bound is not None and MODES.index(mine) < MODES.index(bound)

    def hold_presets(self) -> dict[str, Mode]:
        """The user's modes of presets, for policies of their own: held where the bundle names them."""
        said: Mapping[str, Mode] = self.bundle.settings.values.get("modes", {})
        mine: Mapping[str, Mode] = self.user.values.get("modes", {})
        if "modes" not in self.locked or not said:
            return {}
        found = dict(mine)
        for preset, mode in said.items():
            own = mine.get(preset, mine.get("@strict", "enforce"))
            found[preset] = max(own, mode, key=MODES.index)
        return found

    def _find_bound(self, policy: type[Policy]) -> Mode | None:
        """The least mode that is locked for a policy."""
        if "modes" not in self.locked and not is_locked(self.locked, policy.id, "mode"):
            return None
        theirs = self._find_theirs(policy)
        if not is_enabled(policy, self.held):
            return theirs
        return "enforce" if theirs is None or is_enabled(policy, Config()) else theirs

    def _find_mine(self, policy: type[Policy]) -> Mode | None:
        return find_named_mode(policy, self.user, self._never)

    def _find_theirs(self, policy: type[Policy]) -> Mode | None:
        return find_named_mode(policy, self.bundle.settings, self._never)

    @property
    def _never(self) -> tuple[str, ...]:
        grants: GrantsConfig = self.layered.grants
        return grants.never


def name_watchable(bundle: Bundle) -> str:
    """The presets whose modes a user may set, where that is not locked."""
    return ", ".join(f"@{name}" for name in _find_held(bundle).presets)

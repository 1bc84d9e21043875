"""Which policies are enforced, which only advise, and which are only watched: of all config files together.

A project can only tighten: what the user or another folder has on in a stricter mode stays so.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from synaptic.hooks.config import Config, ConfigFile, is_always_enforced, is_enabled
from synaptic.model.grant import NEVER_LIFTED
from synaptic.model.hook import MODES, Hook, Mode
from synaptic.policies.base import Policy, load_policies
from synaptic.shell.globs import matches_glob

STRICT = "@strict"
"""The preset that every policy is in."""


def find_mode(policy: type[Policy], config: Config) -> Mode:
    """The mode of a policy in a config whose modes are settled."""
    mode = config.policies.get(policy.id, {}).get("mode")
    return next((known for known in MODES if known == mode), "enforce")


def settle_modes(config: Config, files: Sequence[ConfigFile], problems: list[str]) -> Config:
    """The config with the mode of each policy that is on and not enforced in the policy's own table."""
    files = [part for file in files for part in (file.layers or (file,))]
    if not any(map(_names_modes, files)):  # as of most users
        return config
    user = Config(**files[0].values)
    tables = {name: _drop_mode(table) for name, table in config.policies.items()}
    loosening: dict[str, None] = {}
    for name, policy in load_policies().items():
        wishes = PolicyWishes(policy, (*NEVER_LIFTED, *config.grants.never), is_enabled(policy, user), tuple(files))
        mode = wishes.settle()
        if is_enabled(policy, config) and mode != "enforce":
            tables[name] = {**tables.get(name, {}), "mode": mode}
        if is_enabled(policy, config):
            loosening |= dict.fromkeys(wishes.list_loosening(mode))
    problems += loosening
    return msgspec.structs.replace(config, policies=tables)


def apply_modes(hooks: Iterable[Hook], config: Config) -> tuple[Hook, ...]:
    """The hooks of policies with the modes that are settled for them. The failure of one that advises stops nothing."""
    return tuple(_set_mode(hook, find_mode(load_policies()[hook.id], config)) for hook in hooks)


def split_watched(hooks: Iterable[Hook]) -> tuple[tuple[Hook, ...], tuple[Hook, ...]]:
    """Those that are asked about a call, and those that are only watched."""
    known = tuple(hooks)
    return tuple(hook for hook in known if hook.mode != "shadow"), tuple(
        hook for hook in known if hook.mode == "shadow"
    )


def _set_mode(hook: Hook, mode: Mode) -> Hook:
    return hook if mode == "enforce" else msgspec.structs.replace(hook, mode=mode, on_error="allow")


def find_named_mode(policy: type[Policy], file: ConfigFile, never: tuple[str, ...]) -> Mode | None:
    """The mode that one file names for a policy; `never`: what nobody can make an exception to."""
    return PolicyWishes(policy, (*NEVER_LIFTED, *never), False, (file,)).find_named(file)


class PolicyWishes(msgspec.Struct, frozen=True):
    """What each file wants for one policy."""

    policy: type[Policy]
    never: tuple[str, ...]
    is_on_for_user: bool
    files: tuple[ConfigFile, ...]

    def settle(self) -> Mode:
        """The strictest of what each file wants that has it on; a project that names no mode wants the user's."""
        if is_always_enforced(self.policy.id):
            return "enforce"
        user, *projects = self.files
        own = self.find_named(user) or "enforce"
        wanted = [own] if self.is_on_for_user else []
        for project in projects:
            if named := self.find_named(project):
                wanted.append(named)
                continue
            if _asks_for(self.policy, project):
                wanted.append(own)
            # Not loosened by its preset, and yet a stricter wish counts: else one more id in `never` would loosen it.
            if by_preset := self._find_by_preset(project):
                wanted.append(by_preset)
        return max(wanted, key=MODES.index, default=own)

    def list_loosening(self, mode: Mode) -> Iterator[str]:
        """A problem for each project that names a looser mode than the one that counts."""
        for project in self.files[1:]:
            named = None if project.is_bundle else self.find_named(project)
            if named and MODES.index(named) < MODES.index(mode):
                yield (
                    f"{project.where}: {self._name_key(project)}: {named} would loosen what is set to {mode}; it is "
                    "ignored (set it in ~/.synaptic/config.toml)"
                )

    def find_named(self, file: ConfigFile) -> Mode | None:
        """The mode that a file names for it: by its id, else by its preset.

        What nobody can make an exception to is loosened by its own name alone, never along with a preset.
        """
        if mode := _read_own_mode(self.policy, file):
            return mode
        found = self._find_by_preset(file)
        is_never = found != "enforce" and any(matches_glob(self.policy.id, pattern) for pattern in self.never)
        return None if is_never else found

    def _find_by_preset(self, file: ConfigFile) -> Mode | None:
        modes: Mapping[str, Mode] = file.values.get("modes", {})
        return modes.get(f"@{self.policy.preset}", modes.get(STRICT))

    def _name_key(self, file: ConfigFile) -> str:
        if _read_own_mode(self.policy, file):
            return f'policies."{self.policy.id}".mode'
        preset = f"@{self.policy.preset}"
        return f'modes."{preset if preset in file.values.get("modes", {}) else STRICT}"'


def _read_own_mode(policy: type[Policy], file: ConfigFile) -> Mode | None:
    mode: Mode | None = file.values.get("policies", {}).get(policy.id, {}).get("mode")
    return mode


def _asks_for(policy: type[Policy], file: ConfigFile) -> bool:
    """Whether a project switches a policy on."""
    presets = {policy.preset, STRICT[1:]}.intersection(file.values.get("presets", ()))
    return bool(presets or file.values.get("policies", {}).get(policy.id, {}).get("enabled"))


def _names_modes(file: ConfigFile) -> bool:
    return bool(file.values.get("modes")) or any("mode" in table for table in file.values.get("policies", {}).values())


def _drop_mode(table: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name: value for name, value in table.items() if name != "mode"} if "mode" in table else table

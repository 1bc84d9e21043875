"""Merge a user's and a project's config: the project may tighten what the user set, never loosen it."""

from collections.abc import Iterable
from typing import Any, get_args

import msgspec

from synaptic.hooks.budget import ITEM_CHARS, LIST_ITEMS
from synaptic.hooks.config import Config, ConfigFile, ConfigTable, is_enabled, list_fields
from synaptic.hooks.modes import settle_modes
from synaptic.model.presets import PRESETS
from synaptic.policies.base import Policy, load_policies


def merge_configs(user: ConfigFile, *projects: ConfigFile) -> tuple[Config, tuple[str, ...]]:
    """Merge all configs, the outermost project first; returns the result and every problem of every file."""
    config, problems = Config(**user.values), list(user.problems)
    for project in projects:
        config = _tighten_config(config, project, problems)
    return settle_modes(config, (user, *projects), problems), tuple(problems)


def _tighten_config(base: Config, project: ConfigFile, problems: list[str]) -> Config:
    problems += project.problems
    problems += (_describe_ignored(project.where, key) for key in project.values if key not in Config.SHARED)
    presets = tuple(dict.fromkeys(base.presets + tuple(project.values.get("presets", ()))))
    tables = dict(base.policies)
    for name, wanted in project.values.get("policies", {}).items():
        place = f'{project.where}: policies."{name}"'
        tables[name] = tighten_options(
            load_policies()[name], tables.get(name, {}), wanted, LooseningNotes(place, problems)
        )
    # In the order of PRESETS: the same set of presets must give the same config, whoever named which.
    ordered = tuple(name for name in PRESETS if name in presets)
    return msgspec.structs.replace(base, presets=ordered, policies=tables)


def split_permitted(
    policies: Iterable[Policy], user: Config, who: str = "the project"
) -> tuple[tuple[Policy, ...], tuple[str, ...]]:
    """Policies that may run, and a note for each that runs programs and that only the project asked for.

    A note, no problem: whoever shares a preset with a team has made no mistake, and neither has the user.
    """
    wanted = tuple(policies)
    refused = [
        policy for policy in wanted if policy.runs and user.trust != "all" and not is_enabled(type(policy), user)
    ]
    notes = tuple(
        f"{who} asks for {policy.id}, which runs its programs and is off until you say so "
        f"(type `synaptic policy enable {policy.id}` if you want it)"
        for policy in refused
    )
    return tuple(policy for policy in wanted if policy not in refused), notes


def _describe_ignored(where: str, key: str) -> str:
    return f"{where}: `{key}` is the user's own and is ignored here (set it in ~/.synaptic/config.toml)"


def tighten_table(policy: type[Policy], mine: ConfigTable, wanted: ConfigTable, problems: list[str]) -> ConfigTable:
    """The options of one such policy, tightened by what the project wants."""
    place = f'.synaptic/config.toml: policies."{policy.id}"'
    return tighten_options(policy, mine, wanted, LooseningNotes(place, problems))


class LooseningNotes(msgspec.Struct, frozen=True):
    """Where wishes stand, and a problem for each that would loosen something."""

    place: str
    problems: list[str]
    meaning: str = "which would loosen the user's setting; it is ignored (set it in ~/.synaptic/config.toml)"
    who: str = "a project"
    most: int = LIST_ITEMS
    """Items that a list may get."""

    def note(self, name: str, why: str) -> None:
        self.problems.append(f"{self.place}.{name}: {why}, {self.meaning}")


def tighten_options(policy: type[Policy], mine: ConfigTable, wanted: ConfigTable, notes: LooseningNotes) -> ConfigTable:
    """The options of a policy, tightened by what somebody else wants. An option without a mark stays as it is."""
    merged = dict(mine)
    for name, value in wanted.items():
        if name == "mode":
            continue  # settled once all files are known (`hooks/modes.py`)
        if name == "enabled":
            _switch_on(merged, value, notes)
            continue
        current = merged.get(name, get_default(policy, name))
        mark = get_mark(policy, name)
        # An option without a mark cannot be ordered into stricter and looser: only the user may set it.
        merged[name] = TIGHTEN_RULES.get(mark, _keep_current)(current, value, name, notes)
    return merged


def _switch_on(merged: dict[str, Any], value: bool, notes: LooseningNotes) -> None:
    if value:
        merged["enabled"] = True
        return
    notes.note("enabled", f"{notes.who} cannot switch a policy off")


def get_default(policy: type[Policy], name: str) -> Any:
    """An option as it is built in."""
    return getattr(policy(), name)


def get_mark(policy: type[Policy], name: str) -> str:
    """In which direction an option gets stricter; empty where nobody can say."""
    kind = list_fields(policy)[name]
    extras = (item.extra for item in get_args(kind) if isinstance(item, msgspec.Meta) and item.extra)
    return next((str(extra["project"]) for extra in extras if "project" in extra), "")


def _add_items(current: Any, value: Any, name: str, notes: LooseningNotes) -> Any:
    new = [item for item in dict.fromkeys(value) if item not in current and len(str(item)) <= ITEM_CHARS]
    if len(new) > notes.most:
        notes.problems.append(f"{notes.place}.{name}: adds {len(new)} items; only the first {notes.most} count")
    return type(current)((*current, *new[: notes.most]))


def _remove_items(current: Any, value: Any, name: str, notes: LooseningNotes) -> Any:
    if added := [str(item) for item in value if item not in current]:
        notes.note(name, f"it adds {', '.join(added)}")
    return type(current)(item for item in current if item in value)


def _lower_value(current: Any, value: Any, name: str, notes: LooseningNotes) -> Any:
    if value > current:
        notes.note(name, f"{value} is more than {current}")
    return min(current, value)


def _keep_on(current: Any, value: Any, name: str, notes: LooseningNotes) -> Any:
    if current and not value:
        notes.note(name, "it switches the option off")
    return current or value


def _keep_current(current: Any, value: Any, name: str, notes: LooseningNotes) -> Any:
    if value != current:
        notes.note(name, "only the user sets this option")
    return current


TIGHTEN_RULES = {"more": _add_items, "fewer": _remove_items, "lower": _lower_value, "on": _keep_on}

"""Merge a user's and a project's config: the project may tighten what the user set, never loosen it."""

from collections.abc import Iterable
from typing import Any, get_args

import msgspec

from synaptic.hooks.config import Config, Settings, Table, enabled, fields
from synaptic.policies.base import PRESETS, Policy, policies


def merge(user: Settings, project: Settings) -> tuple[Config, tuple[str, ...]]:
    """Merge both configs; returns the result and all problems, those of both files included."""
    base = Config(**user.values)
    problems = [*user.problems, *project.problems]
    problems += (_users_own(project.where, key) for key in project.values if key not in Config.SHARED)
    presets = tuple(dict.fromkeys(base.presets + tuple(project.values.get("presets", ()))))
    tables = dict(base.policies)
    for name, wanted in project.values.get("policies", {}).items():
        place = f'{project.where}: policies."{name}"'
        tables[name] = _tightened(policies()[name], tables.get(name, {}), wanted, _Notes(place, problems))
    # In the order of PRESETS: the same set of presets must give the same config, whoever named which.
    ordered = tuple(name for name in PRESETS if name in presets)
    return msgspec.structs.replace(base, presets=ordered, policies=tables), tuple(problems)


def split_permitted(policies: Iterable[Policy], user: Config) -> tuple[tuple[Policy, ...], tuple[str, ...]]:
    """Policies that may run, and a problem for each that runs programs and that only the project asked for."""
    wanted = tuple(policies)
    refused = [policy for policy in wanted if policy.runs and user.trust != "all" and not enabled(type(policy), user)]
    problems = tuple(
        f"{policy.id} runs programs of the project, so a project cannot switch it on "
        f"(type `synaptic policy enable {policy.id}` if you want it)"
        for policy in refused
    )
    return tuple(policy for policy in wanted if policy not in refused), problems


def _users_own(where: str, key: str) -> str:
    return f"{where}: `{key}` is the user's own and is ignored here (set it in ~/.synaptic/config.toml)"


class _Notes(msgspec.Struct, frozen=True):
    place: str
    problems: list[str]

    def loosens(self, name: str, why: str) -> None:
        self.problems.append(
            f"{self.place}.{name}: {why}, which would loosen the user's setting; it is ignored "
            "(set it in ~/.synaptic/config.toml)"
        )


def _tightened(policy: type[Policy], mine: Table, wanted: Table, notes: _Notes) -> Table:
    merged = dict(mine)
    for name, value in wanted.items():
        if name == "enabled":
            _switch(merged, value, notes)
            continue
        current = merged.get(name, _default(policy, name))
        mark = _mark(fields(policy)[name])
        # An option without a mark cannot be ordered into stricter and looser: only the user may set it.
        merged[name] = RULES.get(mark, _nobody)(current, value, name, notes)
    return merged


def _switch(merged: dict[str, Any], value: bool, notes: _Notes) -> None:
    if value:
        merged["enabled"] = True
        return
    notes.loosens("enabled", "a project cannot switch a policy off")


def _default(policy: type[Policy], name: str) -> Any:
    return getattr(policy(), name)


def _mark(kind: Any) -> str:
    extras = (item.extra for item in get_args(kind) if isinstance(item, msgspec.Meta) and item.extra)
    return next((str(extra["project"]) for extra in extras if "project" in extra), "")


def _more(current: Any, value: Any, _name: str, _notes: _Notes) -> Any:
    return type(current)((*current, *(item for item in value if item not in current)))


def _fewer(current: Any, value: Any, name: str, notes: _Notes) -> Any:
    if added := [str(item) for item in value if item not in current]:
        notes.loosens(name, f"it adds {', '.join(added)}")
    return type(current)(item for item in current if item in value)


def _lower(current: Any, value: Any, name: str, notes: _Notes) -> Any:
    if value > current:
        notes.loosens(name, f"{value} is more than {current}")
    return min(current, value)


def _on(current: Any, value: Any, name: str, notes: _Notes) -> Any:
    if current and not value:
        notes.loosens(name, "it switches the option off")
    return current or value


def _nobody(current: Any, value: Any, name: str, notes: _Notes) -> Any:
    if value != current:
        notes.loosens(name, "only the user sets this option")
    return current


RULES = {"more": _more, "fewer": _fewer, "lower": _lower, "on": _on}

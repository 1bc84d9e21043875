"""Policies as rows: how each stands here, by which file, and how often it was asked and fired."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from synaptic.cli import screen
from synaptic.cli.place import CommandPlace, open_database
from synaptic.cli.registered import load_hook_catalog, open_sources
from synaptic.hooks.config import parse_config_text
from synaptic.model.errors import StoreError
from synaptic.model.hook import Builtin
from synaptic.policies.base import load_policies
from synaptic.store import usage
from synaptic.store.shadow import read_shadow_counts
from synaptic.store.usage import UsageCount
from synaptic.work.policy_standing import describe_would, find_switch, summarise_outside, summarise_policy

NEVER_USED = UsageCount(name="")
PolicyRow = dict[str, Any]
LOOSE_WORDS = {"advise": "set to advise", "shadow": "in shadow"}


class PolicyFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which policies are wanted; without a wish, all."""

    on: bool = False
    preset: str = ""
    fired: bool = False

    def takes(self, row: PolicyRow) -> bool:
        """Whether a row is wanted. `strict` is every policy."""
        in_preset = self.preset in ("", "strict", row["preset"])
        return (
            in_preset
            and (row["enabled"] or not self.on)
            and (row["fired"] > 0 or bool(row.get("would")) or not self.fired)
        )


def collect_rows(place: CommandPlace) -> tuple[tuple[str, ...], list[PolicyRow]]:
    """The presets that are on here, and every policy with its standing."""
    config, told = load_hook_catalog(place).config, _find_standing(place)
    ours = [{**summarise_policy(policy, config), **told[name]} for name, policy in load_policies().items()]
    return config.presets, [*ours, *_list_outside(place)]


def _list_outside(place: CommandPlace) -> list[PolicyRow]:
    entries = load_hook_catalog(place).outside
    known = _read_usage(place) if entries else {}
    return [
        {
            **summarise_outside(entry),
            "by": entry.source.file,
            "asked": known.get(entry.policy.id, NEVER_USED).calls,
            "fired": known.get(entry.policy.id, NEVER_USED).spoke,
        }
        for entry in entries
    ]


def print_rows(rows: list[PolicyRow], with_counts: bool) -> None:
    """One line a policy, cut where the terminal ends."""
    if not rows:
        screen.say("none")
        return
    wide = max(len(row["id"]) for row in rows)
    group = max(len(row["preset"]) for row in rows)
    states = max(len(_name_state(row)) for row in [*rows, {"enabled": False}])
    is_mixed = len({row["preset"] for row in rows}) > 1
    for row in rows:
        state = _name_state(row)
        preset = f"{row['preset']:<{group}}  " if is_mixed else ""
        counts = f"{row['fired']:>5} of {row['asked']:<6} " if with_counts else ""
        about = f"fails: {row['broken']}" if row["enabled"] and row.get("broken") else row["about"]
        about = f"{would}; {about}" if (would := describe_would(row.get("would", {}))) else about
        print(screen.cut_line(f"{state:<{states}}  {row['id']:<{wide}}  {preset}{counts}{about}", 0))


def _name_state(row: PolicyRow) -> str:
    if not row["enabled"]:
        return "off"
    mode: str = row.get("mode", "enforce")
    return "on" if mode == "enforce" else mode


def read_would(place: CommandPlace) -> Mapping[str, Mapping[str, int]]:
    """What policies in shadow would have said in the last 30 days, in all projects."""
    if not place.home.database.exists():
        return {}
    try:
        with open_database(place.home) as store:
            return read_shadow_counts(store)
    except StoreError:
        return {}


def describe_rows(rows: Sequence[PolicyRow], every: Sequence[PolicyRow]) -> str:
    """How many are shown, and how many of these are on."""
    shown = f"{len(rows)} policies" if len(rows) == len(every) else f"{len(rows)} of {len(every)} policies"
    counts = Counter(map(_name_state, rows))
    loose = "".join(f", {counts[mode]} {words}" for mode, words in LOOSE_WORDS.items() if counts[mode])
    return f"{shown}, {sum(bool(row['enabled']) for row in rows)} on{loose and f' ({loose[2:]})'}"


def _find_standing(place: CommandPlace) -> dict[str, dict[str, Any]]:
    """How each policy stands here, by id: `enabled` as the engine has it, `by` which file, `asked` and `fired`."""
    sources = open_sources(place)
    user = sources.read_settings()
    projects = (parse_config_text(*source) for source in sources.read_project_configs())
    files = (*(user.layers or (user,)), *projects)
    catalog = load_hook_catalog(place)
    running = {hook.id for hook in (*catalog.hooks, *catalog.watched) if isinstance(hook.handler, Builtin)}
    known, would = _read_usage(place), read_would(place)
    return {
        name: {
            "enabled": name in running,
            "by": find_switch(policy, files),
            "asked": known.get(name, NEVER_USED).calls,
            "fired": known.get(name, NEVER_USED).spoke,
            "would": dict(would.get(name, {})),
        }
        for name, policy in load_policies().items()
    }


def _read_usage(place: CommandPlace) -> Mapping[str, UsageCount]:
    """What the journal knows of each policy; where there is none yet, none is made for a look."""
    if not place.home.database.exists():
        return {}
    try:
        with open_database(place.home) as store:
            # Of all projects and the last 30 days: a policy that is quiet here may well fire elsewhere.
            return {used.name: used for used in usage.read_hook_usage(store)}
    except StoreError:
        return {}

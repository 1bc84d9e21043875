"""What switching policies has changed, in as few words as it takes."""

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from synaptic.cli import screen
from synaptic.cli.place import find_place
from synaptic.cli.registered import load_hook_catalog
from synaptic.hooks.catalog import HookCatalog
from synaptic.hooks.rules.compile import is_rule
from synaptic.model.outside import PLACEHOLDER_PREFIX

MOST_NAMED = 8
"""Policies of one line; of more only the number is told."""


class PolicyStanding(msgspec.Struct, frozen=True):
    """Which policies are on, and which of them only advise or are only watched."""

    on: tuple[str, ...]
    advise: tuple[str, ...]
    shadow: tuple[str, ...]


def tell_change(change: Callable[[], bool], path: Path, names: Sequence[str], as_json: bool) -> None:
    """Carry out a change of a config file, and print what is different since."""
    before = read_standing(load_hook_catalog(find_place()))
    is_changed = change()
    catalog = load_hook_catalog(find_place())
    now = read_standing(catalog)
    if as_json:
        told = {"on": now.on, "advise": now.advise, "shadow": now.shadow}
        screen.print_json({"ok": True, "changed": is_changed, "file": str(path), "names": names, **told})
        return
    screen.say(f"{'changed' if is_changed else 'as it was'}: {path}")
    for line in describe_change(before, now):
        screen.say(line)
    screen.say(f"{len(now.on)} policies are on here (synaptic policy list --on)")
    for problem in catalog.problems:
        screen.say(f"problem: {problem}")
    for note in catalog.notes:
        screen.say(f"note: {note}")


def read_standing(catalog: HookCatalog) -> PolicyStanding:
    """How the policies of a catalog stand; rules are none of them."""
    hooks = [hook for hook in catalog.hooks if hook.is_policy and not is_rule(hook)]
    return PolicyStanding(
        on=tuple(sorted(hook.id for hook in hooks if not hook.id.startswith(PLACEHOLDER_PREFIX))),
        advise=tuple(sorted(hook.id for hook in hooks if hook.mode == "advise")),
        shadow=tuple(sorted(hook.id for hook in catalog.watched)),
    )


def describe_change(before: PolicyStanding, now: PolicyStanding) -> list[str]:
    """A line for each way in which policies have changed."""
    moves = (
        ("on", _subtract(now.on, before.on)),
        ("off", _subtract(before.on, (*now.on, *now.shadow))),
        ("only advises now", _subtract(now.advise, before.advise)),
        ("only watched now, in shadow", _subtract(now.shadow, before.shadow)),
        ("counts again", _intersect(_subtract((*before.advise, *before.shadow), (*now.advise, *now.shadow)), now.on)),
    )
    return [f"{words}: {_name(ids)}" for words, ids in moves if ids]


def _subtract(ids: Sequence[str], others: Sequence[str]) -> list[str]:
    return [one for one in ids if one not in set(others)]


def _intersect(ids: Sequence[str], others: Sequence[str]) -> list[str]:
    return [one for one in ids if one in set(others)]


def _name(ids: Sequence[str]) -> str:
    more = len(ids) - MOST_NAMED
    return ", ".join(ids[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")

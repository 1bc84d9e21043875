"""Everything that judges a call in one project: policies, rules, those of one's own and of packages, and scripts."""

from collections.abc import Iterator
from typing import Literal, cast

import msgspec

from synaptic.hooks.catalog import HookCatalog
from synaptic.hooks.rules.compile import Rule, is_rule
from synaptic.model.hook import Builtin, Hook
from synaptic.model.outside import PolicyEntry
from synaptic.model.presets import PRESETS
from synaptic.policies.base import load_policies
from synaptic.web.policy_counts import PolicyCounts, PolicyFigures
from synaptic.work.event_words import show_line, show_text
from synaptic.work.policy_standing import summarise_policy

Standing = Literal["off", "shadow", "advise", "enforce"]
RULES, OWN, SCRIPTS = "rules", "your own", "scripts"
GROUPS = (*PRESETS, RULES, OWN, SCRIPTS)
"""In the order of the page."""


class ListedPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """One of them, with what it did."""

    id: str
    group: str
    """Its preset, or what it is instead."""
    source: str
    """built in, rule, own, a package's name, or script."""
    standing: Standing
    about: str
    where: str = ""
    broken: str = ""
    figures: PolicyFigures = PolicyFigures()
    peaks: tuple[tuple[int, float], ...] = ()
    """For each of the last days the number of times it spoke, and that as a share of its busiest day."""

    @property
    def name(self) -> str:
        """Its id, as it may be shown."""
        return show_line(self.id)

    @property
    def is_on(self) -> bool:
        return self.standing != "off"


def list_policies(catalog: HookCatalog, counts: PolicyCounts) -> tuple[ListedPolicy, ...]:
    """All of them in the order of the page: by group, and in it those that fired most first."""
    found = (_add_figures(one, counts) for one in _iter_all(catalog))
    return tuple(sorted(found, key=_rank))


def find_hook(catalog: HookCatalog, name: str) -> Hook | None:
    """The hook of a policy that is on."""
    return next((hook for hook in (*catalog.hooks, *catalog.watched) if hook.id == name), None)


def _rank(one: ListedPolicy) -> tuple[int, int, str]:
    place = GROUPS.index(one.group) if one.group in GROUPS else len(GROUPS)
    figures = one.figures
    return (place, -(figures.spoke + sum(figures.would.values())), one.id)


def _add_figures(one: ListedPolicy, counts: PolicyCounts) -> ListedPolicy:
    spoke = [day.spoke for day in counts.list_days(one.id)]
    most = max(spoke, default=0)
    peaks = tuple((count, round(count / most, 2)) for count in spoke) if most else ()
    return msgspec.structs.replace(one, figures=counts.describe(one.id), peaks=peaks)


def _iter_all(catalog: HookCatalog) -> Iterator[ListedPolicy]:
    hooks = (*catalog.hooks, *catalog.watched)
    yield from _iter_built_in(catalog, {hook.id for hook in hooks if isinstance(hook.handler, Builtin)})
    yield from map(_describe_rule, filter(is_rule, hooks))
    yield from map(_describe_outside, catalog.outside)
    yield from (_describe_script(hook) for hook in hooks if not hook.is_policy)


def _iter_built_in(catalog: HookCatalog, running: set[str]) -> Iterator[ListedPolicy]:
    for name, policy in load_policies().items():
        told = summarise_policy(policy, catalog.config)
        yield ListedPolicy(
            id=name,
            group=policy.preset,
            source="built in",
            standing=told["mode"] if name in running else "off",
            about=told["about"],
        )


def _describe_rule(hook: Hook) -> ListedPolicy:
    rule = cast(Rule, cast(Builtin, hook.handler).policy)
    return ListedPolicy(
        id=hook.id, group=RULES, source="rule", standing=hook.mode, about=show_line(rule.entry.say),
        where=show_line(rule.where),
    )  # fmt: skip


def _describe_outside(entry: PolicyEntry) -> ListedPolicy:
    policy = entry.policy
    return ListedPolicy(
        id=policy.id,
        group=show_line(policy.preset) or OWN,
        source=show_line(entry.source.skill) or "own",
        standing=entry.mode if entry.is_on else "off",
        about=show_line(policy.about),
        where=show_line(f"{entry.source.file}:{policy.line}"),
        broken=show_text(entry.broken),
    )


def _describe_script(hook: Hook) -> ListedPolicy:
    return ListedPolicy(
        id=hook.id, group=SCRIPTS, source=show_line(hook.skill) or "script", standing="enforce",
        about=show_line(f"on {', '.join(hook.events)}"), where=show_line(hook.source),
    )  # fmt: skip

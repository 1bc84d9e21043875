"""One policy in full: what it says of itself, how it is set, and how its days were."""

import inspect
import re
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple, cast

import msgspec

from synaptic.hooks.catalog import HookCatalog
from synaptic.hooks.rules.compile import Rule, is_rule
from synaptic.model.hook import MODES, Builtin, Hook
from synaptic.policies.base import load_policies
from synaptic.store.hook_counts import SECONDS_PER_DAY
from synaptic.store.hook_days import HookDays
from synaptic.store.shadow import WOULD
from synaptic.web.policy_list import find_hook
from synaptic.work.event_words import show_line, show_text
from synaptic.work.policy_modes import is_switchable
from synaptic.work.policy_standing import list_options

PLOT_DAYS = 30
PLOT_HEIGHT = 60.0
CODE = re.compile(r"`([^`\n]+)`")
LONGEST_VALUE = 2000
OWN_HINT = 'Its mode is in config.toml: `mode = "advise"` in [policies."{}"].'
RULE_HINT = 'Its mode is in its file: `enforcement = "shadow"`, `"advise"` or `"enforce"`.'
SELF_HINT = "It guards Synaptic itself and is always enforced."


class Piece(NamedTuple):
    """A part of a line."""

    text: str
    is_code: bool


class DocSection(NamedTuple):
    """A heading and its paragraphs; the first one has no heading."""

    title: str
    paragraphs: tuple[tuple[Piece, ...], ...]


class PolicyOptionRow(NamedTuple):
    """An option as it is set."""

    name: str
    value: str
    about: str


class PlotDay(NamedTuple):
    """A day of the plot, as heights."""

    day: str
    spoke: int
    would: Mapping[str, int]
    height: float
    shadow: float


class PolicyDetails(msgspec.Struct, frozen=True, kw_only=True):
    """What the page shows besides the figures."""

    sections: tuple[DocSection, ...]
    options: tuple[PolicyOptionRow, ...]
    facts: tuple[tuple[str, str], ...]
    modes: tuple[str, ...] = ()
    """Those that a button may give it."""
    hint: str = ""
    """How it is given another mode where no button does."""


def describe_policy(catalog: HookCatalog, name: str) -> PolicyDetails:
    """The details of one that is in the list."""
    hook, built_in = find_hook(catalog, name), load_policies().get(name)
    if built_in is not None:
        options = list_options(built_in, catalog.config)
        switchable = is_switchable(name)
        return PolicyDetails(
            sections=split_doc(inspect.getdoc(built_in) or ""),
            options=tuple(_show_option(one["name"], one["value"], one["about"]) for one in options),
            facts=tuple(_iter_facts(hook)) or (("events", ", ".join(one.__name__ for one in built_in.events)),),
            modes=MODES if switchable else (),
            hint="" if switchable else SELF_HINT,
        )
    entry = next((one for one in catalog.outside if one.policy.id == name), None)
    if entry is not None:
        return PolicyDetails(
            sections=split_doc(show_text(entry.policy.doc)),
            options=tuple(_show_option(one.name, one.value, one.about) for one in entry.policy.options),
            facts=tuple(_iter_facts(hook)),
            hint=OWN_HINT.format(name),
        )
    if hook is not None and is_rule(hook):
        return _describe_rule(hook)
    return PolicyDetails(sections=(), options=(), facts=tuple(_iter_facts(hook)))


def split_doc(text: str) -> tuple[DocSection, ...]:
    """A policy's text in its sections."""
    parts = re.split(r"^## +(.*)$", text, flags=re.MULTILINE)
    pairs = [("", parts[0]), *zip(parts[1::2], parts[2::2], strict=True)]
    return tuple(DocSection(title.strip(), tuple(_iter_paragraphs(body))) for title, body in pairs if body.strip())


def split_code(text: str) -> tuple[Piece, ...]:
    """A text with the parts that are code."""
    return tuple(Piece(part, bool(at % 2)) for at, part in enumerate(CODE.split(text)) if part)


def plot_days(days: HookDays, name: str) -> tuple[PlotDay, ...]:
    """The last days as bars: what it said, and above that what it would have said in shadow."""
    own = days.get(name)
    shadows = {other.removesuffix(")").rpartition(WOULD)[2]: found for other, found in days.items() if WOULD in other}
    spoke = [own[at].spoke if own else 0 for at in range(PLOT_DAYS)]
    would = [{kind: found[at].calls for kind, found in shadows.items() if found[at].calls} for at in range(PLOT_DAYS)]
    most = max((one + sum(more.values()) for one, more in zip(spoke, would, strict=True)), default=0) or 1
    first = int(time.time() // SECONDS_PER_DAY) - PLOT_DAYS + 1
    return tuple(
        PlotDay(
            _name_day(first + at), spoke[at], would[at], round(spoke[at] / most * PLOT_HEIGHT, 1),
            round(sum(would[at].values()) / most * PLOT_HEIGHT, 1),
        )
        for at in range(PLOT_DAYS)
    )  # fmt: skip


def _name_day(day: int) -> str:
    return datetime.fromtimestamp(day * SECONDS_PER_DAY, UTC).strftime("%Y-%m-%d")


def _iter_paragraphs(body: str) -> Iterator[tuple[Piece, ...]]:
    for part in re.split(r"\n\s*\n", body.strip()):
        yield split_code(" ".join(part.split()))


def _describe_rule(hook: Hook) -> PolicyDetails:
    rule = cast(Rule, cast(Builtin, hook.handler).policy)
    set_here = msgspec.to_builtins(rule.entry)
    shown = (_show_option(key, value, "") for key, value in set_here.items() if key not in ("id", "say"))
    section = DocSection("", (split_code(show_line(rule.entry.say)),))
    return PolicyDetails(sections=(section,), options=tuple(shown), facts=tuple(_iter_facts(hook)), hint=RULE_HINT)


def _iter_facts(hook: Hook | None) -> Iterator[tuple[str, str]]:
    if hook is None:
        return
    yield "events", ", ".join(hook.events)
    if hook.matcher:
        yield "tools", show_line(hook.matcher)
    yield "priority", str(hook.priority)
    yield "if it fails", "the call is refused" if hook.on_error == "deny" else "the call goes on"
    if hook.source:
        yield "from", show_line(hook.source)


def _show_option(name: str, value: Any, about: str) -> PolicyOptionRow:
    text = msgspec.json.encode(value, enc_hook=repr).decode("utf-8", "replace")
    return PolicyOptionRow(show_line(name), show_line(text)[:LONGEST_VALUE], show_line(about))

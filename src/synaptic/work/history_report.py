"""What happened since a moment: per project, agent, policy and day; the slowest hooks; what our own work cost."""

import time
from collections import Counter
from collections.abc import Iterable

import msgspec

from synaptic.store.db import Store
from synaptic.store.durations import DurationFigures, describe_durations
from synaptic.store.report_counts import EventCount, PolicyCount, count_events_since, count_policies_since
from synaptic.store.usage import UsageCount, read_hook_usage

SECONDS_PER_DAY = 86_400
MOST_HOOKS = 10
MOST_DAYS = 400


class HistoryRow(msgspec.Struct, frozen=True, kw_only=True):
    """The counts of one project, agent, policy or day."""

    name: str
    events: int = 0
    calls: int = 0
    denied: int = 0
    asked: int = 0
    rewritten: int = 0


class HistoryReport(msgspec.Struct, frozen=True, kw_only=True):
    """All of it."""

    since: float
    until: float
    total: HistoryRow
    projects: tuple[HistoryRow, ...]
    agents: tuple[HistoryRow, ...]
    policies: tuple[HistoryRow, ...]
    days: tuple[HistoryRow, ...]
    """Oldest first, without gaps."""
    hooks: tuple[UsageCount, ...]
    """Those that took the most time, whole days."""
    own_seconds: float
    """From an event's arrival to its answer, all events together: hooks that were waited for are in it."""
    own: DurationFigures


def make_history_report(store: Store, since: float) -> HistoryReport:
    """Count what the journal holds since a moment. Raises StoreError."""
    now = time.time()
    offset = time.localtime(now).tm_gmtoff
    counts = count_events_since(store, since, offset)
    durations: Counter[int] = Counter()
    for one in counts:
        durations[one.duration] += one.number
    return HistoryReport(
        since=since,
        until=now,
        total=_add("all", counts),
        projects=_group({one.root for one in counts}, counts, "root"),
        agents=_group({one.agent for one in counts}, counts, "agent"),
        policies=_count_policies(count_policies_since(store, since)),
        days=_list_days(counts, int((now + offset) // SECONDS_PER_DAY)),
        hooks=_find_slowest(store, int((now - since) // SECONDS_PER_DAY)),
        own_seconds=round(sum(one.micros for one in counts) / 1_000_000, 3),
        own=describe_durations(durations),
    )


def _group(names: set[str], counts: tuple[EventCount, ...], field: str) -> tuple[HistoryRow, ...]:
    groups: dict[str, list[EventCount]] = {name: [] for name in names}
    for one in counts:
        groups[getattr(one, field)].append(one)
    rows = (_add(name, group) for name, group in groups.items())
    return tuple(sorted(rows, key=lambda row: (-row.events, row.name)))


def _add(name: str, counts: Iterable[EventCount]) -> HistoryRow:
    found = tuple(counts)
    kinds: Counter[str] = Counter()
    for one in found:
        kinds[one.kind] += one.number
    return HistoryRow(
        name=name,
        events=sum(one.number for one in found),
        calls=sum(one.number for one in found if one.is_call),
        denied=kinds["deny"],
        asked=kinds["ask"],
        rewritten=kinds["rewrite"],
    )


def _count_policies(counts: tuple[PolicyCount, ...]) -> tuple[HistoryRow, ...]:
    kinds: dict[str, Counter[str]] = {}
    for one in counts:
        kinds.setdefault(one.name, Counter())[one.kind] += one.number
    rows = (
        HistoryRow(
            name=name, events=found.total(), denied=found["deny"], asked=found["ask"], rewritten=found["rewrite"]
        )
        for name, found in kinds.items()
    )
    return tuple(sorted(rows, key=lambda row: (-row.events, row.name)))


def _list_days(counts: tuple[EventCount, ...], today: int) -> tuple[HistoryRow, ...]:
    days: dict[int, list[EventCount]] = {}
    for one in counts:
        days.setdefault(one.day, []).append(one)
    if not days:
        return ()
    first = max(min(days), today - MOST_DAYS)  # a clock that was wrong is no reason to draw a century
    names = ((day, time.strftime("%Y-%m-%d", time.gmtime(day * SECONDS_PER_DAY))) for day in range(first, today + 1))
    return tuple(_add(name, days.get(day, ())) for day, name in names)


def _find_slowest(store: Store, days: int) -> tuple[UsageCount, ...]:
    used = (one for one in read_hook_usage(store, None, days) if one.total)
    return tuple(sorted(used, key=lambda one: -one.total)[:MOST_HOOKS])

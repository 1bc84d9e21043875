"""Usage counts: abilities are counted with their events, hooks and policies between events (`hook_counts`)."""

import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import msgspec

from synaptic.model.effect import UseAbility
from synaptic.model.text import to_utf8
from synaptic.store import hook_counts
from synaptic.store.db import Connection, Store
from synaptic.store.durations import describe_durations
from synaptic.store.record import EventRecord

SECONDS_PER_DAY = 86_400
FAILED_STATUS = "failure"
BAR_DAYS = 14
"""Days shown in the bars of the usage listing."""
COUNT_CALL = """
INSERT INTO ability_usage (root, ability, day, calls, failures, millis, last, status) VALUES (?, ?, ?, 1, ?, ?, ?, ?)
ON CONFLICT (root, ability, day) DO UPDATE SET calls = calls + 1, failures = failures + excluded.failures,
millis = millis + excluded.millis, last = excluded.last, status = excluded.status
"""
SELECT_ABILITIES = """
SELECT ability, sum(calls), sum(failures), sum(millis), max(last), group_concat(day || ':' || calls) FROM ability_usage
WHERE root = ? AND day >= ? GROUP BY ability ORDER BY sum(calls) DESC, ability
"""
SELECT_STATUS = "SELECT status FROM ability_usage WHERE root = ? AND ability = ? ORDER BY day DESC LIMIT 1"
SELECT_HOOKS = """
SELECT hook, sum(calls), sum(failures), sum(micros) / 1000.0, max(last), group_concat(day || ':' || calls), sum(spoke)
FROM hook_counts WHERE day >= ?2 AND {where} GROUP BY hook ORDER BY sum(calls) DESC, hook
"""
SELECT_TIMES = """
SELECT hook, duration, sum(calls) FROM hook_times WHERE day >= ?2 AND {where} GROUP BY hook, duration
"""


class UsageCount(msgspec.Struct, frozen=True, kw_only=True):
    """How often an ability, hook or policy ran, failed, and when it last did."""

    name: str
    calls: int = 0
    failures: int = 0
    millis: float = 0.0
    """On average."""
    last: float = 0.0
    days: tuple[int, ...] = ()
    """Calls per day, the oldest first, today last."""
    spoke: int = 0
    """For hooks and policies: how often their verdict was not empty."""
    total: float = 0.0
    """For hooks and policies: all calls together, in milliseconds."""
    p50: float | None = None
    """For hooks, and policies that spoke: half of the calls took at most so many milliseconds; None if unknown."""
    p95: float | None = None


def record_usage(connection: Connection, record: EventRecord) -> None:
    """In the transaction of the event: count the ability calls of its decision."""
    for effect in record.decision.effects:
        if isinstance(effect, UseAbility):
            failed = int(effect.status == FAILED_STATUS)
            when = (int(record.at // SECONDS_PER_DAY), failed, effect.millis, record.at, effect.status)
            connection.execute(COUNT_CALL, (to_utf8(record.root), to_utf8(effect.ability), *when))


def count_calls(store: Store, root: str, ability: str) -> int:
    """Count the calls of an ability of a project."""
    sql = "SELECT coalesce(sum(calls), 0) FROM ability_usage WHERE root = ? AND ability = ?"
    values = (to_utf8(root), to_utf8(ability))
    return store.read(lambda connection: int(connection.execute(sql, values).fetchone()[0]))


def read_ability_usage(store: Store, root: str, days: int = 3650) -> tuple[UsageCount, ...]:
    """Read usage of a project's abilities, most used first."""
    since = int(time.time() // SECONDS_PER_DAY) - days
    rows = store.read(lambda connection: connection.execute(SELECT_ABILITIES, (root, since)).fetchall())
    return tuple(_row_to_usage(row) for row in rows)


def read_hook_usage(store: Store, root: str | None = None, days: int = 30) -> tuple[UsageCount, ...]:
    """Read usage of hooks and policies, in one project or in all. What is not counted yet is counted first."""
    hook_counts.count_journal(store)
    return read_counted_usage(store, root, days)


def read_counted_usage(store: Store, root: str | None = None, days: int = 30) -> tuple[UsageCount, ...]:
    """The same as far as it is counted by now: nobody waits for it."""
    since = int(time.time() // SECONDS_PER_DAY) - days
    sql = SELECT_HOOKS.format(where="?1 IS NULL" if root is None else "root = ?1")
    root = to_utf8(root) if root is not None else None
    rows = store.run_separately(lambda connection: connection.execute(sql, (root, since)).fetchall())
    times = read_hook_times(store, root, since)
    return tuple(_add_durations(_row_to_usage(row), times.get(str(row[0]), {})) for row in rows)


def read_hook_times(store: Store, root: str | None, since: int) -> dict[str, dict[int, int]]:
    """How often each hook took about so long, since a day: what is counted by now."""
    sql = SELECT_TIMES.format(where="?1 IS NULL" if root is None else "root = ?1")
    found: dict[str, dict[int, int]] = {}
    for hook, duration, calls in store.run_separately(
        lambda connection: connection.execute(sql, (root, since)).fetchall()
    ):
        found.setdefault(str(hook), {})[duration] = calls
    return found


def _add_durations(one: UsageCount, times: dict[int, int]) -> UsageCount:
    if not times:
        return one
    figures = describe_durations(times)
    return msgspec.structs.replace(one, p50=figures.p50, p95=figures.p95)


def export_usage(store: Store, root: str, write: Callable[[dict[str, Any]], None]) -> None:
    """Pass a project's counts to `write` while holding the write lock, so that the last file written is the newest."""
    store.write(lambda connection: write(_collect_usage(connection, root)))


def _collect_usage(connection: Connection, root: str) -> dict[str, Any]:
    found = (_row_to_usage(row) for row in connection.execute(SELECT_ABILITIES, (root, 0)).fetchall())
    return {used.name: _describe_ability(connection, root, used) for used in found}


def _describe_ability(connection: Connection, root: str, used: UsageCount) -> dict[str, Any]:
    (status,) = connection.execute(SELECT_STATUS, (root, used.name)).fetchone()
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(used.last))
    shown = {"count": used.calls, "failures": used.failures, "average_duration_ms": round(used.millis)}
    return {**shown, "last_status": status, "last_used": when}


def _row_to_usage(row: tuple[Any, ...]) -> UsageCount:
    name, calls, failures, millis, last, days, *more = row
    return UsageCount(
        name=str(name),
        calls=calls,
        failures=failures,
        millis=round(millis / calls, 3) if calls else 0.0,
        last=last,
        days=_count_per_day(days or ""),
        spoke=more[0] if more else 0,
        total=round(millis, 3),
    )


def _count_per_day(text: str) -> tuple[int, ...]:
    counts: Counter[int] = Counter()
    for day, _, count in (part.partition(":") for part in text.split(",") if part):
        counts[int(day)] += int(count)  # several projects may have the same day
    today = int(time.time() // SECONDS_PER_DAY)
    return tuple(counts[day] for day in range(today - BAR_DAYS + 1, today + 1))

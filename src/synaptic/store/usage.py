"""Usage counts: abilities are counted with their events, hooks and policies from the journal's traces."""

import time
from collections.abc import Callable
from typing import Any

import msgspec

from synaptic.model.effect import UseAbility
from synaptic.model.text import to_utf8
from synaptic.store.db import Connection, Store
from synaptic.store.record import Record

DAY = 86_400
FAILED = "failure"
DAYS = 14
"""Days shown in the bars of the usage listing."""
COUNT = """
INSERT INTO ability_usage (root, ability, day, calls, failures, millis, last, status) VALUES (?, ?, ?, 1, ?, ?, ?, ?)
ON CONFLICT (root, ability, day) DO UPDATE SET calls = calls + 1, failures = failures + excluded.failures,
millis = millis + excluded.millis, last = excluded.last, status = excluded.status
"""
ABILITIES = """
SELECT ability, sum(calls), sum(failures), sum(millis), max(last), group_concat(day || ':' || calls) FROM ability_usage
WHERE root = ? AND day >= ? GROUP BY ability ORDER BY sum(calls) DESC, ability
"""
STATUS = "SELECT status FROM ability_usage WHERE root = ? AND ability = ? ORDER BY day DESC LIMIT 1"
HOOKS = """
WITH steps AS (SELECT json_extract(step.value, '$.hook') AS hook, cast(events.at / 86400 AS INTEGER) AS day, events.at,
coalesce(json_extract(step.value, '$.micros'), 0) AS micros, json_extract(step.value, '$.fault') AS fault,
coalesce(json_extract(step.value, '$.kind'), 'none') AS kind
FROM events, json_each(events.decision, '$.trace') AS step
WHERE (?1 IS NULL OR events.root = ?1) AND events.at >= ?2
AND coalesce(json_extract(step.value, '$.phase'), 'run') IN ('run', 'started')),
days AS (SELECT hook, day, count(*) AS runs FROM steps GROUP BY hook, day)
SELECT hook, count(*), sum(fault IS NOT NULL AND fault <> ''), sum(micros) / 1000.0, max(at),
(SELECT group_concat(day || ':' || runs) FROM days WHERE days.hook = steps.hook), sum(kind <> 'none')
FROM steps GROUP BY hook ORDER BY count(*) DESC, hook
"""
QUIET = """
SELECT json_extract(step.value, '$.note'), cast(events.at / 86400 AS INTEGER), count(*), max(events.at)
FROM events, json_each(events.decision, '$.trace') AS step
WHERE (?1 IS NULL OR events.root = ?1) AND events.at >= ?2 AND json_extract(step.value, '$.phase') = 'quiet'
GROUP BY 1, 2
"""


class Used(msgspec.Struct, frozen=True, kw_only=True):
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


def settle(connection: Connection, record: Record) -> None:
    """In the transaction of the event: count the ability calls of its decision."""
    for effect in record.decision.effects:
        if isinstance(effect, UseAbility):
            failed = int(effect.status == FAILED)
            when = (int(record.at // DAY), failed, effect.millis, record.at, effect.status)
            connection.execute(COUNT, (to_utf8(record.root), to_utf8(effect.ability), *when))


def calls(store: Store, root: str, ability: str) -> int:
    """Count the calls of an ability of a project."""
    sql = "SELECT coalesce(sum(calls), 0) FROM ability_usage WHERE root = ? AND ability = ?"
    values = (to_utf8(root), to_utf8(ability))
    return store.read(lambda connection: int(connection.execute(sql, values).fetchone()[0]))


def abilities(store: Store, root: str, days: int = 3650) -> tuple[Used, ...]:
    """Read usage of a project's abilities, most used first."""
    since = int(time.time() // DAY) - days
    rows = store.read(lambda connection: connection.execute(ABILITIES, (root, since)).fetchall())
    return tuple(_used(row) for row in rows)


def hooks(store: Store, root: str | None = None, days: int = 30) -> tuple[Used, ...]:
    """Read usage of hooks and policies from the journal, in one project or in all.

    Slow on a long journal, and therefore on a separate connection.
    """
    since = time.time() - days * DAY
    values = (root, since)
    rows = store.beside(lambda connection: connection.execute(HOOKS, values).fetchall())
    found = {used.name: used for used in map(_used, rows)}
    for names, day, count, last in store.beside(lambda connection: connection.execute(QUIET, values).fetchall()):
        for name in (names or "").split():
            found[name] = _quiet(found.get(name, Used(name=name)), (day, count, last))
    return tuple(sorted(found.values(), key=lambda used: (-used.calls, used.name)))


def show(store: Store, root: str, write: Callable[[dict[str, Any]], None]) -> None:
    """Pass a project's counts to `write` while holding the write lock, so that the last file written is the newest."""
    store.write(lambda connection: write(_shown(connection, root)))


def _shown(connection: Connection, root: str) -> dict[str, Any]:
    found = (_used(row) for row in connection.execute(ABILITIES, (root, 0)).fetchall())
    return {used.name: _entry(connection, root, used) for used in found}


def _entry(connection: Connection, root: str, used: Used) -> dict[str, Any]:
    (status,) = connection.execute(STATUS, (root, used.name)).fetchone()
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(used.last))
    shown = {"count": used.calls, "failures": used.failures, "average_duration_ms": round(used.millis)}
    return {**shown, "last_status": status, "last_used": when}


def _used(row: tuple[Any, ...]) -> Used:
    name, calls, failures, millis, last, days, *more = row
    return Used(
        name=str(name),
        calls=calls,
        failures=failures,
        millis=round(millis / calls, 3) if calls else 0.0,
        last=last,
        days=_bars(days or ""),
        spoke=more[0] if more else 0,
    )


def _quiet(used: Used, seen: tuple[int, int, float]) -> Used:
    """Add calls of a policy that had no verdict: those policies share one trace step with their names in its note."""
    day, count, last = seen
    bars = _bars(f"{day}:{count}")
    return msgspec.structs.replace(
        used,
        calls=used.calls + count,
        millis=round(used.millis * used.calls / (used.calls + count), 3),
        last=max(used.last, last),
        days=tuple(one + other for one, other in zip(used.days or (0,) * DAYS, bars, strict=True)),
    )


def _bars(text: str) -> tuple[int, ...]:
    counts = {int(day): int(count) for day, _, count in (part.partition(":") for part in text.split(",") if part)}
    today = int(time.time() // DAY)
    return tuple(counts.get(day, 0) for day in range(today - DAYS + 1, today + 1))

"""Runs of hooks and policies per project and day, counted from the journal between events, each event once."""

import time
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from synaptic.store.connection import Connection, run_transaction
from synaptic.store.db import Store
from synaptic.store.durations import CLASS_OF_MICROS

EVENTS_PER_STEP = 2000
"""Events counted in one transaction: the write lock is held for the sums alone, a few milliseconds."""
STEP_PAUSE = 0.001
KEPT_DAYS = 400
KEPT_TIME_DAYS = 100
"""Durations are more rows, and nobody asks how long a hook took last year."""
SECONDS_PER_DAY = 86_400

READ_STEPS = f"""
WITH steps AS (SELECT events.root AS root, cast(events.at / 86400 AS INTEGER) AS day, events.at AS at,
json_extract(step.value, '$.hook') AS hook, json_extract(step.value, '$.phase') AS phase,
json_extract(step.value, '$.note') AS note, coalesce(json_extract(step.value, '$.micros'), 0) AS micros,
coalesce(json_extract(step.value, '$.fault'), '') <> '' AS failed,
coalesce(json_extract(step.value, '$.kind'), 'none') <> 'none' AS spoke
FROM events, json_each(CASE WHEN json_valid(events.decision) THEN events.decision ELSE '{{}}' END, '$.trace') AS step
WHERE events.id > ?1 AND events.id <= ?2)
SELECT root, day, hook, CASE phase WHEN 'quiet' THEN note ELSE '' END AS names, count(*), sum(failed), sum(spoke),
sum(micros), max(at), CASE WHEN coalesce(phase, 'run') = 'run' AND micros > 0 THEN {CLASS_OF_MICROS.format("micros")}
ELSE 0 END FROM steps WHERE coalesce(phase, 'run') IN ('run', 'started', 'quiet') GROUP BY 1, 2, 3, 4, 10
"""
"""Policies that said nothing share one step, with their names in its note; only who has spoken has a duration."""
ADD_COUNT = """
INSERT INTO hook_counts (root, day, hook, calls, failures, spoke, micros, last) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (root, hook, day) DO UPDATE SET calls = calls + excluded.calls, failures = failures + excluded.failures,
spoke = spoke + excluded.spoke, micros = micros + excluded.micros, last = max(last, excluded.last)
"""
ADD_TIME = """
INSERT INTO hook_times (root, day, hook, duration, calls) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (root, hook, day, duration) DO UPDATE SET calls = calls + excluded.calls
"""
READ_MARK = "SELECT value FROM journal_marks WHERE name = ?"
WRITE_MARK = (
    "INSERT INTO journal_marks (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
)
COUNTED_MARK = "counted"


def count_journal(store: Store) -> int:
    """Count the events that are not counted yet; how many there were."""
    return store.run_separately(count_new_events)


def count_new_events(connection: Connection) -> int:
    """The same on a connection. Stopped at any moment, it goes on there."""
    newest = int(connection.execute("SELECT coalesce(max(id), 0) FROM events").fetchone()[0])
    # Up to now and no further: events that come meanwhile would keep it busy for ever.
    return count_events_until(connection, newest)


def count_events_until(connection: Connection, last: int) -> int:
    """The same up to one event: those that are about to be removed."""
    return repeat_steps(lambda: _count_step(connection, last))


def repeat_steps(step: Callable[[], int]) -> int:
    """Run a step again until it does nothing, with a pause in which a waiting writer gets the lock."""
    total = 0
    while done := step():
        total += done
        time.sleep(STEP_PAUSE)
    return total


def read_mark(connection: Connection, name: str) -> float:
    """A mark of the journal; 0 when it was never set."""
    row = connection.execute(READ_MARK, (name,)).fetchone()
    return row[0] if row else 0.0


def forget_old_counts(connection: Connection) -> None:
    """Remove counts that nobody looks back to."""
    today = int(time.time() // SECONDS_PER_DAY)
    connection.execute("DELETE FROM hook_counts WHERE day < ?", (today - KEPT_DAYS,))
    connection.execute("DELETE FROM hook_times WHERE day < ?", (today - KEPT_TIME_DAYS,))


def _count_step(connection: Connection, newest: int) -> int:
    first = int(read_mark(connection, COUNTED_MARK))
    if newest <= first:
        return 0
    border = "SELECT max(id) FROM (SELECT id FROM events WHERE id > ? AND id <= ? ORDER BY id LIMIT ?)"
    last = connection.execute(border, (first, newest, EVENTS_PER_STEP)).fetchone()[0] or newest
    sums = _sum_steps(connection.execute(READ_STEPS, (first, last)).fetchall())
    # Read before the lock is taken; if another process has counted the same meanwhile, its sums stay.
    return run_transaction(connection, lambda connection: _add_sums(connection, sums, (first, last)))


class _Sums(NamedTuple):
    """What some events add: numbers by project, day and hook, and calls by these and how long they took."""

    counts: dict[tuple[object, object, str], list[float]]
    times: Counter[tuple[object, object, str, int]]


def _sum_steps(rows: list[tuple[object, ...]]) -> _Sums:
    sums = _Sums({}, Counter())
    for root, day, hook, names, *numbers, duration in rows:
        for name in str(names).split() if names else [str(hook)]:
            _add_numbers(sums.counts.setdefault((root, day, name), [0, 0, 0, 0, 0.0]), numbers)
        if isinstance(duration, int) and duration and isinstance(numbers[0], int):
            sums.times[root, day, str(hook), duration] += numbers[0]
    return sums


def _add_numbers(total: list[float], numbers: list[object]) -> None:
    *counts, last = (number if isinstance(number, int | float) else 0 for number in numbers)
    for place, number in enumerate(counts):
        total[place] += number
    total[-1] = max(total[-1], last)


def _add_sums(connection: Connection, sums: _Sums, span: tuple[int, int]) -> int:
    first, last = span
    if int(read_mark(connection, COUNTED_MARK)) == first:
        connection.executemany(ADD_COUNT, [(*key, *numbers) for key, numbers in sums.counts.items()])
        connection.executemany(ADD_TIME, [(*key, calls) for key, calls in sums.times.items()])
        connection.execute(WRITE_MARK, (COUNTED_MARK, last))
    return last - first

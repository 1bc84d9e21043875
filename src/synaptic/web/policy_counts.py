"""What policies and hooks did in the last week, from what is counted already: the journal is not counted again."""

import time
from collections.abc import Mapping
from threading import Lock

import msgspec

from synaptic.store import report_counts
from synaptic.store.durations import find_percentile
from synaptic.store.hook_counts import SECONDS_PER_DAY
from synaptic.store.hook_days import DayCount, HookDays, list_counted_roots, read_hook_days
from synaptic.store.reader import JournalReader
from synaptic.store.shadow import WOULD, read_shadow_counts
from synaptic.store.usage import UsageCount, read_counted_usage, read_hook_times

DAYS = 7
BAR_DAYS = 14
KEPT_SECONDS = 3.0
PROJECT_DAYS, MOST_PROJECTS = 30, 50
MOST_DECISIONS = 5_000
"""Of so many decisions, from the newest back, it is told who has made them."""
NO_USAGE = UsageCount(name="")


class PolicyFigures(msgspec.Struct, frozen=True, kw_only=True):
    """One policy in a week."""

    denied: int = 0
    asked: int = 0
    rewritten: int = 0
    spoke: int = 0
    """How often it had anything to say, whoever decided then."""
    calls: int = 0
    failures: int = 0
    p50: float | None = None
    p99: float | None = None
    last: float = 0.0
    would: Mapping[str, int] = {}

    @property
    def advised(self) -> int:
        """How often it spoke without deciding."""
        return max(self.spoke - self.denied - self.asked - self.rewritten, 0)

    @property
    def has_fired(self) -> bool:
        return bool(self.spoke or self.denied or self.asked or self.rewritten or self.would)


class PolicyCounts(msgspec.Struct, frozen=True):
    """All of them."""

    decided: Mapping[tuple[str, str], int]
    usage: Mapping[str, UsageCount]
    times: Mapping[str, Mapping[int, int]]
    would: Mapping[str, Mapping[str, int]]
    days: HookDays
    roots: tuple[str, ...] = ()
    """Projects in which something was asked lately."""

    @property
    def is_cut(self) -> bool:
        """Whether there were more decisions than were looked at."""
        return sum(self.decided.values()) >= MOST_DECISIONS

    def describe(self, name: str) -> PolicyFigures:
        """The figures of one; zeros for one that nobody has heard of."""
        used, times = self.usage.get(name, NO_USAGE), self.times.get(name, {})
        return PolicyFigures(
            denied=self.decided.get((name, "deny"), 0),
            asked=self.decided.get((name, "ask"), 0),
            rewritten=self.decided.get((name, "rewrite"), 0),
            spoke=used.spoke,
            calls=used.calls,
            failures=used.failures,
            p50=used.p50,
            p99=find_percentile(times, 0.99) if times else None,
            last=used.last,
            would=self.would.get(name, {}),
        )

    def list_days(self, name: str) -> tuple[DayCount, ...]:
        """Day by day, the oldest first; what it would have said in shadow counts as said."""
        own = self.days.get(name, (DayCount(),) * BAR_DAYS)
        shadow = [counts for other, counts in self.days.items() if other.startswith(f"{name}{WOULD}")]
        return tuple(
            DayCount(one.calls, one.spoke + sum(counts[at].calls for counts in shadow), one.failures)
            for at, one in enumerate(own)
        )


class CountedPolicies:
    """The counts, read at most every few seconds, however many pages are open."""

    def __init__(self, reader: JournalReader) -> None:
        self._reader = reader
        self._lock = Lock()
        self._read_at = -KEPT_SECONDS
        self._counts = PolicyCounts({}, {}, {}, {}, {})

    def get(self) -> PolicyCounts:
        """The counts of now. Raises StoreError."""
        with self._lock:
            if time.monotonic() - self._read_at >= KEPT_SECONDS:
                self._counts = read_counts(self._reader)
                self._read_at = time.monotonic()
            return self._counts


def read_counts(reader: JournalReader) -> PolicyCounts:
    """Everything that is counted, of all projects."""
    now = time.time()
    decided = report_counts.count_policies_since(reader, now - DAYS * SECONDS_PER_DAY, MOST_DECISIONS)
    return PolicyCounts(
        decided={(one.name, one.kind): one.number for one in decided},
        usage={used.name: used for used in read_counted_usage(reader, None, DAYS)},
        times=read_hook_times(reader, None, int(now // SECONDS_PER_DAY) - DAYS),
        would=read_shadow_counts(reader, None, DAYS),
        days=read_hook_days(reader, BAR_DAYS),
        roots=list_counted_roots(reader, PROJECT_DAYS, MOST_PROJECTS),
    )

"""A day in numbers."""

import pytest

from synaptic.model.decision import Decision, Kind, TraceStep
from synaptic.store.day_counts import DayCounts, read_day_counts
from synaptic.store.journal import append_records

START = 1_700_000_000.0


def decide(kind: Kind, by: str) -> Decision:
    return Decision(kind=kind, by=by, trace=(TraceStep(hook=by, kind=kind),))


def test_an_empty_journal_counts_nothing(store):
    assert read_day_counts(store, START) == DayCounts()


@pytest.mark.parametrize("before", [0, 1, 5, 30])
def test_only_what_came_since_is_counted(store, record, before):
    old = [record(at=START - 100 + at, root="/old", decision=decide(Kind.DENY, "old.one")) for at in range(before)]
    said = [(Kind.DENY, "a.b"), (Kind.ASK, "c.d"), (Kind.REWRITE, "a.b"), (Kind.ADVISE, "x.y"), (Kind.ADVISE, "x.y")]
    new = [record(at=START + at, root="/work/shop", decision=decide(*one)) for at, one in enumerate(said)]
    failed = record(at=START + 9, root="", decision=Decision(trace=(TraceStep(hook="h", fault="crash"),)))
    append_records(store, [*old, *new, failed, record(at=START + 10, root="/work/shop", decision=Decision())])
    assert read_day_counts(store, START) == DayCounts(
        events=7, denied=1, asked=1, rewritten=1, failed=1, busiest="a.b", busiest_count=2, projects=("/work/shop",)
    )


def test_a_damaged_decision_is_counted_and_names_nobody(store, record):
    append_records(store, [record(at=START + 1, decision=decide(Kind.DENY, "a.b"))])
    store.write(lambda connection: connection.execute("UPDATE events SET decision = '{{'"))
    found = read_day_counts(store, START)
    assert (found.denied, found.busiest) == (1, "")

"""Forgetting: in steps, from the front, never the newest."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from synaptic.model.decision import Decision, TraceStep
from synaptic.model.layers import Note, SetStatus
from synaptic.model.state import Change
from synaptic.store import db, deliveries, hook_counts, journal, retention, state
from synaptic.store.connection import KEPT_LOG_BYTES
from synaptic.store.db import Store
from synaptic.store.record import Delivery
from tests.store.layered import Layered

DAY = retention.SECONDS_PER_DAY
NO_LIMIT = 3600.0
"""Seconds of a step on which no slow machine makes the next one smaller."""


def test_old_events_go_and_young_ones_stay(store, record, monkeypatch):
    monkeypatch.setattr(retention, "ROWS_PER_STEP", 7)
    now = time.time()
    old = [record(at=now - 40 * DAY, payload="x" * 5000) for _ in range(50)]
    young = [record(at=now - DAY) for _ in range(5)]
    journal.append_records(store, old + young)
    pruned = retention.prune_events(store, days=30)
    assert pruned.events == 50
    assert pruned.bytes > 100_000
    assert [entry.call for entry in journal.read_entries_after(store, 0)] == [record.call for record in young]


def test_only_so_many_are_kept(store, record):
    now = time.time()
    journal.append_records(store, [record(at=now) for _ in range(30)])
    assert retention.prune_events(store, days=30, limits=retention.PruneLimits(keep=10)).events == 20
    assert [entry.id for entry in journal.read_entries_after(store, 0)] == list(range(21, 31))
    assert retention.prune_events(store, days=30, limits=retention.PruneLimits(keep=10)).events == 0


def test_the_newest_stays_and_numbers_are_never_used_twice(store, record):
    journal.append_records(store, [record(at=0.0) for _ in range(5)])
    assert retention.prune_events(store, days=1).events == 4
    journal.append_records(store, [record()])
    assert [entry.id for entry in journal.read_entries_after(store, 0)] == [5, 6]


def test_an_empty_journal_is_pruned_of_nothing(store):
    assert retention.prune_events(store, days=1, limits=retention.PruneLimits(keep=5)) == retention.PruneCounts()


def test_carried_and_stale_deliveries_go(store, record):
    now = time.time()
    ages = {
        "waiting": 10.0,
        "carried": retention.REPEAT_SECONDS + 5,
        "stale": deliveries.DELIVERY_LIFETIME + 5,
        "future": -3 * DAY,
    }
    for hook, age in ages.items():
        deliveries.add_delivery(store, Delivery(call="c", hook=hook, session="s1", text=hook, at=now - age))
    carried = next(found.id for found in deliveries.find_pending(store, "s1") if found.hook == "carried")
    journal.append_records(store, [record(delivered=(carried,))])
    assert retention.prune_expired(store).deliveries == 3
    assert [found.hook for found in deliveries.find_pending(store, "s1")] == ["waiting"]


def test_answers_that_are_not_kept_live_ten_minutes(store, record):
    now = time.time()
    old, young = record(at=now - retention.REPEAT_SECONDS - 1), record(at=now)
    journal.append_records(store, [old, young], "off")
    assert retention.prune_expired(store).answers == 1
    assert journal.find_answer(store, old.call) is None
    assert journal.find_answer(store, young.call) == young.answer


def test_writers_work_while_it_prunes(store, record, monkeypatch):
    journal.append_records(store, [record(at=0.0) for _ in range(60)])
    monkeypatch.setattr(retention, "ROWS_PER_STEP", 10)
    written = []

    def pause(_):
        written.append(journal.append_records(store, [record(at=time.time())]))

    monkeypatch.setattr(retention.time, "sleep", pause)
    retention.prune_events(store, days=1)
    assert sum(written) == len(written) >= 5


def test_old_dialogue_and_windows_without_a_name_are_forgotten_and_efforts_stay(home):
    layered = Layered(home)
    session = layered.open(layered.effort())
    layered.do(
        Note(session=session, role="user", content="x"),
        SetStatus(agent="window", status="done"),
        SetStatus(agent="A", status="done", named=True),
    )
    layered.write("UPDATE messages SET timestamp = 1")
    layered.write("UPDATE agents SET updated_at = 1")
    retention.prune_events(layered.store, days=1)
    assert layered.one("SELECT count(*) FROM messages") == 0
    assert layered.one("SELECT group_concat(id) FROM agents") == "A"
    assert layered.one("SELECT count(*) FROM sessions") == 1
    layered.store.close()


def explain(store, sql, values) -> str:
    rows = store.read(lambda connection: connection.execute(f"EXPLAIN QUERY PLAN {sql}", values).fetchall())
    return " ".join(row[-1] for row in rows)


def test_nothing_old_is_searched_for_without_an_index(store):
    plans = (
        explain(store, retention.SELECT_OLDEST, (10,)),
        explain(store, retention.DELETE_ANSWERS, (0, 0, 10)),
        explain(store, "DELETE FROM events WHERE id <= ?", (10,)),
    )
    assert not [plan for plan in plans if "SCAN" in plan], plans


def test_free_pages_are_given_back_in_steps_of_many(store, record, monkeypatch):
    """Page by page, each with a pause, it took eleven minutes for half a million events."""
    journal.append_records(store, [record(at=0.0, payload="y" * 3000) for _ in range(500)])
    store.checkpoint()
    pauses = []
    monkeypatch.setattr(retention, "STEP_SECONDS", NO_LIMIT)
    monkeypatch.setattr(retention.time, "sleep", pauses.append)
    assert retention.prune_events(store, days=1).bytes > 1_000_000
    assert len(pauses) < 20
    assert store.read(lambda connection: connection.execute("PRAGMA freelist_count").fetchone()) == (0,)


def test_the_log_stays_small_while_much_is_removed(store, home, record, monkeypatch):
    monkeypatch.setattr(retention, "ROWS_PER_STEP", 50)
    monkeypatch.setattr(retention, "STEP_SECONDS", NO_LIMIT)
    monkeypatch.setattr(db, "LARGE_LOG_BYTES", 200_000)
    journal.append_records(store, [record(at=0.0, payload="y" * 6000) for _ in range(1000)])
    store.checkpoint()
    sizes = []
    log = Path(f"{home.database}-wal")
    retention.prune_events(store, days=1, progress=lambda gone: sizes.append(log.stat().st_size))
    assert len(sizes) > 20
    assert max(sizes) <= KEPT_LOG_BYTES
    assert store.notices == []


def test_an_interrupt_loses_nothing_and_the_next_time_goes_on(store, record, monkeypatch):
    monkeypatch.setattr(retention, "ROWS_PER_STEP", 10)
    monkeypatch.setattr(retention, "STEP_SECONDS", NO_LIMIT)
    journal.append_records(store, [record(at=0.0) for _ in range(100)])
    kept = record(at=time.time())
    journal.append_records(store, [kept])

    def interrupt(gone):
        if gone.events == 50:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        retention.prune_events(store, days=1, progress=interrupt)
    assert journal.count_events(store) == 51
    assert retention.prune_events(store, days=1).events == 50
    assert [entry.call for entry in journal.read_last_entries(store, 5)] == [kept.call]


def test_a_step_is_as_large_as_fits_in_its_time_by_what_the_one_before_has_taken():
    steps = retention.StepSize(1000)
    sizes = [steps.size]
    for seconds in (0.0, 0.0, 0.0, 0.0, retention.STEP_SECONDS * 10, 100.0, retention.STEP_SECONDS):
        steps.learn(seconds)
        sizes.append(steps.size)
    assert sizes == [100, 200, 400, 800, 1000, 100, 1, 1]
    steps.learn(0.0)
    assert steps.size == 2


def test_rows_that_are_slow_to_remove_go_in_smaller_steps(store, record, monkeypatch):
    """Two thousand payloads of a megabyte in one transaction kept every event waiting for seconds."""
    monkeypatch.setattr(retention, "STEP_SECONDS", 1e-9)
    journal.append_records(store, [record(at=0.0, payload="y" * 3000) for _ in range(130)])
    told = []
    assert retention.prune_events(store, days=1, progress=told.append).events == 129
    events = [gone.events for gone in told if not gone.bytes]
    assert events[0] == 100 and events[1:] == list(range(101, 130))


def test_one_event_of_the_future_at_the_front_stops_no_small_step(store, record, monkeypatch):
    monkeypatch.setattr(retention, "STEP_SECONDS", 1e-9)
    journal.append_records(store, [record(at=time.time() + 40 * DAY), *(record(at=0.0) for _ in range(120)), record()])
    assert retention.prune_events(store, days=1).events == 120
    assert [entry.id for entry in journal.read_entries_after(store, 0)] == [1, 122]


KILLED = """
import os, signal, sys
from pathlib import Path
from synaptic.model.home import Home
from synaptic.store import retention
from synaptic.store.db import Store

def kill(gone):
    if getattr(gone, sys.argv[2]) >= int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)

retention.ROWS_PER_STEP, retention.PAGES_PER_STEP = 10, 20
retention.prune_events(Store.open(Home(Path(sys.argv[1]))), days=1, progress=kill)
"""


@pytest.mark.parametrize(("what", "many"), [("events", 40), ("bytes", 100_000)])
def test_a_kill_in_the_middle_loses_nothing_and_the_next_time_goes_on(home, record, what, many):
    """`kill -9` while events are removed, and while free pages are given back."""
    store = Store.open(home)
    ran = Decision(trace=(TraceStep(hook="a"),))
    kept = [record(at=time.time(), decision=ran) for _ in range(5)]
    old = [record(at=time.time() - 40 * DAY, payload="y" * 3000, decision=ran) for _ in range(200)]
    journal.append_records(store, old + kept)
    store.close()
    command = [sys.executable, "-c", KILLED, str(home.root), what, str(many)]
    assert subprocess.run(command, timeout=120, check=False).returncode == -signal.SIGKILL
    store = Store.open(home)
    left = journal.count_events(store)
    assert left < 205 if what == "events" else left == 5
    assert retention.prune_events(store, days=1).events == left - 5
    assert [entry.call for entry in journal.read_entries_after(store, 0)] == [one.call for one in kept]
    hook_counts.count_journal(store)
    calls = "SELECT sum(calls) FROM hook_counts WHERE hook = 'a'"
    assert store.read(lambda connection: connection.execute(calls).fetchone()) == (205,)
    assert store.read(lambda connection: connection.execute("PRAGMA freelist_count").fetchone()) == (0,)
    assert store.read(lambda connection: connection.execute("PRAGMA quick_check").fetchone()) == ("ok",)
    store.close()


def test_state_of_sessions_that_are_long_over_is_forgotten_and_a_projects_stays(store):
    owner = state.SectionOwner("/p", "s")
    for name in ("session:refusals", "project:circuit_breaker"):
        state.write_change(store, owner, Change(section=name, put={"x": 1}))
    store.write(lambda connection: connection.execute("UPDATE state SET at = 1"))
    retention.prune_events(store, days=1)
    assert list(state.list_sections(store, owner)) == ["project:circuit_breaker"]


def test_what_goes_is_counted_before_and_what_stays_is_not_waited_for(store, record, monkeypatch):
    monkeypatch.setattr(retention, "ROWS_PER_STEP", 10)
    monkeypatch.setattr(retention, "STEP_SECONDS", NO_LIMIT)
    ran = Decision(trace=(TraceStep(hook="a"),))
    old = [record(at=time.time() - 40 * DAY, decision=ran) for _ in range(35)]
    journal.append_records(store, old + [record(at=time.time(), decision=ran) for _ in range(5)])

    def interrupt(gone):
        if gone.events == 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        retention.prune_events(store, days=30, progress=interrupt)
    assert retention.prune_events(store, days=30).events == 15
    calls = "SELECT sum(calls) FROM hook_counts WHERE hook = 'a'"
    assert store.read(lambda connection: connection.execute(calls).fetchone()[0]) == 35
    hook_counts.count_journal(store)
    assert store.read(lambda connection: connection.execute(calls).fetchone()[0]) == 40

"""Forgetting: in steps, from the front, never the newest."""

import time

from synaptic.model.layers import Note, SetStatus
from synaptic.store import deliveries, journal, retention
from synaptic.store.record import Delivery
from tests.store.layered import Layered

DAY = retention.SECONDS_PER_DAY


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
    assert retention.prune_events(store, days=30, keep=10).events == 20
    assert [entry.id for entry in journal.read_entries_after(store, 0)] == list(range(21, 31))
    assert retention.prune_events(store, days=30, keep=10).events == 0


def test_the_newest_stays_and_numbers_are_never_used_twice(store, record):
    journal.append_records(store, [record(at=0.0) for _ in range(5)])
    assert retention.prune_events(store, days=1).events == 4
    journal.append_records(store, [record()])
    assert [entry.id for entry in journal.read_entries_after(store, 0)] == [5, 6]


def test_an_empty_journal_is_pruned_of_nothing(store):
    assert retention.prune_events(store, days=1, keep=5) == retention.PruneCounts()


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

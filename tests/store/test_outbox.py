"""The journal in pages behind a cursor: bounded, in order, and known again."""

import pytest

from synaptic.model.errors import StoreError
from synaptic.store import journal, outbox, retention
from synaptic.store.db import Store
from synaptic.store.outbox import PAGE_EVENTS, ShipCursor
from tests.store.conftest import make_record


def fill(store: Store, count: int, **changes) -> None:
    journal.append_records(store, [make_record(**changes) for _ in range(count)])


def test_pages_are_ascending_and_bounded_by_their_number(store: Store):
    fill(store, PAGE_EVENTS + 3)
    first = outbox.read_page(store, ShipCursor(name="x"))
    assert [row.entry.id for row in first.rows] == list(range(1, PAGE_EVENTS + 1))
    last = first.rows[-1].entry
    second = outbox.read_page(store, ShipCursor(name="x", id=last.id, call=last.call))
    assert [row.entry.id for row in second.rows] == [501, 502, 503]
    assert (second.newest, second.rows[0].exit) == (503, 2)


def test_pages_are_bounded_by_their_size_and_hold_one_event_at_least(store: Store):
    fill(store, 6, payload='{"a":"' + "x" * 900_000 + '"}')
    assert len(outbox.read_page(store, ShipCursor(name="x")).rows) == 4


def test_a_cursor_is_kept_and_read_again(store: Store, home):
    kept = ShipCursor(name="hub", epoch=2, id=9, call="c9", mark=77, at=5.0, shipped=8)
    outbox.write_cursor(store, kept)
    other = Store.open(home)
    assert outbox.list_cursors(other) == {"hub": kept}
    other.close()


def test_another_journal_is_known_by_its_numbers_or_by_its_calls(store: Store):
    fill(store, 5)
    call = outbox.find_call(store, 4)
    assert not outbox.read_page(store, ShipCursor(name="x", id=4, call=call)).is_other
    assert outbox.read_page(store, ShipCursor(name="x", id=4, call="other")).is_other
    assert outbox.read_page(store, ShipCursor(name="x", id=6, call="other")).is_other


def test_an_event_that_was_pruned_says_nothing_against_its_journal(store: Store):
    fill(store, 5)
    call = outbox.find_call(store, 2)
    retention.prune_events(store, 30)
    page = outbox.read_page(store, ShipCursor(name="x", id=2, call=call))
    assert not page.is_other and [row.entry.id for row in page.rows] == [5]


def test_the_slowest_destination_that_is_set_holds_events_back(store: Store):
    fill(store, 9)
    for name, id in (("slow", 3), ("quick", 7), ("gone", 1)):
        outbox.write_cursor(store, ShipCursor(name=name, id=id))
    outbox.hold_for(store, {"slow", "quick"})
    limits = retention.PruneLimits(waits=True)
    gone = retention.prune_events(store, 30, limits)
    assert (gone.events, gone.held) == (3, 5)
    outbox.hold_for(store, ())
    assert retention.prune_events(store, 30, limits).events == 5


def test_a_cursor_that_is_not_kept_on_disk_is_no_cursor(home):
    memory = Store.open_in_memory(home, StoreError("the disk is full"))
    with pytest.raises(StoreError):
        outbox.write_cursor(memory, ShipCursor(name="x"))


def test_a_damaged_cursor_is_read_as_far_as_it_says_anything(store: Store):
    outbox.write_cursor(store, ShipCursor(name="x", id=3))
    store.run_separately(
        lambda connection: connection.execute("UPDATE ship_cursors SET id = 'many', call = x'ff', at = 'y'")
    )
    assert outbox.list_cursors(store)["x"].id == 0

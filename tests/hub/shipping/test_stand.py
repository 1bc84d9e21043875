"""Where a destination stands, and what follows: nothing skipped, nothing sent twice that it has."""

import pytest

from synaptic.hub.shipping.destination import DestinationError
from synaptic.hub.shipping.outbox import make_sequence
from synaptic.hub.shipping.stand import advance, begin_anew, follow
from synaptic.hub.wire import ShippedEvent
from synaptic.store.outbox import ShipCursor


def at(epoch: int, id: int, mark: int | None = None) -> ShipCursor:
    found = make_sequence(epoch, id) if mark is None else mark
    return ShipCursor(name="hub", epoch=epoch, id=id, call=f"c{id}", mark=found)


def batch(epoch: int, *ids: int) -> list[ShippedEvent]:
    return [
        ShippedEvent(seq=make_sequence(epoch, id), call=f"c{id}", at=1.0, agent="claude", event="Stop") for id in ids
    ]


def test_a_cursor_goes_behind_what_was_taken():
    events = batch(0, 5, 6, 9)
    assert advance(at(0, 4), events, 9) == ShipCursor(name="hub", id=9, call="c9", mark=9, shipped=3)
    assert advance(at(0, 4), events, 8) == ShipCursor(name="hub", id=6, call="c6", mark=6, shipped=2)


@pytest.mark.parametrize("mark", [-1, 0, 3, 10, make_sequence(1, 5), 4])
def test_what_is_in_no_part_of_the_batch_is_elsewhere(mark):
    assert advance(at(0, 4), batch(0, 5, 6, 9), mark) is None


def test_back_and_on_in_the_same_journal():
    assert follow(at(2, 40), make_sequence(2, 7), newest=90, is_new=False).id == 7
    assert follow(at(2, 40), make_sequence(2, 80), newest=90, is_new=False).id == 80


def test_a_destination_that_has_nothing_of_this_journal_gets_all_of_it():
    found = follow(begin_anew(at(1, 40), 2), make_sequence(1, 60), newest=90, is_new=False)
    assert (found.epoch, found.id, found.mark) == (2, 0, make_sequence(1, 60))


def test_a_destination_that_has_more_than_this_journal_gets_a_new_one():
    found = follow(at(2, 40), make_sequence(2, 95), newest=90, is_new=False)
    assert (found.epoch, found.id, found.mark) == (3, 40, make_sequence(2, 95))
    found = follow(at(2, 40), make_sequence(5, 10), newest=90, is_new=False)
    assert (found.epoch, found.id, found.mark) == (6, 40, make_sequence(5, 10))


def test_where_nobody_here_knows_of_it_what_it_has_is_of_a_journal_that_is_gone():
    found = follow(ShipCursor(name="hub"), make_sequence(0, 30), newest=90, is_new=True)
    assert (found.epoch, found.id, found.mark) == (1, 0, 30)


@pytest.mark.parametrize("mark", [-1, 1 << 63, 1 << 90])
def test_nonsense_is_refused(mark):
    with pytest.raises(DestinationError):
        follow(at(0, 4), mark, newest=9, is_new=False)

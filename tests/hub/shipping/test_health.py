"""What doctor says about what leaves: only where something is to leave, and what it keeps on the disk."""

import time

from synaptic.hub.place import HubPlace
from synaptic.hub.shipping.cursors import CursorBook
from synaptic.hub.shipping.health import check_shipping
from synaptic.hub.shipping.plan import name_hub, read_plan
from tests.hub.shipping.conftest import Shipping


def test_where_nothing_is_to_leave_there_is_nothing_to_say(shipping: Shipping):
    HubPlace.of(shipping.home).membership.unlink()
    assert list(check_shipping(shipping.home)) == []


def test_a_journal_that_is_kept_for_a_destination_is_told(shipping: Shipping):
    CursorBook(shipping.home, shipping.store).load(name_hub(read_plan(shipping.home).member))
    shipping.add(4, at=time.time() - 40 * 86400)
    stopped, held = check_shipping(shipping.home)
    assert (stopped.state, held.state) == ("warn", "warn")
    assert "lacks 4 events" in held.seen and "stay in the journal for it" in held.seen


def test_a_membership_that_cannot_be_read_is_told(shipping: Shipping):
    HubPlace.of(shipping.home).membership.write_text("{")
    (found,) = check_shipping(shipping.home)
    assert found.state == "fail"

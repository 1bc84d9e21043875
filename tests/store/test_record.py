"""What is written and read back are frozen values."""

import pytest

from synaptic.model.call import Answer
from synaptic.model.decision import Decision
from synaptic.store.record import Delivery, EventRecord


def test_a_record_needs_only_what_every_event_has():
    record = EventRecord(call="c", at=1.0, agent="claude", event="Stop")
    assert (record.decision, record.answer, record.delivered) == (Decision(), Answer(), ())


def test_a_delivery_cannot_be_changed():
    delivery = Delivery(call="c", hook="h", session="s", text="t", at=1.0)
    with pytest.raises(AttributeError):
        delivery.text = "other"

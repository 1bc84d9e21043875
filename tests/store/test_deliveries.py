"""A text that waits is carried once."""

import time

import pytest

from synaptic.model.decision import Decision
from synaptic.model.effect import Deliver
from synaptic.store import deliveries, journal
from synaptic.store.record import Delivery


def delivery(**changes) -> Delivery:
    values = {"call": "c1", "hook": "h1", "session": "s1", "text": "the build failed", "at": time.time()}
    return Delivery(**{**values, **changes})


def texts(store, session="s1", agent_id="", call="") -> list[str]:
    return [found.text for found in deliveries.find_pending(store, session, agent_id, call)]


def test_an_effect_waits_for_its_own_session_and_agent(store, record):
    effects = (Deliver("one"), Deliver("two"))
    journal.append_records(store, [record(at=time.time(), agent_id="sub", decision=Decision(effects=effects))])
    assert texts(store, agent_id="sub") == ["one", "two"]
    assert texts(store) == []
    assert texts(store, session="s2", agent_id="sub") == []


def test_what_an_event_carried_is_not_carried_again(store, record):
    deliveries.add_delivery(store, delivery())
    (waiting,) = deliveries.find_pending(store, "s1")
    carrier = record(delivered=(waiting.id,))
    journal.append_records(store, [carrier])
    assert texts(store) == []
    assert texts(store, call=carrier.call) == ["the build failed"]
    journal.append_records(store, [record(delivered=(waiting.id,))])
    assert texts(store, call=carrier.call) == ["the build failed"]


def test_a_result_collected_twice_is_kept_once(store):
    assert deliveries.add_delivery(store, delivery())
    assert not deliveries.add_delivery(store, delivery(text="again"))
    assert deliveries.add_delivery(store, delivery(hook="h2", text="other hook"))
    assert texts(store) == ["the build failed", "other hook"]


def test_it_is_carried_or_waits_with_the_event_never_between(store, record):
    deliveries.add_delivery(store, delivery())
    (waiting,) = deliveries.find_pending(store, "s1")

    def killed(connection):
        deliveries.record_deliveries(connection, record(delivered=(waiting.id,)))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.write(killed)
    assert texts(store) == ["the build failed"]


def test_after_a_day_nobody_wants_to_know(store):
    deliveries.add_delivery(store, delivery(at=time.time() - deliveries.DELIVERY_LIFETIME - 1))
    assert texts(store) == []


def test_without_a_session_there_is_nobody_to_tell(store):
    assert not deliveries.add_delivery(store, delivery(session=""))
    assert texts(store, session="") == []


def test_secrets_are_taken_out_of_what_waits(store):
    deliveries.add_delivery(store, delivery(text="PASSWORD=hunter2hunter2 für dich"))
    assert texts(store) == ["PASSWORD=[redacted:password] für dich"]

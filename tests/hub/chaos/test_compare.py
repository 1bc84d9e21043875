"""What compares in the end sees what it is there for."""

import msgspec
import pytest

from synaptic.hub.wire import ShippedEvent
from tests.hub.chaos.compare import digest, find_differences, find_disorder, find_missing
from tests.hub.chaos.events import make_record, name_call
from tests.hub.chaos.proxy import FATES, FailingProxy

EVENTS = [ShippedEvent(seq=n, call=name_call(3, n), at=float(n), agent="a", event="E") for n in range(1, 6)]
CALLS = [event.call for event in EVENTS]


def test_what_is_the_same_is_no_finding():
    assert not list(find_missing(EVENTS, EVENTS, CALLS))
    assert not list(find_differences(EVENTS, list(EVENTS)))
    assert not find_differences_of_turns([(7, 1, 3, 3), (9, 4, 5, 2)])


def test_an_event_that_is_missing_at_the_hub_is_seen():
    assert "1 events are not at the hub" in " ".join(find_missing(EVENTS, EVENTS[1:], CALLS))


def test_an_event_that_is_missing_in_both_is_seen():
    found = " ".join(find_missing(EVENTS[1:], EVENTS[1:], CALLS))
    assert "not in its journal" in found and "not at the hub" in found


def test_an_event_that_nobody_wrote_is_seen():
    assert "nobody wrote" in " ".join(find_missing(EVENTS, EVENTS, CALLS[1:]))


@pytest.mark.parametrize("change", [{"kind": "deny"}, {"at": 1.5}, {"subject": "x"}, {"grants": ("g",)}])
def test_a_field_that_differs_is_seen_and_named(change):
    changed = [msgspec.structs.replace(EVENTS[0], **change), *EVENTS[1:]]
    assert digest(changed) != digest(EVENTS)
    found = list(find_differences(EVENTS, changed))
    assert "1 events differ" in found[0] and next(iter(change)) in found[1]


def test_a_transaction_that_brought_what_comes_before_is_seen():
    assert find_differences_of_turns([(7, 1, 3, 3), (9, 3, 5, 3)])
    assert find_differences_of_turns([(7, 4, 5, 2), (9, 1, 3, 3)])


def find_differences_of_turns(turns: list[tuple[int, int, int, int]]) -> list[str]:
    return list(find_disorder(turns))


def test_the_same_seed_writes_the_same_events():
    assert make_record(1, 2, 3, 4.0) == make_record(1, 2, 3, 4.0) != make_record(2, 2, 3, 4.0)


def test_connections_have_every_fate_and_none_once_the_network_is_sound():
    proxy = FailingProxy(1, 1)
    assert {proxy._choose_fate().fate for _ in range(400)} == set(FATES)
    proxy.mend(is_sound=True)
    assert {proxy._choose_fate().fate for _ in range(400)} == {FATES[0]}

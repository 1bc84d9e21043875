"""Who decided a call, and when a call was sent."""

import time

import pytest

from synaptic.daemon.client import new_call_id
from synaptic.model.call import Answer
from synaptic.model.decision import Decision, Kind
from synaptic.model.home import Home
from synaptic.store import claims, journal
from synaptic.store.db import Store
from synaptic.store.record import EventRecord, JournalDetail

SECRET = "ghp_" + "a1B2" * 9


def record(text: str = "no", call: str = "c1") -> EventRecord:
    answer = Answer(stdout=text.encode(), exit=2)
    return EventRecord(
        call=call, at=time.time(), agent="claude", event="e", decision=Decision(kind=Kind.ASK), answer=answer
    )


@pytest.mark.parametrize("keep", ["full", "structure", "off"])
def test_the_first_that_writes_a_call_down_has_decided_it(store: Store, keep: JournalDetail) -> None:
    assert claims.find_claim(store, "c1") is None
    assert journal.claim_records(store, [record("first"), record("second"), record("x", "c2")], keep) == [
        True,
        False,
        True,
    ]
    found = claims.find_claim(store, "c1")
    assert found is not None
    assert found.answer == Answer(stdout=b"first", exit=2)
    assert found.kind is (Kind.DENY if keep == "off" else Kind.ASK)


def test_an_answer_with_a_secret_is_only_known_to_the_process_that_gave_it(store: Store, home: Home) -> None:
    journal.claim_records(store, [record(SECRET)])
    other = Store.open(home)
    try:
        assert claims.find_claim(store, "c1") == claims.Claim(Kind.ASK, Answer(stdout=SECRET.encode(), exit=2))
        assert claims.find_claim(other, "c1") == claims.Claim(Kind.ASK, None)
    finally:
        other.close()


def test_a_calls_id_says_when_it_was_sent() -> None:
    now = time.time()
    call = new_call_id()
    assert not claims.is_late(call, now)
    assert claims.is_late(call, now + claims.LATE_SECONDS + 1)
    assert claims.is_late(call, now - claims.LATE_SECONDS - 1)  # a clock that was set back says nothing


@pytest.mark.parametrize("call", ["", "c1", "x" * 25, "!" * 26, "é" * 26])
def test_an_id_that_says_nothing_is_not_late(call: str) -> None:
    assert not claims.is_late(call, time.time())

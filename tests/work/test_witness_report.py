"""What the report counts: each call once, and every alarm, shown or not."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from synaptic.model.home import Home
from synaptic.model.witness import Sign, WitnessedCall
from synaptic.store import journal, witness
from synaptic.store.db import Store
from synaptic.store.record import EventRecord
from synaptic.work import witness_report
from tests.store.conftest import make_record


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store.open(Home(tmp_path / ".synaptic"))
    yield opened
    opened.close()


def make(event: str, signs: Sign, number: str = "t1", let: bytes = b"", said: bytes = b"$ls") -> EventRecord:
    call = WitnessedCall(number=number, said=said, let=let, signs=signs)
    return make_record(event=event, session="s1", at=time.time(), witnessed=call)


def test_a_question_about_another_form_is_one_call(store: Store):
    asks = make("PreToolUse", Sign.QUESTION | Sign.NUMBERED, let=b"$other")
    journal.claim_records(store, [asks])
    made = witness_report.make_report(store, 0.0)
    assert (made.calls, made.asked) == (1, 1)
    assert made.standings["obeyed"] == 1


@pytest.mark.parametrize("ran", [b"$ls", b"$other"])
def test_a_question_about_another_form_may_run_in_either(store: Store, ran: bytes):
    """Some agents take what a hook changed only when nobody is asked."""
    journal.claim_records(store, [make("PreToolUse", Sign.QUESTION | Sign.NUMBERED, let=b"$other")])
    journal.claim_records(store, [make("PostToolUse", Sign.RAN | Sign.NUMBERED, said=ran)])
    made = witness_report.make_report(store, 0.0)
    assert {name for name, count in made.standings.items() if count} == {"obeyed"}


def test_the_report_says_how_many_alarms_it_leaves_out(store: Store, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(witness_report, "MOST_TOLD", 3)
    alarms = [make("PostToolUse", Sign.REFUSED | Sign.RAN | Sign.TOLD, str(number)) for number in range(9)]
    journal.claim_records(store, alarms)
    made = witness_report.make_report(store, 0.0)
    assert (made.alarms, len(made.told), made.standings["disobeyed"]) == (9, 3, 9)


def test_calls_without_numbers_are_counted_once_and_that_is_said(store: Store):
    for event, sign in (("PreToolUse", Sign.LET), ("PostToolUse", Sign.RAN)) * 3:
        journal.claim_records(store, [make(event, sign, number="")])
    journal.claim_records(store, [make("PreToolUse", Sign.LET | Sign.NUMBERED)])
    witness.flush_waiting(store)
    made = witness_report.make_report(store, 0.0)
    assert (made.calls, made.unnumbered) == (2, 1)

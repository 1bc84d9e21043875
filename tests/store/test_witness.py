"""Rows of calls: written with their events, small, without texts, and gone with the journal."""

import sqlite3
import time
from contextlib import closing

import msgspec
import pytest

from synaptic.daemon.client import new_call_id
from synaptic.model.witness import Sign, WitnessedCall
from synaptic.store import basis, journal, retention, witness, witnessed
from synaptic.store.db import Store
from synaptic.store.record import EventRecord, JournalDetail
from tests.store.conftest import make_record

SECRET = "ghp_" + "a1B2" * 9


def make(event: str, signs: Sign, number: str = "t1", at: float = 0.0, **more: object) -> EventRecord:
    said = WitnessedCall(number=number, said=f"$echo {SECRET}".encode(), signs=signs, **more)  # type: ignore[arg-type]
    return make_record(event=event, session="s1", at=at or time.time(), witnessed=said)


def asked(number: str = "t1", at: float = 0.0) -> EventRecord:
    return make("PreToolUse", Sign.REFUSED | Sign.NUMBERED, number, at)


def told(number: str = "t1", at: float = 0.0) -> EventRecord:
    return make("PostToolUse", Sign.RAN | Sign.NUMBERED, number, at)


def rows(store: Store) -> list[tuple[int, ...]]:
    with closing(sqlite3.connect(store.path)) as database:
        return database.execute("SELECT asked, ran, flags FROM witness").fetchall()


def test_one_call_is_one_row_with_both_events(store: Store):
    journal.claim_records(store, [asked()])
    journal.claim_records(store, [told()])
    assert rows(store) == [(1, 2, int(Sign.REFUSED | Sign.RAN | Sign.NUMBERED))]


def test_a_repeated_request_changes_nothing(store: Store):
    record = asked()
    journal.claim_records(store, [record, record])
    assert rows(store) == [(1, 0, int(Sign.REFUSED | Sign.NUMBERED))]


def test_a_rewritten_call_has_a_row_for_what_is_to_run_and_one_for_what_is_not(store: Store):
    journal.claim_records(store, [make("PreToolUse", Sign.LET | Sign.NUMBERED, let=b"$other")])
    assert sorted(flags for _, _, flags in rows(store)) == [
        int(Sign.LET | Sign.NUMBERED), int(Sign.REPLACED | Sign.NUMBERED),
    ]  # fmt: skip


@pytest.mark.parametrize(("keep", "count"), [("full", 1), ("structure", 1), ("off", 0)])
def test_without_a_journal_there_is_no_row(store: Store, keep: JournalDetail, count: int):
    journal.claim_records(store, [asked()], keep)
    assert len(rows(store)) == count


def test_what_only_a_stranger_says_is_no_row(store: Store):
    journal.claim_records(store, [make_record(event="PostToolUse", session="s1", moves_state=False)])
    assert rows(store) == []


def test_no_text_of_a_call_is_kept(store: Store):
    journal.claim_records(store, [asked(), told()])
    with closing(sqlite3.connect(store.path)) as database:
        kept = repr(database.execute("SELECT * FROM witness").fetchall())
    assert "echo" not in kept
    assert SECRET not in kept


def test_digests_of_another_home_are_others(store: Store):
    key = witness.read_signing_key(store)
    assert witness.digest_number(key, "t1") != witness.digest_number(b"x" * 32, "t1")
    assert witness.digest_number(key, "") == 0


def test_calls_go_with_the_journal(store: Store):
    old = time.time() - 40 * 86_400
    journal.claim_records(store, [asked("old", old), told("old", old), asked("new")])
    retention.prune_events(store, 30)
    assert len(rows(store)) == 1
    assert witnessed.find_session(store, "s1") is not None, "it goes on"
    retention.prune_events(store, -1)
    assert rows(store) == []
    assert witnessed.find_session(store, "s1") is None


def test_a_journal_for_ever_keeps_no_more_calls_than_the_limit(store: Store, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(witness, "MOST_CALLS", 5)
    journal.claim_records(store, [asked(str(number)) for number in range(9)])
    retention.prune_events(store, 30)
    assert rows(store) == []


def test_many_inputs_under_one_number_are_looked_at_up_to_a_limit(store: Store):
    for number in range(witness.MOST_INPUTS + 20):
        said = WitnessedCall(number="same", said=str(number).encode(), signs=Sign.LET)
        journal.claim_records(store, [make_record(event="PreToolUse", session="s1", witnessed=said)])
    known = witness.find_call(store, "s1", WitnessedCall(number="same", said=b"0", signs=Sign.RAN))
    assert len(known.by_input) <= witness.MOST_INPUTS + witness.MOST_WAITING + 1


def test_a_flood_of_calls_pushes_nothing_out_that_a_person_was_told_of(store: Store, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(witness, "MOST_CALLS", 5)
    alarm = WitnessedCall(number="bad", said=b"$x", signs=Sign.REFUSED | Sign.RAN | Sign.TOLD)
    journal.claim_records(store, [make_record(event="PostToolUse", session="told", at=time.time(), witnessed=alarm)])
    journal.claim_records(store, [asked(str(number)) for number in range(9)])
    retention.prune_events(store, 30)
    assert [one.session for one in witnessed.list_alarms(store, 0.0)] == ["told"]
    assert len(rows(store)) == 1


def test_the_limit_holds_for_a_flood_of_alarms_too(store: Store, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(witness, "MOST_CALLS", 5)
    alarms = [make("PostToolUse", Sign.RAN | Sign.TOLD, str(number)) for number in range(9)]
    journal.claim_records(store, alarms)
    retention.prune_events(store, 30)
    assert rows(store) == []


def test_the_very_input_is_found_among_any_number_of_others(store: Store):
    for number in range(3 * witness.MOST_INPUTS):
        said = WitnessedCall(number="same", said=str(number).encode(), signs=Sign.LET)
        journal.claim_records(store, [make_record(event="PreToolUse", session="s1", witnessed=said)])
    for number in range(3 * witness.MOST_INPUTS):
        seen = WitnessedCall(number="same", said=str(number).encode(), signs=Sign.RAN)
        assert witness.find_call(store, "s1", seen).signs == Sign.LET


def test_a_name_is_found_among_those_that_begin_with_it(store: Store):
    for name in ("s", "s1", "s11", "s2", "S1", "s%", "s_"):
        record = make_record(event="Stop", session=name)
        journal.claim_records(store, [record])
        assert witnessed.find_session_names(store, name)[0] == name
    assert witnessed.find_session_names(store, "s11") == ("s11",)
    assert set(witnessed.find_session_names(store, "S")) == {"S1"}
    assert witnessed.find_session_names(store, "s%") == ("s%",)


def test_alarms_of_one_session_are_found_behind_many_of_others(store: Store):
    for session in ("s1", *["other"] * 20):
        call = WitnessedCall(number=new_call_id(), said=b"$x", signs=Sign.RAN | Sign.TOLD)
        journal.claim_records(store, [make_record(event="PostToolUse", session=session, witnessed=call)])
    assert len(witnessed.list_alarms(store, 0.0, "s1", 5)) == 1
    assert len(witnessed.list_alarms(store, 0.0, limit=5)) == 5


def count_rows(store: Store) -> int:
    return store.read(lambda connection: connection.execute("SELECT count(*) FROM witness").fetchone()[0])


def ask(store: Store, number: str) -> None:
    said = WitnessedCall(number=number, said=b"$ls", signs=Sign.LET | Sign.NUMBERED)
    journal.claim_records(store, [make_record(event="PreToolUse", session="s1", witnessed=said)])


def test_what_is_let_through_is_written_with_its_result_in_one_row(store: Store):
    ask(store, "t1")
    assert count_rows(store) == 0
    ran = WitnessedCall(number="t1", said=b"$ls", signs=Sign.RAN | Sign.NUMBERED)
    assert witness.find_call(store, "s1", ran).signs == Sign.LET | Sign.NUMBERED
    journal.claim_records(store, [make_record(event="PostToolUse", session="s1", witnessed=ran)])
    rows = store.read(lambda connection: connection.execute("SELECT asked, ran, flags FROM witness").fetchall())
    assert rows == [(1, 2, int(Sign.LET | Sign.NUMBERED | Sign.RAN))]


def test_a_refusal_under_the_same_number_takes_nothing_away(store: Store):
    ask(store, "t1")
    refused = WitnessedCall(number="t1", said=b"$ls", signs=Sign.REFUSED | Sign.NUMBERED)
    journal.claim_records(store, [make_record(event="PreToolUse", session="s1", witnessed=refused)])
    known = witness.find_call(store, "s1", msgspec.structs.replace(refused, signs=Sign.RAN))
    assert known.signs == Sign.LET | Sign.REFUSED | Sign.NUMBERED
    assert known.asked == 2


def test_what_waits_is_written_when_a_turn_ends_when_there_is_much_of_it_and_at_the_end(store: Store):
    for number in range(3):
        ask(store, f"a{number}")
    journal.claim_records(store, [make_record(event="Stop", session="s1")])
    assert count_rows(store) == 3
    for number in range(witness.MOST_WAITING + 1):
        ask(store, f"b{number}")
    assert count_rows(store) == 3 + witness.MOST_WAITING
    witness.flush_waiting(store)
    assert count_rows(store) == 3 + witness.MOST_WAITING + 1
    witness.flush_waiting(store)


def test_a_call_whose_event_was_not_written_was_never_let_through(store: Store, monkeypatch: pytest.MonkeyPatch):
    """It is decided anew, and may be refused then."""
    with monkeypatch.context() as patched:
        patched.setattr(journal.basis, "keep_texts", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            said = WitnessedCall(number="t1", said=b"$ls", signs=Sign.LET | Sign.NUMBERED)
            broken = make_record(event="PreToolUse", session="s1", witnessed=said, basis=(basis.seal_text(b"{}"),))
            journal.claim_records(store, [make_record(event="PreToolUse", session="s1", witnessed=said), broken])
    ask(store, "t2")
    assert not witness.find_call(store, "s1", WitnessedCall(number="t1", said=b"$ls", signs=Sign.RAN)).by_input

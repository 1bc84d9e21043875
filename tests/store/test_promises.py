"""Lines that calls have promised."""

from collections.abc import Callable

import pytest

from synaptic.model.decision import Decision
from synaptic.model.effect import AppendLine, Deliver
from synaptic.store import journal, promises
from synaptic.store.db import Store
from synaptic.store.record import EventRecord, JournalDetail, LinePromise

EFFECTS = (AppendLine("/p/a.log", "one"), Deliver("no line"), AppendLine("/p/b.log", "two"))
LINES = (("/p/a.log", "one"), ("/p/b.log", "two"))
MakeRecord = Callable[..., EventRecord]


def promised(record: MakeRecord, number: int, **changes: object) -> EventRecord:
    promise = LinePromise("me", number, written=number - 1)
    return record(root="/p", decision=Decision(effects=EFFECTS), promise=promise, **changes)


@pytest.mark.parametrize("keep", ["full", "structure", "off"])
def test_a_promise_is_remembered_with_its_call(store: Store, record: MakeRecord, keep: JournalDetail) -> None:
    written = promised(record, 1)
    journal.claim_records(store, [written], keep)
    assert promises.list_owners(store) == ("me",)
    assert promises.read_promises(store, "me") == (promises.StoredPromise(1, written.call, "/p", LINES),)


def test_whoever_comes_second_promises_nothing(store: Store, record: MakeRecord) -> None:
    first = record(call="same")
    assert journal.claim_records(store, [first, promised(record, 1, call="same")]) == [True, False]
    assert promises.list_owners(store) == ()


def test_what_is_written_is_forgotten_by_and_by(store: Store, record: MakeRecord) -> None:
    numbers = range(1, promises.FORGET_EVERY + 1)
    journal.claim_records(store, [promised(record, number) for number in numbers])
    assert [one.number for one in promises.read_promises(store, "me")] == [promises.FORGET_EVERY]
    promises.forget_written(store, "me", promises.FORGET_EVERY)
    assert promises.list_owners(store) == ()


def test_a_dead_processs_promises_are_taken_over_once(store: Store, record: MakeRecord) -> None:
    journal.claim_records(store, [promised(record, 1), promised(record, 2)])
    left = promises.read_promises(store, "me")
    rest = promises.StoredPromise(2, left[1].call, "/p", LINES[1:])
    assert promises.take_over(store, "me", [(LinePromise("you", 7), rest)])
    assert not promises.take_over(store, "me", [(LinePromise("they", 1), rest)])
    assert promises.list_owners(store) == ("you",)
    assert [(one.number, one.lines) for one in promises.read_promises(store, "you")] == [(7, LINES[1:])]


def test_a_promise_of_a_call_that_is_no_longer_known_has_no_lines(store: Store, record: MakeRecord) -> None:
    journal.claim_records(store, [promised(record, 1)])
    store.write(lambda connection: connection.execute("DELETE FROM events"))
    assert promises.read_promises(store, "me")[0].lines == ()


def test_text_that_no_json_holds_is_promised_all_the_same(store: Store, record: MakeRecord) -> None:
    odd = Decision(effects=(AppendLine("/p/\udc80", "half \ud800"),))
    journal.claim_records(store, [record(decision=odd, promise=LinePromise("me", 1))], "off")
    journal.claim_records(store, [record(decision=odd, promise=LinePromise("me", 2))], "full")
    assert [one.lines for one in promises.read_promises(store, "me")] == [(("/p/?", "half ?"),)] * 2


@pytest.mark.parametrize("keep", ["full", "structure"])
@pytest.mark.parametrize("content", ["{", "", "[[1]]", b"\xff\xfe"])
def test_a_promise_whose_bytes_were_changed_on_disk_has_no_lines(
    store: Store, record: MakeRecord, keep: JournalDetail, content: str | bytes
) -> None:
    """A bit that a disk has turned must not stop whoever takes over the promises of the dead."""
    journal.claim_records(store, [promised(record, 1)], keep)
    store.write(lambda connection: connection.execute("UPDATE events SET decision = ?", (content,)))
    store.write(lambda connection: connection.execute("UPDATE promises SET lines = ? WHERE lines > ''", (content,)))
    assert promises.read_promises(store, "me")[0].lines == ()

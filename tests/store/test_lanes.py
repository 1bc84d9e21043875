"""Sessions that are at work now."""

import time

from synaptic.store.db import Store
from synaptic.store.journal import append_records
from synaptic.store.lanes import MOST_READ, read_lanes


def test_the_last_step_of_each_and_the_newest_first(home, record) -> None:
    store, now = Store.open(home), time.time()
    append_records(
        store,
        [
            record(call="1", at=now - 9000, session="old"),
            record(call="2", at=now - 5, session="a", event="PreToolUse"),
            record(call="3", at=now - 4, session="b"),
            record(call="4", at=now - 3, session="a", event="PostToolUse"),
            record(call="5", at=now - 2, session="gone"),
            record(call="6", at=now - 1, session="gone", event="SessionEnd"),
            record(call="7", at=now, session=""),
        ],
    )
    found = read_lanes(store, now - 3600, 10)
    assert [(lane.session, lane.last.call) for lane in found] == [("a", "4"), ("b", "3")]
    assert found[0].heartbeat is None and found[0].context is None and found[0].name == ""
    assert [lane.session for lane in read_lanes(store, now - 3600, 2)] == ["a"]  # `gone` was one of the two
    store.close()


def test_a_long_journal_is_not_read(home, record) -> None:
    store, now = Store.open(home), time.time()
    records = [record(call="first", at=now, session="early")]
    records += [record(call=str(number), at=now, session="busy") for number in range(MOST_READ)]
    append_records(store, records)
    assert [lane.session for lane in read_lanes(store, 0, 10)] == ["busy"]
    store.close()

"""What decisions rest on: kept once, known by its digest, gone with the events that name it."""

import time

import pytest

from synaptic.store import basis, journal, retention
from synaptic.store.basis import hash_text, seal_text
from synaptic.store.db import Store
from synaptic.store.record import SealedText

DAY = 24 * 3600.0


@pytest.fixture
def store(home):
    opened = Store.open(home)
    yield opened
    opened.close()


def count_texts(store: Store) -> int:
    return store.read(lambda connection: connection.execute("SELECT count(*) FROM basis").fetchone()[0])


def write(store: Store, record, at: float, *texts: SealedText, call: str) -> None:
    journal.append_records(store, [record(call=call, at=at, basis=texts)])


def test_a_text_is_kept_once_and_read_by_its_name(store: Store, record):
    text = seal_text(b'{"a": 1}')
    for number in range(3):
        write(store, record, time.time(), text, call=f"c{number}")
    assert count_texts(store) == 1
    assert basis.read_text(store, text.id) == text.value
    assert set(basis.read_basis_ids(store, 1, 3).values()) == {text.id}


def test_a_text_that_is_another_one_is_none(store: Store, record):
    text = seal_text(b'{"a": 1}')
    write(store, record, time.time(), text, call="c")
    store.write(lambda connection: connection.execute("UPDATE basis SET value = 'other'"))
    assert basis.read_text(store, text.id) is None
    assert basis.read_text(store, text.id + 1) is None


def test_the_name_is_that_of_the_text_without_its_secrets():
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    sealed = seal_text(f'{{"token": "{secret}"}}'.encode())
    assert secret.encode() not in sealed.value
    assert sealed.id == hash_text(sealed.value)
    assert 0 <= sealed.id < 2**63


def test_texts_go_with_their_events_and_not_before(store: Store, record):
    old, shared, new = (seal_text(f'"{name}"'.encode()) for name in ("old", "shared", "new"))
    now = time.time()
    write(store, record, now - 40 * DAY, old, shared, call="a")
    write(store, record, now - 39 * DAY, shared, call="b")
    write(store, record, now, new, shared, call="c")
    retention.prune_events(store, 30)
    assert basis.read_text(store, old.id) is None
    assert basis.read_text(store, shared.id) == shared.value
    assert basis.read_text(store, new.id) == new.value


def test_another_process_prunes_and_the_next_event_has_its_text_all_the_same(home, store: Store, record):
    text = seal_text(b'"text"')
    now = time.time()
    write(store, record, now - 50 * DAY, text, call="a")
    other = Store.open(home)
    retention.prune_events(other, 0)
    other.close()
    write(store, record, now, text, call="b")
    assert basis.read_text(store, text.id) == text.value


def test_a_transaction_that_fails_notes_nothing(store: Store, record, monkeypatch: pytest.MonkeyPatch):
    text = seal_text(b'"text"')

    def fail(*given: object) -> None:
        raise RuntimeError("in the middle of it")

    with monkeypatch.context() as broken:
        broken.setattr("synaptic.store.stops.record_stops", fail)
        with pytest.raises(RuntimeError):
            write(store, record, time.time(), text, call="a")
    assert count_texts(store) == 0
    write(store, record, time.time(), text, call="b")
    assert basis.read_text(store, text.id) == text.value


def test_a_clock_that_is_set_back_loses_nothing(store: Store, record):
    text = seal_text(b'"text"')
    write(store, record, time.time() + 400 * DAY, text, call="a")
    write(store, record, time.time(), text, call="b")
    retention.prune_events(store, 30)
    assert basis.read_text(store, text.id) == text.value

"""What decisions rest on: kept once, known by its digest, gone with the events that name it."""

import time

import pytest

from synaptic.store import basis, journal, retention
from synaptic.store.basis import hash_text, seal_clean, seal_text
from synaptic.store.db import Store
from synaptic.store.packed_texts import find_base
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


def test_what_a_page_rests_on_is_read_at_once_and_let_go(store: Store, record):
    texts = [seal_text(f'"{name}"'.encode()) for name in ("one", "two")]
    for number, text in enumerate(texts):
        write(store, record, time.time(), text, call=f"c{number}")
    with basis.read_ahead(store, [texts[0].id]):
        store.write(lambda connection: connection.execute("DELETE FROM basis"))
        assert [basis.read_text(store, text.id) for text in texts] == [texts[0].value, None]
    assert basis.read_text(store, texts[0].id) is None


def test_what_is_read_at_once_is_believed_only_under_its_name(store: Store, record):
    text = seal_text(b'{"a": 1}')
    write(store, record, time.time(), text, call="c")
    for other in (b"other", "a text", 7, b"x" * (basis.MOST_AHEAD + 1)):
        store.write(lambda connection, other=other: connection.execute("UPDATE basis SET value = ?", (other,)))
        with basis.read_ahead(store, [text.id]):
            assert basis.read_text(store, text.id) is None


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


def make_section(*items: int) -> SealedText:
    blocks = ",".join(f'{{"at":{number},"reason":"this would lose work in {number} files"}}' for number in items)
    return seal_clean(f'{{"blocks":[{blocks}]}}'.encode(), "project state/session:blocks")


def read_stored(store: Store) -> dict[int, bytes]:
    return dict(store.read(lambda connection: connection.execute("SELECT id, value FROM basis").fetchall()))


def test_a_section_that_grows_is_kept_as_what_is_new(store: Store, record):
    texts = [make_section(*range(number, number + 40)) for number in range(60)]
    now = time.time()
    for number, text in enumerate(texts):
        write(store, record, now + number, text, call=f"c{number}")
    assert [basis.read_text(store, text.id) for text in texts] == [text.value for text in texts]
    stored = read_stored(store)
    assert sum(map(len, stored.values())) < sum(len(text.value) for text in texts) / 8
    bases = {base for value in stored.values() if (base := find_base(value))}
    assert len(bases) > 1
    assert all(not find_base(stored[base]) for base in bases)  # never one that is made of another


def test_another_process_reads_it_and_begins_with_a_text_of_its_own(home, store: Store, record):
    texts = [make_section(*range(number, number + 40)) for number in range(6)]
    for number, text in enumerate(texts):
        write(store, record, time.time(), text, call=f"c{number}")
    other = Store.open(home)
    assert [basis.read_text(other, text.id) for text in texts] == [text.value for text in texts]
    assert find_base(read_stored(other)[texts[3].id])
    write(other, record, time.time(), texts[3], call="again")
    assert not find_base(read_stored(other)[texts[3].id])  # others may be made of it from now on
    other.close()
    assert [basis.read_text(store, text.id) for text in texts] == [text.value for text in texts]


def test_a_text_stays_while_one_that_is_made_of_it_does(home, record):
    first, second = make_section(*range(40)), make_section(*range(1, 41))
    now = time.time()
    store = Store.open(home)
    write(store, record, now - 50 * DAY, first, call="a")
    write(store, record, now - 50 * DAY + 60, second, call="b")
    store.close()
    store = Store.open(home)
    store.write(lambda connection: connection.execute("UPDATE basis SET at = ? WHERE id = ?", (now, second.id)))
    retention.prune_events(store, 30)
    assert basis.read_text(store, second.id) == second.value
    store.write(lambda connection: connection.execute("UPDATE basis SET at = 0"))
    retention.prune_events(store, 30)
    assert count_texts(store) == 0
    store.close()


def test_without_the_text_that_it_is_made_of_it_is_none(store: Store, record):
    first, second, third = (make_section(*range(number, number + 40)) for number in range(3))
    for text in (first, second, third):
        write(store, record, time.time(), text, call=str(text.id))
    store.write(lambda connection: connection.execute("DELETE FROM basis WHERE id = ?", (first.id,)))
    assert basis.read_text(store, second.id) is None
    swapped = {second.id: read_stored(store)[third.id]}
    store.write(
        lambda connection: connection.execute(
            "UPDATE basis SET value = ? WHERE id = ?", (swapped[second.id], second.id)
        )
    )
    assert basis.read_text(store, second.id) is None


def test_a_text_that_names_itself_or_goes_in_circles_is_none(store: Store, record):
    first, second, third = (make_section(*range(number, number + 40)) for number in range(3))
    for text in (first, second, third):
        write(store, record, time.time(), text, call=str(text.id))
    stored = read_stored(store)
    for id, base in ((second.id, second.id), (third.id, second.id)):
        forged = stored[id][:1] + b"%019d" % base + stored[id][20:]
        store.write(
            lambda connection, forged=forged, id=id: connection.execute(
                "UPDATE basis SET value = ? WHERE id = ?", (forged, id)
            )
        )
    assert basis.read_text(store, second.id) is None
    assert basis.read_text(store, third.id) is None


def test_a_base_whose_transaction_failed_is_no_base(store: Store, record, monkeypatch: pytest.MonkeyPatch):
    first, second = make_section(*range(40)), make_section(*range(1, 41))

    def fail(*given: object) -> None:
        raise RuntimeError("in the middle of it")

    with monkeypatch.context() as broken:
        broken.setattr("synaptic.store.stops.record_stops", fail)
        with pytest.raises(RuntimeError):
            write(store, record, time.time(), first, call="a")
    write(store, record, time.time(), second, call="b")
    assert basis.read_text(store, second.id) == second.value


def test_what_is_known_of_texts_is_bounded(store: Store, record, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(basis, "MAX_KNOWN", 10)
    monkeypatch.setattr(basis, "MAX_BASES", 3)
    texts = [seal_clean(f'["{number}"]'.encode() * 40, f"place {number}") for number in range(50)]
    for number, text in enumerate(texts):
        write(store, record, time.time(), text, call=f"c{number}")
    known = store.cache(basis._KnownTexts)
    assert len(known.since) <= 10
    assert len(known.bases) <= 3
    assert [basis.read_text(store, text.id) for text in texts] == [text.value for text in texts]


def test_what_a_text_names_is_read_with_it_and_believed_only_under_its_name(store: Store, record):
    named, forged = seal_text(b'{"b": 2}'), seal_text(b'{"c": 3}')
    text = seal_text(b'{"looks":[{"needs":%d,"texts":{"state":%d}}]}' % (named.id, forged.id))
    write(store, record, time.time(), text, named, forged, call="c")
    store.write(lambda connection: connection.execute("UPDATE basis SET value = x'7b7d' WHERE id = ?", (forged.id,)))
    with basis.read_ahead(store, [text.id]):
        store.write(lambda connection: connection.execute("DELETE FROM basis"))
        assert [basis.read_text(store, one.id) for one in (text, named, forged)] == [text.value, named.value, None]
    assert basis.read_text(store, named.id) is None


@pytest.mark.parametrize(
    "text", [b"[]", b'{"looks":7}', b'{"looks":[{"needs":"x"}]}', b'{"looks":' + b"[" * 9000, b"\xff"]
)
def test_a_text_that_names_nothing_that_can_be_read_keeps_nobody_from_reading_on(store: Store, record, text: bytes):
    odd, good = SealedText(hash_text(text), text), seal_text(b'{"a": 1}')
    write(store, record, time.time(), odd, good, call="c")
    with basis.read_ahead(store, [odd.id, good.id]):
        assert basis.read_text(store, good.id) == good.value
        assert basis.read_text(store, odd.id) == text

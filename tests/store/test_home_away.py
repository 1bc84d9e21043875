"""A home that is renamed or removed while its database is open."""

from synaptic.store import journal
from synaptic.store.db import Store


def test_a_home_that_is_away_is_not_made_again_and_is_used_when_it_is_back(home, record) -> None:
    store = Store.open(home)
    journal.append_records(store, [record()])
    away = home.root.with_name("away")
    home.root.rename(away)
    for _ in range(3):
        store.checkpoint()
    assert not home.root.exists()
    assert not store.durable
    away.rename(home.root)
    store.checkpoint()
    assert store.durable
    assert journal.append_records(store, [record()]) == 1
    store.close()
    again = Store.open(home)
    assert len(journal.read_entries_after(again, 0, 100)) == 2
    again.close()


def test_the_next_write_after_the_home_is_back_is_on_disk_with_what_was_kept_in_memory(home, record) -> None:
    store = Store.open(home)
    journal.append_records(store, [record(call="before")])
    away = home.root.with_name("away")
    home.root.rename(away)
    store.checkpoint()  # what upkeep does each second
    journal.append_records(store, [record(call="meanwhile")])
    assert not store.durable
    away.rename(home.root)
    journal.append_records(store, [record(call="after")])
    assert store.durable
    store.close()
    again = Store.open(home)
    assert [entry.call for entry in journal.read_entries_after(again, 0, 9)] == ["before", "meanwhile", "after"]
    again.close()

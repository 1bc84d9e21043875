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

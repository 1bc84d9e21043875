"""Trust is remembered by content, per project, and seen at once by everybody."""

from synaptic.store import journal, trust
from synaptic.store.db import Store
from synaptic.store.trust import Item


def test_trust_is_per_project_and_adds_up(store):
    trust.remember(store, "/a", [Item("d1", "run.sh")])
    trust.remember(store, "/a", [Item("d2", "check.sh"), Item("d1", "renamed.sh")])
    assert trust.trusted(store, "/a") == {"d1", "d2"}
    assert trust.trusted(store, "/b") == frozenset()
    assert [(found.label, found.digest) for found in trust.listing(store, "/a")] == [
        ("check.sh", "d2"),
        ("renamed.sh", "d1"),
    ]


def test_forget_takes_everything_of_one_project(store):
    trust.remember(store, "/a", [Item("d1", "x"), Item("d2", "y")])
    trust.remember(store, "/b", [Item("d1", "x")])
    assert trust.trusted(store, "/a")
    assert trust.forget(store, "/a") == 2
    assert trust.trusted(store, "/a") == frozenset()
    assert [found.root for found in trust.listing(store)] == ["/b"]


def test_what_another_process_decides_is_seen_at_the_next_look(home, store, record):
    other = Store.open(home)
    assert trust.trusted(store, "/a") == frozenset()
    trust.remember(other, "/a", [Item("d1", "x")])
    assert trust.trusted(store, "/a") == {"d1"}
    trust.forget(other, "/a")
    assert trust.trusted(store, "/a") == frozenset()
    other.close()


def test_it_is_read_once_while_nothing_changes(store, record):
    trust.remember(store, "/a", [Item("d1", "x")])
    first = trust.trusted(store, "/a")
    journal.append(store, [record()])
    assert trust.trusted(store, "/a") is first

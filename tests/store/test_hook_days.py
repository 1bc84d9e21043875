"""Hooks day by day, from what is counted."""

import time

from synaptic.store.db import Store
from synaptic.store.hook_days import list_counted_roots, read_hook_days

PUT = "INSERT INTO hook_counts (root, hook, day, calls, failures, spoke, micros, last) VALUES (?, ?, ?, ?, 1, 2, 0, ?)"


def fill(home) -> Store:
    store, now = Store.open(home), time.time()
    day = int(now // 86400)
    rows = [
        ("/a", "x", day, 5, now),
        ("/b", "x", day, 3, now + 1),
        ("/a", "x", day - 2, 7, now),
        ("/a", "x", day - 9, 9, now),
        ("/a", "x (would deny)", day - 1, 4, now),
        ("/a", "xy", day, 1, now),
        ("/a", "x", day + 3, 2, now),
        ("", "x", day, 1, now + 9),
    ]
    store.write(lambda connection: connection.executemany(PUT, rows))
    return store


def test_days_are_added_up_and_the_others_are_left_out(home) -> None:
    store = fill(home)
    found = read_hook_days(store, 3)
    assert [one.calls for one in found["x"]] == [7, 0, 9]
    assert [one.calls for one in read_hook_days(store, 3, root="/b")["x"]] == [0, 0, 3]
    assert set(found) == {"x", "x (would deny)", "xy"}
    store.close()


def test_one_hook_comes_with_its_shadow(home) -> None:
    store = fill(home)
    assert set(read_hook_days(store, 3, hook="x")) == {"x", "x (would deny)"}
    assert read_hook_days(store, 3, hook="%") == {}
    store.close()


def test_projects_the_newest_first(home) -> None:
    store = fill(home)
    assert list_counted_roots(store, 3, 9) == ("/b", "/a")
    assert list_counted_roots(store, 3, 1) == ("/b",)
    store.close()

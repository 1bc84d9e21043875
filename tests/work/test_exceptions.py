"""Exceptions in words, and which of them count in a project."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from synaptic.model.grant import Grant
from synaptic.model.home import Home
from synaptic.store.db import Store
from synaptic.store.grants import add_grants
from synaptic.work.exceptions import UNKNOWN_TEXT, describe_exceptions, format_exceptions, list_in_force


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store.open(Home(tmp_path / "home"))
    yield store
    store.close()


def grant(name: str, **more: object) -> Grant:
    values = {"at": 1_700_000_000.0, "policy": "git.reset-hard", "options": "o", "fingerprint": "f", "root": "/p"}
    return Grant(**{"id": name, **values, **more})  # type: ignore[arg-type]


def test_those_of_the_project_and_of_everywhere_count_while_they_are_in_force(store: Store) -> None:
    over = {"revoked": 1.0}, {"expires": 1.0}, {"used_by": "c1"}
    counting = grant("a"), grant("b", root="", scope="always"), grant("c", expires=time.time() + 60, scope="until")
    add_grants(store, (*counting, grant("d", root="/q"), *(grant(f"o{n}", **more) for n, more in enumerate(over))))
    assert {one.grant.id for one in list_in_force(store, "/p")} == {"a", "b", "c"}
    assert {one.grant.id for one in list_in_force(store, "/q")} == {"b", "d"}
    assert format_exceptions(1).startswith("1 exception in force")
    assert format_exceptions(3).startswith("3 exceptions in force")


def test_scope_person_and_reason_are_told(store: Store) -> None:
    add_grants(
        store,
        (
            grant("a", granted_by="tom at a terminal", because="the branch is mine"),
            grant("b", scope="here", like="git push *", revoked=1_700_000_100.0),
        ),
    )
    found = describe_exceptions(store, ("a", "b", "gone"))
    assert "lifts git.reset-hard once, made by tom at a terminal 2023-11-1" in found["a"]
    assert found["a"].endswith("because: the branch is mine")
    assert "in this project for all like `git push *`" in found["b"] and "taken back 2023-11-1" in found["b"]
    assert found["gone"] == UNKNOWN_TEXT
    assert describe_exceptions(store, ()) == {}


def test_a_row_that_was_changed_on_disk_says_nothing_about_itself(store: Store) -> None:
    add_grants(store, (grant("a", because="true"),))
    store.write(lambda connection: connection.execute("UPDATE grants SET value = replace(value, 'true', 'fake')"))
    assert describe_exceptions(store, ("a",)) == {"a": UNKNOWN_TEXT}
    assert list_in_force(store, "/p") == ()

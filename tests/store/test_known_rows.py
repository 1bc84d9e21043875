"""What a process knows of the state is written again where a file has lost it, and never over something newer."""

import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from synaptic.model.decision import Decision
from synaptic.model.errors import StoreError
from synaptic.model.home import Home
from synaptic.model.state import Change
from synaptic.store import journal, state
from synaptic.store.connection import Connection
from synaptic.store.db import Store
from synaptic.store.known_rows import MAX_ROWS, KnownRows
from tests.store.conftest import make_record

OWNER = state.SectionOwner("/p", "s")
NAME = "session:refusals"


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[tuple[Store, Store]]:
    """The same database, in two processes as it were."""
    found = Store.open(Home(tmp_path)), Store.open(Home(tmp_path))
    yield found
    for store in found:
        store.close()


def refuse(store: Store, call: str, *more: Change) -> None:
    effects = (Change(section=NAME, add={"git.force-push": 1}), *more)
    journal.append_records(store, [make_record(call=call, session="s", root="/p", decision=Decision(effects=effects))])


def count(store: Store) -> float:
    return state.read_state(store, OWNER, [NAME]).read_number(NAME, "git.force-push")


def restore(store: Store) -> None:
    """As every repair does, and the first checkpoint after a process has opened the file."""
    store.write(store.recent.restore)


def test_what_another_process_counted_stays_when_its_clock_is_behind(
    stores: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Law: an answered increment is not undone by a repair, whatever the clocks say."""
    ahead, behind = stores
    refuse(ahead, "a")
    assert count(ahead) == 1
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now - 3600)
    refuse(behind, "b")
    refuse(behind, "c")
    restore(ahead)
    assert count(ahead) == count(behind) == 3


def test_the_first_checkpoint_after_a_clock_was_set_back_keeps_what_was_counted_since(
    stores: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    daemon, fallback = stores
    refuse(fallback, "a")
    assert count(daemon) == 1
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now - 3600)
    refuse(fallback, "b")
    daemon.checkpoint()
    daemon.checkpoint()
    assert count(daemon) == count(fallback) == 2


def test_what_was_read_before_another_process_wrote_is_the_older(
    stores: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that stands still between reading a row and looking at the clock knows nothing newer by that."""
    reader, writer = stores
    refuse(writer, "a")
    verify = state._verify_value
    wait = iter((lambda: refuse(writer, "b"),))

    def verify_late(*row: object) -> object:
        found = verify(*row)
        for write in wait:
            write()
        return found

    monkeypatch.setattr(state, "_verify_value", verify_late)
    count(reader)
    restore(reader)
    assert count(reader) == count(writer) == 2


def test_what_was_rolled_back_is_not_written_by_a_repair(stores: tuple[Store, Store]) -> None:
    store, other = stores
    refuse(store, "a")
    with pytest.raises(ValueError, match="project:NAME"):
        refuse(store, "b", Change(section="no scope"))
    restore(store)
    assert count(store) == count(other) == 1


def test_a_write_that_is_tried_again_after_a_repair_counts_once(stores: tuple[Store, Store]) -> None:
    store, other = stores
    refuse(store, "a")
    tries = iter((fail_as_damaged, lambda connection: None))

    def work(connection: Connection) -> None:
        add_one(store, connection)
        next(tries)(connection)

    state.write_changes(store, work)
    assert count(store) == count(other) == 2


def add_one(store: Store, connection: Connection) -> None:
    effects = (Change(section=NAME, add={"git.force-push": 1}),)
    record = make_record(session="s", root="/p", decision=Decision(effects=effects))
    state.record_changes(connection, store, record)


def fail_as_damaged(connection: Connection) -> None:
    error = sqlite3.DatabaseError("database disk image is malformed")
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    raise error


def lose_everything(store: Store, sql: str = "DELETE FROM state") -> None:
    with sqlite3.connect(store.path) as other:
        other.execute(sql)
    other.close()


def test_what_a_person_has_set_is_written_again_too(stores: tuple[Store, Store]) -> None:
    store, other = stores
    state.write_change(store, OWNER, Change(section="project:safemode", put={"active": True}))
    lose_everything(store)
    restore(store)
    assert state.read_state(other, OWNER, ["project:safemode"]).read_flag("project:safemode", "active")


@pytest.mark.parametrize("sql", ["DELETE FROM state", "UPDATE state SET value = '{}'", "UPDATE state SET at = 1"])
def test_rows_that_are_gone_changed_or_older_are_written_again(stores: tuple[Store, Store], sql: str) -> None:
    store, other = stores
    refuse(store, "a")
    refuse(store, "b")
    lose_everything(store, sql)
    restore(store)
    assert count(store) == count(other) == 2


def test_two_genuine_rows_with_one_number_stay_as_the_file_has_them(stores: tuple[Store, Store]) -> None:
    """Where bits of the number itself were changed nobody can say which is newer; the file's one was answered last."""
    store, other = stores
    refuse(store, "a")
    lose_everything(store, "UPDATE state SET at = 1e300")
    assert count(store) == 1
    refuse(other, "b")
    restore(store)
    assert count(store) == count(other) == 2


def test_what_is_counted_in_memory_is_not_known_of_the_disk(tmp_path: Path) -> None:
    store = Store.open_in_memory(Home(tmp_path), StoreError("a test"))
    refuse(store, "a")
    assert count(store) == 1
    assert not list(store.cache(state._SectionCache).rows.list_genuine())
    store.close()


def test_a_row_is_seen_once_its_transaction_is_through() -> None:
    rows = KnownRows()
    first = rows.begin()
    rows.note_written(("s", NAME), (b"1", b"m", 1.0), {"x": 1})
    assert rows.find(("s", NAME), (b"1", b"m", 1.0))
    assert not list(rows.list_genuine())
    second = rows.begin()
    rows.note_written(("s", NAME), (b"2", b"m", 2.0), {"x": 2})
    rows.keep(second)
    assert list(rows.list_genuine()) == [(("s", NAME), (b"2", b"m", 2.0))]
    assert first is not second


def test_rows_are_bounded() -> None:
    rows = KnownRows()
    for number in range(3 * MAX_ROWS):
        rows.note_seen((str(number), NAME), (b"1", b"m", 1.0), {})
    assert len(list(rows.list_genuine())) <= MAX_ROWS + 1

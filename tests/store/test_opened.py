"""Repairs that fail half-way: the next call goes on with them, and nothing that was answered is lost."""

import os
import shutil
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from synaptic.files.lock import hold_lock
from synaptic.model import sane
from synaptic.model.decision import Decision
from synaptic.model.errors import StoreError
from synaptic.model.state import Change
from synaptic.store import connection, damage, integrity, journal, losses, opened, state
from synaptic.store.db import Store
from synaptic.store.state import SectionOwner
from tests.store.test_integrity import age_file, flip_bytes, list_calls, locate_log, make_error, write_some

PROJECT = SectionOwner("/project")


def make_failure(record):
    change = Change(section=sane.CIRCUIT_BREAKER, add={"failures": 1})
    return record(decision=Decision(effects=(change,)))


def count_failures(store) -> object:
    return sane.read_section(state.read_state(store, PROJECT, [sane.CIRCUIT_BREAKER]), sane.CIRCUIT_BREAKER)["failures"]


def make_trouble(code: int) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("database is locked")
    error.sqlite_errorcode = code
    return error


class FailingTimes:
    """A function that fails some times before it works."""

    def __init__(self, function, times: int, code: int = sqlite3.SQLITE_BUSY) -> None:
        self.function, self.times, self.code = function, times, code

    def __call__(self, *given):
        if self.times:
            self.times -= 1
            raise make_trouble(self.code)
        return self.function(*given)


def delete_log(home) -> None:
    locate_log(home).unlink()


def delete_all(home) -> None:
    for suffix in ("", "-wal", "-shm"):
        Path(f"{home.database}{suffix}").unlink()


def replace_by_copy(home) -> None:
    copy = home.database.with_name("copy.db")
    shutil.copy(home.database, copy)
    delete_all(home)
    copy.rename(home.database)


def change_log(home) -> None:
    flip_bytes(locate_log(home), 20_000)


def change_log_without_index(home) -> None:
    Path(f"{home.database}-shm").unlink()
    flip_bytes(locate_log(home), 20_000)


def cut_log_without_index(home) -> None:
    Path(f"{home.database}-shm").unlink()
    os.truncate(locate_log(home), 0)
    age_file(locate_log(home))


REPAIRS = [delete_log, delete_all, replace_by_copy, change_log, change_log_without_index, cut_log_without_index]


def write_patiently(store, record) -> str:
    """One event, written again by its caller until it is there."""
    written = make_failure(record)
    for _ in range(100):
        try:
            journal.append_records(store, [written])
        except StoreError:
            time.sleep(0.02)
            continue
        return written.call
    raise AssertionError("it is never written")


@pytest.mark.parametrize("spoil", REPAIRS)
@pytest.mark.parametrize("failing", ["open_connection", "run_transaction"])
@pytest.mark.parametrize("times", [0, 1, 3])
def test_a_lock_in_the_middle_of_a_repair_costs_no_answered_event(
    home, store, record, monkeypatch, spoil, failing, times
):
    """The connection is closed by then: it is opened by the next call, and what was answered is written again."""
    before = [write_patiently(store, record) for _ in range(30)]
    spoil(home)
    monkeypatch.setattr(opened, failing, FailingTimes(getattr(connection, failing), times))
    after = [write_patiently(store, record) for _ in range(3)]
    monkeypatch.undo()
    assert (store.durable, store._unfinished) == (True, [])
    assert list_calls(home) == [*before, *after]
    assert len(store.notices) == len(store.read(losses.list_losses)) == 1
    if spoil is not replace_by_copy:
        assert count_failures(store) == 33


def test_a_call_that_meets_the_lock_says_so_and_a_read_opens_the_file_again(home, store, record, monkeypatch):
    before = write_some(store, record, 5)
    delete_log(home)
    monkeypatch.setattr(opened, "open_connection", FailingTimes(connection.open_connection, 1))
    with pytest.raises(StoreError, match="locked"):
        journal.append_records(store, [record()])
    assert [entry.call for entry in journal.read_entries_after(store, 0, 50)] == before
    assert store.durable


def test_an_event_that_went_into_a_log_without_a_name_is_written_again(home, store, record, monkeypatch):
    """Noticed right after its commit, when its caller does not keep it yet, and while the file cannot be opened."""
    before = write_some(store, record, 5)
    monkeypatch.setattr(store._watch, "look", lambda: integrity.Doubt.NONE)
    monkeypatch.setattr(opened.OpenedDatabase, "_save_log", lambda store: True)
    monkeypatch.setattr(opened, "open_connection", FailingTimes(connection.open_connection, 1))
    delete_log(home)
    before += write_some(store, record)
    monkeypatch.undo()
    before += write_some(store, record)
    assert list_calls(home) == before


def test_a_moment_of_read_errors_and_then_a_lock_leave_a_usable_store(home, store, record, monkeypatch):
    """S3-016: the work fails as damaged twice, the database is sound, and it cannot be opened again at once."""
    before = write_some(store, record, 5)
    monkeypatch.setattr(opened, "CONFIRM_PAUSES", (0.0,))
    monkeypatch.setattr(opened, "open_connection", FailingTimes(connection.open_connection, 1))
    left = [2]

    def work(connection):
        if left[0]:
            left[0] -= 1
            raise make_error()
        return connection.execute("SELECT count(*) FROM events").fetchone()[0]

    with pytest.raises(StoreError, match="locked"):
        store.read(work)
    assert store.read(work) == 5
    after = write_some(store, record, 2)
    assert list_calls(home) == [*before, *after]
    assert store.notices == []


@pytest.mark.parametrize("spoil", REPAIRS)
def test_a_disk_that_is_full_in_the_middle_of_a_repair_loses_nothing_once_there_is_room(
    home, store, record, monkeypatch, spoil
):
    before = [write_patiently(store, record) for _ in range(30)]
    spoil(home)
    full = FailingTimes(connection.run_transaction, 2, sqlite3.SQLITE_FULL)
    monkeypatch.setattr(opened, "run_transaction", full)
    after = [write_patiently(store, record) for _ in range(3)]
    store.checkpoint()
    store.checkpoint()
    assert store.durable
    assert sorted(list_calls(home)) == sorted([*before, *after])


def test_what_is_left_of_a_repair_is_done_when_the_store_is_closed(home, record, monkeypatch):
    store = Store.open(home)
    before = write_some(store, record, 5)
    delete_all(home)
    monkeypatch.setattr(opened, "run_transaction", FailingTimes(connection.run_transaction, 1))
    with pytest.raises(StoreError):
        journal.append_records(store, [record()])
    store.close()
    assert list_calls(home) == before


def test_a_closed_store_is_not_opened_again(home, record):
    store = Store.open(home)
    store.close()
    for _ in range(2):
        with pytest.raises(StoreError, match="closed"):
            journal.append_records(store, [record()])
        with pytest.raises(StoreError, match="closed"):
            journal.count_events(store)
        store.checkpoint()
        store.close()
    assert not locate_log(home).exists()


WRITER = """
import sys, time
from pathlib import Path
from synaptic.model.errors import StoreError
from synaptic.model.home import Home
from synaptic.store import journal
from synaptic.store.db import Store
from synaptic.store.record import EventRecord

def write(call):
    for _ in range(100):
        try:
            journal.append_records(store, [EventRecord(call=call, at=1, agent="a", event="e")])
            return "written"
        except StoreError:
            time.sleep(0.05)

store = Store.open(Home(Path(sys.argv[1])))
for line in sys.stdin:
    print(write(line.strip()), flush=True)
store.close()
"""


class OtherProcess:
    """A process with the database open that writes what it is told."""

    def __init__(self, home) -> None:
        command = [sys.executable, "-c", WRITER, str(home.root)]
        self._child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def write(self, call: str) -> str:
        print(call, file=self._child.stdin, flush=True)
        assert self._child.stdout.readline() == "written\n"
        return call

    def close(self) -> None:
        self._child.stdin.close()
        assert self._child.wait(60) == 0
        self._child.stdout.close()


def drop_all_locks(home) -> None:
    """What one careless `open` and `close` in this process does."""
    for suffix in ("", "-shm"):
        os.close(os.open(f"{home.database}{suffix}", os.O_RDONLY))


def test_a_log_that_others_have_begun_after_they_deleted_ours_is_not_set_aside(home, store, record):
    """The last of the others closes and deletes the log; the next one begins a new one and works with it."""
    before = write_some(store, record, 5)
    drop_all_locks(home)
    first = OtherProcess(home)
    before.append(first.write("first"))
    first.close()
    assert not locate_log(home).exists()
    second = OtherProcess(home)
    before.append(second.write("second"))
    after = write_some(store, record, 2)
    after.append(second.write("third"))
    after += write_some(store, record, 2)
    second.close()
    assert list_calls(home) == [*before, *after]
    assert not list(home.root.glob("*.damaged-*"))
    assert store.read(lambda connection: connection.execute("PRAGMA quick_check").fetchone()) == ("ok",)


def write_garbage(home) -> None:
    with home.database.open("r+b") as file:
        file.write(os.urandom(30_000))
    age_file(home.database)


@pytest.mark.parametrize("spoil", [delete_all, write_garbage])
def test_processes_that_repair_at_the_same_time_lose_nothing(home, store, record, spoil):
    others = [OtherProcess(home) for _ in range(3)]
    expected = set(write_some(store, record, 30))
    expected.update(other.write(f"before-{number}") for number, other in enumerate(others))
    if spoil is write_garbage:
        store.checkpoint()
    spoil(home)
    with ThreadPoolExecutor(len(others)) as pool:
        for turn in range(3):
            calls = [f"after-{turn}-{number}" for number in range(len(others))]
            expected.update(pool.map(lambda other, call: other.write(call), others, calls))
            expected.add(write_patiently(store, record))
    for other in others:
        other.close()
    calls = list_calls(home)
    assert len(calls) == len(set(calls))
    assert set(calls) == expected
    assert integrity.examine_database(str(home.database)) is integrity.Soundness.SOUND


def test_somebody_who_keeps_the_lock_of_repairs_stops_nobody_for_good(home, store, record, monkeypatch):
    """As a process that was stopped in the middle of one."""
    before = write_some(store, record, 5)
    monkeypatch.setattr(damage, "LOCK_SECONDS", 0.1)
    with hold_lock(home.database.with_name(f"{home.database.name}.lock")):
        delete_all(home)
        with pytest.raises(StoreError, match="locked"):
            journal.append_records(store, [record()])
    after = write_some(store, record)
    assert list_calls(home) == [*before, *after]


class Killed(Exception):
    """Stands for the end of the process."""


def rename_in_schema(home, old: bytes, new: bytes) -> None:
    """Other bits in a name of the schema: SQLite reads another name, or one that Python cannot decode."""
    content = home.database.read_bytes()
    assert old in content
    home.database.write_bytes(content.replace(old, new))
    age_file(home.database)


NAMES = [(b"    micros", b"    mi\xf4ros"), (b"    micros", b"    nicros")]


@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("is_open", [False, True])
def test_other_bits_in_the_names_of_the_schema_are_damage_and_stop_no_repair(home, record, monkeypatch, names, is_open):
    """S3-016: pages are sound then. All that the tables hold is carried over, and the next event is written."""
    monkeypatch.setattr(opened, "CONFIRM_PAUSES", (0.0,))
    store = Store.open(home)
    before = [write_patiently(store, record) for _ in range(100)]
    if is_open:
        store.checkpoint()
        rename_in_schema(home, *names)
        store.checkpoint()
    else:
        store.close()
        rename_in_schema(home, *names)
        store = Store.open(home)
    after = write_some(store, record, 3)
    store.checkpoint()
    assert store.durable
    assert integrity.examine_database(str(home.database)) is integrity.Soundness.SOUND
    assert list_calls(home) == [*before, *after]
    assert damage.list_damaged(home.database)
    store.close()


def spoil_start(home, store) -> None:
    store.checkpoint()
    with home.database.open("r+b") as file:
        file.write(os.urandom(4096))
    age_file(home.database)


def test_nobody_ever_reads_a_successor_without_what_was_answered(home, store, record, monkeypatch):
    """Whoever opens it in the moment in which it gets the name finds all events and the tripped breaker."""
    before = [write_patiently(store, record) for _ in range(30)]
    spoil_start(home, store)
    seen: list[list[str]] = []
    start = opened.OpenedDatabase._start_successor

    def look_first(self, describe) -> None:
        seen.append(list_calls(home))
        start(self, describe)

    monkeypatch.setattr(opened.OpenedDatabase, "_start_successor", look_first)
    store.checkpoint()
    assert seen == [before]
    assert count_failures(store) == 30


def test_a_repair_that_was_killed_before_the_successor_had_the_name_is_finished_by_the_next_process(
    home, store, record, monkeypatch
):
    before = [write_patiently(store, record) for _ in range(30)]
    spoil_start(home, store)

    def end_here(self) -> None:
        raise Killed

    monkeypatch.setattr(opened.OpenedDatabase, "_close_connection", end_here)
    with pytest.raises(Killed):
        store.checkpoint()
    monkeypatch.undo()
    assert not home.database.exists()
    assert list_calls(home) == before
    assert not damage.locate_ready(home.database).exists()
    fresh = Store.open(home)
    assert fresh.read(losses.list_losses)
    fresh.close()


def test_a_database_that_another_process_has_put_in_place_is_not_replaced_by_an_older_one(home, store, record):
    """The name was missing when it was looked at, and the other one had the lock."""
    before = write_some(store, record, 5)
    copy = home.database.with_name("copy.db")
    store.run_separately(lambda connection: connection.execute("VACUUM INTO ?", (str(copy),)))
    delete_all(home)
    with ThreadPoolExecutor(1) as pool, hold_lock(home.database.with_name(f"{home.database.name}.lock")):
        writing = pool.submit(write_some, store, record)
        time.sleep(0.3)  # it waits for the lock, or has not begun: both are sound
        copy.rename(home.database)
        other = Store.open(home)
        theirs = write_some(other, record)
        other.close()
    assert set(list_calls(home)) == {*before, *theirs, *writing.result(60)}

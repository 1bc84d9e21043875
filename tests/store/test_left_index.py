"""Homes as a killed process leaves them, and what somebody did to their files before the next one opens them."""

import os
import shutil
import sqlite3
import time
from pathlib import Path

import pytest

from synaptic.model import sane
from synaptic.model.decision import Decision
from synaptic.model.home import Home
from synaptic.model.state import Change
from synaptic.store import journal, losses, opened, salvage, state
from synaptic.store.db import Store
from synaptic.store.integrity import Soundness, examine_database
from synaptic.store.left_index import read_index
from synaptic.store.state import SectionOwner

PROJECT = SectionOwner("/project")


def trip_breaker(store, record) -> None:
    change = Change(section=sane.CIRCUIT_BREAKER, add={"failures": 1}, put={"tripped": True})
    assert journal.append_records(store, [record(decision=Decision(effects=(change,)))]) == 1


def read_breaker(store) -> dict[str, object]:
    return sane.read_section(state.read_state(store, PROJECT, [sane.CIRCUIT_BREAKER]), sane.CIRCUIT_BREAKER)


def is_tripped(store) -> object:
    return read_breaker(store)["tripped"]


def locate(home: Home, suffix: str) -> Path:
    return Path(f"{home.database}{suffix}")


@pytest.fixture
def left(home, record, tmp_path) -> Home:
    """The files of a process that was killed after it had tripped a breaker: the database has it as not tripped."""
    store = Store.open(home)
    state.revise_section(store, PROJECT, sane.CIRCUIT_BREAKER, lambda found: {"failures": 0, "tripped": False})
    store.checkpoint()
    trip_breaker(store, record)
    killed = Home(tmp_path / "killed")
    shutil.copytree(home.root, killed.root)
    store.close()
    return killed


def remove_log(home: Home) -> None:
    locate(home, "-wal").unlink()


def cut_log(home: Home) -> None:
    os.truncate(locate(home, "-wal"), 2200)  # behind the first of its pages


def empty_log(home: Home) -> None:
    os.truncate(locate(home, "-wal"), 0)


def change_log(home: Home) -> None:
    with locate(home, "-wal").open("r+b") as file:
        file.write(bytes(32))


def remove_database(home: Home) -> None:
    for suffix in ("", "-wal", "-shm"):
        locate(home, suffix).unlink()


def empty_database(home: Home) -> None:
    os.truncate(home.database, 0)


@pytest.mark.parametrize("spoil", [remove_log, cut_log, empty_log, change_log, remove_database, empty_database])
def test_a_tripped_breaker_stays_tripped_whatever_is_done_while_nobody_runs(left, spoil):
    spoil(left)
    store = Store.open(left)
    assert is_tripped(store) is True
    assert any(left.database.name in what for what in store.write(losses.take_untold))
    store.close()
    again = Store.open(left)
    assert is_tripped(again) is True
    state.revise_section(again, PROJECT, sane.CIRCUIT_BREAKER, lambda found: {"tripped": False})
    assert is_tripped(again) is False
    again.close()


def test_what_a_killed_process_left_whole_is_read_without_a_word(left):
    store = Store.open(left)
    assert is_tripped(store) is True
    assert store.has_lost_state is False
    assert store.read(losses.list_losses) == ()
    store.close()


def test_a_missing_index_is_made_again_without_a_word(left):
    locate(left, "-shm").unlink()
    store = Store.open(left)
    assert (is_tripped(store), store.has_lost_state) == (True, False)
    store.close()


def test_a_log_that_was_moved_into_the_database_may_go(home, record, tmp_path):
    store = Store.open(home)
    trip_breaker(store, record)
    store.checkpoint()
    killed = Home(tmp_path / "killed")
    shutil.copytree(home.root, killed.root)
    store.close()
    remove_log(killed)
    fresh = Store.open(killed)
    assert (is_tripped(fresh), fresh.has_lost_state) == (True, False)
    fresh.close()


def test_what_is_left_of_a_log_that_was_moved_does_not_hide_newer_pages(home, record, tmp_path):
    store = Store.open(home)
    for _ in range(30):
        trip_breaker(store, record)
    store.checkpoint()
    killed = Home(tmp_path / "killed")
    shutil.copytree(home.root, killed.root)
    store.close()
    os.truncate(locate(killed, "-wal"), locate(killed, "-wal").stat().st_size // 3)
    fresh = Store.open(killed)
    assert len(journal.read_entries_after(fresh, 0, 100)) == 30
    assert (read_breaker(fresh)["failures"], fresh.has_lost_state) == (30, False)
    assert "its log was" in fresh.read(losses.list_losses)[0].what
    assert examine_database(str(killed.database)) is Soundness.SOUND
    fresh.close()


def test_nothing_is_said_of_a_log_from_before_the_machine_was_started(left):
    """Commits are not synced one by one: a power failure may take the last of them, and nobody did that."""
    os.utime(locate(left, "-shm"), (1.0, 1.0))
    handle = os.open(locate(left, "-shm"), os.O_RDONLY)
    assert read_index(handle) is None
    os.close(handle)


def test_a_new_home_has_lost_nothing(home):
    store, other = Store.open(home), Store.open(home)
    assert is_tripped(store) is False
    assert (store.has_lost_state, other.has_lost_state) == (False, False)
    store.close()
    other.close()


def test_a_state_that_cannot_be_opened_relaxes_nothing_and_is_as_before_afterwards(left):
    keep = left.database.with_name("kept")
    left.database.rename(keep)
    left.database.mkdir()
    store = Store.open(left)
    assert (store.durable, is_tripped(store)) == (False, True)
    left.database.rmdir()
    keep.rename(left.database)
    store.checkpoint()
    assert (store.durable, store.has_lost_state, is_tripped(store)) == (True, False, True)
    store.close()


def test_no_key_is_made_beside_a_database_in_memory(home):
    """A key without a database means that one was lost."""
    home.database.mkdir(parents=True)
    store = Store.open(home)
    assert is_tripped(store) is False
    assert not (home.root / losses.KEY_NAME).exists()
    store.close()


def test_rows_of_state_that_a_damaged_page_hides_are_missed_at_opening(home, record, monkeypatch):
    """A page that counts fewer rows than it has fails nowhere: its rows are just not found."""
    monkeypatch.setattr(opened, "CONFIRM_PAUSES", (0.0,))
    store = Store.open(home)
    trip_breaker(store, record)
    store.close()
    with sqlite3.connect(home.database) as connection:
        size = connection.execute("PRAGMA page_size").fetchone()[0]
        root = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'state'").fetchone()[0]
    connection.close()
    with home.database.open("r+b") as file:
        file.seek((root - 1) * size + 3)
        file.write(bytes(2))
    fresh = Store.open(home)
    assert is_tripped(fresh) is True
    assert fresh.has_lost_state is True
    fresh.close()


def test_a_loss_that_another_process_tells_holds_here_too(home):
    """One of two that start at once repairs the file; the other may have opened it before the loss was written."""
    store, other = Store.open(home), Store.open(home)
    assert is_tripped(store) is False
    other.write(lambda connection: losses.record_loss(connection, losses.Loss("lost", state_lost=True)))
    assert is_tripped(store) is True
    store.close()
    other.close()


def test_a_successor_without_its_state_says_so_before_it_has_the_name(home, tmp_path):
    """Who was killed right after it put it there has told nobody."""
    damaged, successor = tmp_path / "damaged.db", home.database
    damaged.write_bytes(os.urandom(20_000))
    salvage.build_successor(damaged, successor, lambda _: 0)
    store = Store.open(home)
    assert is_tripped(store) is True
    store.close()


@pytest.mark.parametrize("later", [0, 3])
def test_pages_of_a_killed_process_that_are_damaged_in_use_relax_nothing(left, record, later):
    """The one that uses the log now can write again only what it has written itself."""
    store = Store.open(left)
    for _ in range(later):
        assert journal.append_records(store, [record()]) == 1
    flip_byte(locate(left, "-wal"), 2200)  # in its first page or the second
    assert journal.append_records(store, [record()]) == 1
    assert is_tripped(store), store.notices
    assert any("may be missing" in notice for notice in store.notices)
    store.close()


def test_pages_of_a_killed_process_that_were_moved_are_not_missed(left, record):
    store = Store.open(left)
    store.checkpoint()
    assert journal.append_records(store, [record()]) == 1
    flip_byte(locate(left, "-wal"), 2200)
    assert journal.append_records(store, [record()]) == 1
    assert read_breaker(store)["failures"] == 1
    assert not store.has_lost_state
    store.close()


def test_what_another_process_has_written_meanwhile_is_missed_as_well(left, record):
    store = Store.open(left)
    state.revise_section(store, PROJECT, sane.CIRCUIT_BREAKER, lambda found: {"failures": 0, "tripped": False})
    store.checkpoint()
    other = Store.open(left)
    trip_breaker(other, record)
    time.sleep(0.02)  # a log that was looked at a moment ago is not looked at again
    assert journal.append_records(store, [record()]) == 1
    flip_byte(locate(left, "-wal"), 2200)
    other.recent._writes.clear()  # it is killed here: nobody writes it again
    assert journal.append_records(store, [record()]) == 1
    assert is_tripped(store), store.notices
    assert any("may be missing" in notice for notice in store.notices), store.notices
    store.close()


def flip_byte(path: Path, place: int) -> None:
    time.sleep(0.01)  # clocks of files stand still for some milliseconds
    with path.open("r+b") as file:
        file.seek(place)
        old = file.read(1)[0]
        file.seek(place)
        file.write(bytes([old ^ 1]))

"""A damaged database is moved aside by one process; work goes on with a fresh one."""

import os
import random
from pathlib import Path

import pytest

from synaptic.store import damage, journal, trust
from synaptic.store.db import Store


def filled(home, record, rows=300) -> None:
    store = Store.open(home)
    journal.append_records(store, [record(payload="y" * 1000) for _ in range(rows)])
    store.close()


def check_fresh(store, home, record) -> None:
    written = record()
    assert journal.append_records(store, [written]) == 1
    assert journal.find_entry(store, written.call) is not None
    assert len(damage.list_damaged(home.database)) == 1
    assert any("was damaged" in notice and "damaged-" in notice for notice in store.notices)


def test_random_bytes_are_moved_aside_at_open(home, record):
    home.root.mkdir(parents=True)
    noise = random.Random(1).randbytes(50_000)
    home.database.write_bytes(noise)
    store = Store.open(home)
    check_fresh(store, home, record)
    assert damage.list_damaged(home.database)[0].read_bytes() == noise
    store.close()


@pytest.mark.parametrize("size", [100, 2048, 5000, 100_000])
def test_a_truncated_file_never_stops_the_journal(home, record, size):
    filled(home, record)
    os.truncate(home.database, size)
    store = Store.open(home)
    journal.append_records(store, [record()])
    journal.read_last_entries(store, 500)
    check_fresh(store, home, record)
    store.close()


def test_pages_overwritten_while_open_are_noticed_at_the_next_use(home, record):
    filled(home, record)
    store = Store.open(home)
    trust.remember_trust(store, "/p", [trust.TrustedContent("d", "x")])
    store.checkpoint()
    with home.database.open("r+b") as file:
        file.seek(0)
        file.write(os.urandom(home.database.stat().st_size))
    other = Store.open(home)
    journal.append_records(store, [record()])
    journal.append_records(other, [record()])
    assert len(damage.list_damaged(home.database)) == 1
    assert journal.count_events(store) == journal.count_events(other) >= 1
    assert trust.read_trusted_digests(store, "/p") == frozenset()
    assert store.notices or other.notices
    store.close()
    other.close()


def test_deleted_while_open_is_put_back(home, record):
    store = Store.open(home)
    journal.append_records(store, [record()])
    for file in home.root.glob("synaptic.db*"):
        file.unlink()
    kept = record()
    assert journal.append_records(store, [kept]) == 1
    assert "deleted" in store.notices[0]
    other = Store.open(home)
    assert journal.find_entry(other, kept.call) is not None
    assert journal.count_events(other) == 2
    store.close()
    other.close()


def test_deleted_without_its_log_is_put_back_and_the_log_is_not_replayed_into_it(home, record):
    store = Store.open(home)
    journal.append_records(store, [record() for _ in range(20)])
    home.database.unlink()
    assert journal.append_records(store, [record()]) == 1
    assert journal.count_events(store) == 21
    assert store.read(lambda connection: connection.execute("PRAGMA quick_check").fetchone()) == ("ok",)
    store.close()


def test_what_another_process_moved_aside_is_not_moved_again(home, record):
    filled(home, record)
    seen = damage.read_inode(home.database)
    with damage.lock_database(home.database):
        assert damage.set_database_aside(home.database, seen) is not None
    Store.open(home).close()
    with damage.lock_database(home.database):
        assert damage.set_database_aside(home.database, seen) is None
    assert home.database.exists()


def test_the_log_moves_with_its_database(tmp_path):
    path = tmp_path / "synaptic.db"
    for suffix in damage.DATABASE_SUFFIXES:
        Path(f"{path}{suffix}").write_text(suffix or "db")
    first = damage.set_database_aside(path, damage.read_inode(path))
    path.write_text("again")
    second = damage.set_database_aside(path, damage.read_inode(path))
    assert Path(f"{first}-wal").read_text() == "-wal"
    assert set(damage.list_damaged(path)) == {first, second}
    assert first.name.startswith("synaptic.db.damaged-")

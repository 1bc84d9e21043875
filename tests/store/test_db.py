"""Opening, upgrading and sharing the database."""

import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from synaptic.model.errors import StoreError
from synaptic.model.home import Home
from synaptic.store import connection, db, journal, trust
from synaptic.store.db import Store


def pragma(store: Store, name: str):
    return store.read(lambda connection: connection.execute(f"PRAGMA {name}").fetchone()[0])


def test_a_new_database_is_in_wal_and_commits_without_fsync(store):
    """S3-030"""
    assert pragma(store, "journal_mode") == "wal"
    assert pragma(store, "synchronous") == 1
    assert pragma(store, "foreign_keys") == 1
    assert pragma(store, "wal_autocheckpoint") == 0
    assert pragma(store, "auto_vacuum") == 2
    assert store.durable
    assert store.notices == []


def test_only_the_user_can_read_it(store, home):
    for path in (home.database, Path(f"{home.database}-wal"), Path(f"{home.database}-shm")):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(home.root.stat().st_mode) == 0o700


def test_an_open_folder_is_closed(home):
    home.root.mkdir(parents=True, mode=0o755)
    home.database.touch(mode=0o644)
    Store.open(home).close()
    assert stat.S_IMODE(home.root.stat().st_mode) == 0o700
    assert stat.S_IMODE(home.database.stat().st_mode) == 0o600


def test_what_was_written_survives_a_restart(home, record):
    """S3-056"""
    first = Store.open(home)
    written = record()
    journal.append_records(first, [written])
    first.close()
    second = Store.open(home)
    assert journal.find_entry(second, written.call).decision == written.decision
    second.close()


def test_a_write_happens_whole_or_not_at_all(store, record):
    """S3-016"""

    def half(connection):
        connection.execute("INSERT INTO stops VALUES ('s', '', 1, 0)")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.write(half)
    assert store.read(lambda c: c.execute("SELECT count(*) FROM stops").fetchone()) == (0,)
    assert journal.append_records(store, [record()]) == 1


def test_checkpoint_moves_the_log_into_the_database(store, home, record):
    before = home.database.stat().st_size
    journal.append_records(store, [record() for _ in range(200)])
    assert home.database.stat().st_size == before
    store.checkpoint()
    assert home.database.stat().st_size > before + 50_000


def test_a_log_that_was_moved_down_starts_anew_and_keeps_little_of_its_file(store, home, record, monkeypatch):
    log = Path(f"{home.database}-wal")
    journal.append_records(store, [record(payload="x" * 100_000) for _ in range(60)])
    assert log.stat().st_size > connection.KEPT_LOG_BYTES
    store.checkpoint()
    journal.append_records(store, [record()])
    assert log.stat().st_size <= connection.KEPT_LOG_BYTES
    assert journal.count_events(store) == 61


def test_a_large_log_below_a_reader_is_moved_down_when_the_reader_has_left(store, home, record, monkeypatch):
    monkeypatch.setattr(db, "LARGE_LOG_BYTES", 10_000)
    reader = sqlite3.connect(home.database, isolation_level=None)
    journal.append_records(store, [record() for _ in range(50)])
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM events").fetchone()
    journal.append_records(store, [record() for _ in range(50)])
    store.checkpoint()
    assert Path(f"{home.database}-wal").stat().st_size > 0
    reader.execute("ROLLBACK")
    reader.close()
    monkeypatch.setattr(db, "MAX_LOG_BYTES", 10_000)
    journal.append_records(store, [record()])
    journal.append_records(store, [record()])
    _, pages, _ = store.read(lambda connection: connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone())
    assert pages < 20
    assert journal.count_events(store) == 102
    assert store.notices == []


def test_closing_twice_is_no_error(home):
    store = Store.open(home)
    store.close()
    for file in home.root.glob("synaptic.db*"):
        file.unlink()
    store.close()


def test_a_locked_database_is_a_clear_error_and_the_next_write_works(store, home, record, monkeypatch):
    store.read(lambda connection: connection.execute("PRAGMA busy_timeout = 20"))
    other = sqlite3.connect(home.database, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="locked"):
        journal.append_records(store, [record()])
    other.execute("ROLLBACK")
    assert journal.append_records(store, [record()]) == 1
    other.close()


def test_a_full_disk_is_a_clear_error_and_the_next_write_works(store, record):
    pages = pragma(store, "page_count")
    store.read(lambda connection: connection.execute(f"PRAGMA max_page_count = {pages}"))
    with pytest.raises(StoreError, match="disk is full"):
        journal.append_records(store, [record(payload="x" * 50_000)])
    store.read(lambda connection: connection.execute("PRAGMA max_page_count = 1000000"))
    assert journal.append_records(store, [record()]) == 1
    assert store.notices == []


LIMITED = """
import resource, signal, sys
from pathlib import Path
from synaptic.model.errors import StoreError
from synaptic.model.home import Home
from synaptic.store import journal
from synaptic.store.db import Store
from synaptic.store.record import EventRecord

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
store = Store.open(Home(Path(sys.argv[1])))
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
written = 0
for number in range(100):
    try:
        record = EventRecord(call=f"c{number}", at=1, agent="a", event="e", payload="x" * 9000)
        written += journal.append_records(store, [record])
    except StoreError as error:
        print(error)
        break
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
written += journal.append_records(store, [EventRecord(call="later", at=1, agent="a", event="e")])
print(written == journal.count_events(store), store.durable)
"""


def test_a_file_that_cannot_grow_is_an_error_until_it_can(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(tmp_path / "h")], capture_output=True, text=True, check=True
    )
    message, state = done.stdout.splitlines()
    assert "synaptic.db: " in message
    assert "synaptic" in message.split("(")[-1]
    assert state == "True True"


def test_where_no_file_can_be_the_store_is_in_memory_and_says_so(tmp_path, record):
    (tmp_path / "file").touch()
    store = Store.open(Home(tmp_path / "file" / "home"))
    assert not store.durable
    assert "in memory only" in store.notices[0]
    written = record()
    assert journal.append_records(store, [written]) == 1
    assert journal.find_answer(store, written.call) == written.answer
    trust.remember_trust(store, "/p", [trust.TrustedContent("d", "x")])
    assert trust.read_trusted_digests(store, "/p") == {"d"}
    store.checkpoint()
    assert not store.durable


READONLY = """
import os, sys
from pathlib import Path
from synaptic.model.home import Home
from synaptic.store.db import Store
if os.getuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
store = Store.open(Home(Path(sys.argv[1])))
print(store.durable, *store.notices)
"""


def test_a_read_only_home_gives_a_store_in_memory(tmp_path, home):
    Store.open(home).close()
    home.database.chmod(0o444)
    home.root.chmod(0o555)
    for folder in (home.root, *home.root.parents):
        if folder.is_relative_to(tmp_path.parents[2]) and folder != home.root:
            folder.chmod(folder.stat().st_mode | 0o055)
    done = subprocess.run([sys.executable, "-c", READONLY, str(home.root)], capture_output=True, text=True, check=True)
    home.root.chmod(0o700)
    assert done.stdout.startswith("False ")
    assert "in memory only" in done.stdout


def test_memory_gives_way_to_the_disk_when_it_can(tmp_path, record):
    (tmp_path / "home").touch()
    store = Store.open(Home(tmp_path / "home"))
    (tmp_path / "home").unlink()
    store.checkpoint()
    assert store.durable
    assert "on disk again" in store.notices[-1]
    assert journal.append_records(store, [record()]) == 1
    store.close()


WRITER = """
import sys
from pathlib import Path
from synaptic.model.home import Home
from synaptic.store import journal
from synaptic.store.db import Store
from synaptic.store.record import EventRecord
store = Store.open(Home(Path(sys.argv[1])))
for number in range(100):
    journal.append_records(store, [EventRecord(call=f"{sys.argv[2]}-{number}", at=1, agent="a", event="e")])
    journal.append_records(store, [EventRecord(call=f"shared-{number}", at=1, agent="a", event="e")])
store.close()
"""


def test_processes_create_and_write_it_together(home):
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(home.root), str(n)]) for n in range(4)]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0, 0]
    store = Store.open(home)
    assert store.notices == []
    assert journal.count_events(store) == 500
    store.close()


VICTIM = """
import sys
from pathlib import Path
from synaptic.model.home import Home
from synaptic.store import journal
from synaptic.store.db import Store
from synaptic.store.record import EventRecord
store = Store.open(Home(Path(sys.argv[1])))
for number in range(1000):
    journal.append_records(store, [EventRecord(call=f"c{number}", at=1, agent="a", event="e", payload="x" * 1200)])
    print(number, flush=True)
"""


@pytest.mark.parametrize("acknowledged", [1, 137, 600])
def test_kill_9_loses_no_acknowledged_record_and_doubles_none(home, acknowledged):
    child = subprocess.Popen([sys.executable, "-c", VICTIM, str(home.root)], stdout=subprocess.PIPE, text=True)
    for _ in range(acknowledged):
        child.stdout.readline()
    os.kill(child.pid, 9)
    told = acknowledged + len(child.stdout.read().splitlines())
    child.wait()
    store = Store.open(home)
    assert store.notices == []
    kept = [entry.call for entry in journal.read_entries_after(store, 0, 2000)]
    assert kept == [f"c{number}" for number in range(len(kept))]
    assert told <= len(kept) <= told + 1
    again = [entry.call for entry in journal.read_entries_after(store, 0, 2000)]
    from synaptic.store.record import EventRecord

    assert journal.append_records(store, [EventRecord(call=call, at=2, agent="a", event="e") for call in again]) == 0
    store.close()


class Counted(list[int]):
    """What some module keeps in memory."""


def test_each_module_has_one_cache_of_its_own_per_database(tmp_path: Path) -> None:
    one, other = Store.open(Home(tmp_path / "one")), Store.open(Home(tmp_path / "other"))
    one.cache(Counted).append(1)
    assert one.cache(Counted) == [1]
    assert other.cache(Counted) == []


def test_the_version_moves_with_every_write_that_nobody_follows(tmp_path: Path) -> None:
    """Ours and another process's; a write whose caller follows it in memory leaves what was read as it is."""
    home = Home(tmp_path / "home")
    store, other = Store.open(home), Store.open(home)
    sql = "INSERT INTO trust (root, digest, label, at) VALUES (?, 'd', '', 0)"
    seen = [store.read(store.version)]
    store.write(lambda connection: connection.execute(sql, ("a",)), follows=True)
    assert store.read(store.version) == seen[-1]
    for number, writer in enumerate((store, other)):
        writer.write(lambda connection, number=number: connection.execute(sql, (str(number),)))
        seen.append(store.read(store.version))
    assert len(set(seen)) == 3

"""Locks of this process on the database's files: nobody here may drop them while any connection needs them."""

import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from synaptic.store import connection, journal, opened, salvage
from synaptic.store.db import Store
from synaptic.store.held_index import IN_USE_BYTE, IndexUse, is_used_by_others
from synaptic.store.integrity import examine_database

TRY_LOCKS = f"""
import fcntl, sys
for name, start, length in ((sys.argv[1] + "-shm", {IN_USE_BYTE}, 1), (sys.argv[1], 0x40000002, 510)):
    with open(name, "r+b") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, length, start)
            print("free")
        except OSError:
            print("held")
"""
"""What another process finds before it believes to be the only one, and deletes the log when it closes."""

COME_AND_GO = """
import sys
from pathlib import Path
from synaptic.model.home import Home
from synaptic.store.db import Store
Store.open(Home(Path(sys.argv[1]))).close()
"""


def try_locks(home) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", TRY_LOCKS, str(home.database)], capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def open_and_close(store, home) -> None:
    Store.open(home).close()


def open_in_thread(store, home) -> None:
    thread = threading.Thread(target=lambda: Store.open(home).close())
    thread.start()
    thread.join()


def open_by_another_name(store, home) -> None:
    link = home.root.parent / "link"
    link.symlink_to(home.root)
    Store.open(type(home)(link)).close()


def examine(store, home) -> None:
    examine_database(str(home.database))


def work_separately(store, home) -> None:
    store.run_separately(lambda connection: connection.execute("SELECT 1").fetchone())


def read_log_anew(store, home) -> None:
    other = Store.open(home)
    other._reread_log()
    other.close()


def salvage_rows(store, home) -> None:
    salvage.build_successor(home.database, home.root / "successor", lambda _: 0)


@pytest.mark.parametrize(
    "act",
    [
        open_and_close,
        open_in_thread,
        open_by_another_name,
        examine,
        work_separately,
        read_log_anew,
        salvage_rows,
        lambda store, home: connection.prepare_file(home.database),
        lambda store, home: store.checkpoint(),
    ],
)
def test_whatever_another_store_of_this_process_does_the_locks_of_this_one_stay(home, store, record, act: Callable):
    journal.append_records(store, [record()])
    act(store, home)
    assert try_locks(home) == ["held", "held"]


def test_a_log_below_two_stores_of_a_process_outlives_a_process_that_comes_and_goes(home, store, record):
    journal.append_records(store, [record()])
    Store.open(home).close()
    subprocess.run([sys.executable, "-c", COME_AND_GO, str(home.root)], check=True)
    assert journal.append_records(store, [record()]) == 1
    assert store.notices == []
    assert journal.count_events(store) == 2


def count_open_files(home) -> int:
    """How many descriptors this process has of the database's files, also of deleted ones."""
    links = Path("/proc/self/fd").iterdir()
    return sum(str(home.database) in str(link.readlink()) for link in links if link.is_symlink())


def test_the_last_one_closes_the_descriptors(home, record):
    stores = [Store.open(home) for _ in range(3)]
    for store in stores:
        journal.append_records(store, [record()])
        store._reread_log()
    for store in stores:
        store.close()
    assert count_open_files(home) == 0


def test_repairs_leave_no_descriptors_behind(home, store, record):
    journal.append_records(store, [record()])
    store._rescue_log()
    before = count_open_files(home)
    for _ in range(5):
        store._reread_log()
        store._rescue_log()
    assert count_open_files(home) <= before + 1  # the index is opened when it is first needed


def test_a_forked_child_closes_nothing_of_its_parent(home, store, record):
    journal.append_records(store, [record()])
    use = IndexUse(str(home.database))
    use.open_index()
    child = os.fork()
    if not child:
        use.end()
        with IndexUse(str(home.database)) as own:
            os._exit(0 if is_used_by_others(own.open_index()) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert try_locks(home) == ["held", "held"]
    use.end()
    assert try_locks(home) == ["held", "held"]


def test_a_connection_that_could_not_be_opened_is_not_counted(home, store, tmp_path):
    with pytest.raises(sqlite3.OperationalError):
        connection.open_connection(str(tmp_path / "missing" / "x.db"), 0.1)
    with pytest.raises(sqlite3.OperationalError):
        connection.open_connection(str(tmp_path), 0.1)
    with IndexUse(str(tmp_path)) as use:
        assert not use.is_shared()


WRITER = """
import sys
from pathlib import Path
from synaptic.model.home import Home
from synaptic.store import journal
from synaptic.store.db import Store
from synaptic.store.record import EventRecord
store = Store.open(Home(Path(sys.argv[1])))
journal.append_records(store, [EventRecord(call=f"before-{n}", at=1, agent="a", event="e") for n in range(20)])
store.checkpoint()
print("ready", flush=True)
for line in sys.stdin:
    print(journal.append_records(store, [EventRecord(call=line.strip(), at=1, agent="a", event="e")]), flush=True)
store.close()
"""


def test_a_log_that_others_start_anew_while_it_is_opened_is_not_taken_for_a_cut_one(home, monkeypatch):
    """All of it was moved, then the next commit of the other process begins it anew: nothing is lost by that."""
    child = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(home.root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    child.stdout.readline()

    def open_late(name: str, patience: float):
        if not calls:
            calls.append("between")
            print("between", file=child.stdin, flush=True)
            assert child.stdout.readline() == "1\n"
        return connection.open_connection(name, patience)

    calls: list[str] = []
    monkeypatch.setattr(opened, "open_connection", open_late)
    store = Store.open(home)
    assert (store.notices, store.has_lost_state) == ([], False)
    assert journal.find_entry(store, "between") is not None
    child.stdin.close()
    assert child.wait(60) == 0
    assert journal.count_events(store) == 21
    store.close()

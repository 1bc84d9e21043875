"""Rows are read from the file as memory: what was written before is there, and afterwards nothing is mapped."""

import sqlite3
import subprocess
import sys

import pytest

from synaptic.model.errors import StoreError
from synaptic.store import entries, journal
from synaptic.store.db import Store
from synaptic.store.journal_filter import JournalFilter, read_matching_entries
from synaptic.store.mapped import read_mapped

COUNT = "SELECT count(*), sum(length(payload)) FROM events"


def read_limit(connection: sqlite3.Connection) -> int:
    return connection.execute("PRAGMA mmap_size").fetchone()[0]


def test_what_is_in_the_file_and_in_the_log_is_read(home, store, record):
    journal.append_records(store, [record() for _ in range(50)])
    store.checkpoint()
    journal.append_records(store, [record() for _ in range(7)])
    assert read_mapped(store, lambda connection: connection.execute(COUNT).fetchone()[0]) == 57
    everything = read_matching_entries(store, JournalFilter(grep="ls"), 100, maps=True)
    assert everything == read_matching_entries(store, JournalFilter(grep="ls"), 100)
    assert len(everything) == 57


def test_the_file_is_mapped_for_this_reading_alone(store):
    assert read_mapped(store, read_limit) > 0
    assert store.read(read_limit) == 0
    with pytest.raises(StoreError):
        read_mapped(store, lambda connection: connection.execute("SELECT nothing FROM nowhere"))
    assert store.read(read_limit) == 0


def test_a_database_in_memory_is_read_as_always(home, record):
    with_none = Store.open_in_memory(home, StoreError("no file"))
    journal.append_records(with_none, [record()])
    assert read_mapped(with_none, lambda connection: connection.execute(COUNT).fetchone()[0]) == 1
    with_none.close()


def test_events_are_written_and_pruned_while_somebody_reads_so(home, store, record):
    """The reader sees one state of the journal, and who writes waits for nothing."""
    journal.append_records(store, [record(payload="x" * 3000) for _ in range(400)])
    store.checkpoint()
    other = Store.open(home)

    def work(connection):
        connection.execute("BEGIN")
        before = connection.execute(COUNT).fetchone()
        other.write(lambda writer: writer.execute("DELETE FROM events WHERE id > 10"))
        other.write(lambda writer: writer.execute("PRAGMA incremental_vacuum").fetchall())
        journal.append_records(other, [record(payload="y" * 100)])
        other.checkpoint()
        after = connection.execute(COUNT).fetchone()
        connection.execute("COMMIT")
        return before, after

    before, after = read_mapped(store, work)
    other.close()
    assert before == after
    assert len(entries.read_last_entries(store, 1000)) == 11


def test_a_file_that_is_cut_while_it_is_read_ends_the_reader_alone(home, store, record):
    journal.append_records(store, [record(payload="x" * 3000) for _ in range(400)])
    store.checkpoint()
    store.close()
    kept = home.database.read_bytes()
    code = (
        "import os, sys; from pathlib import Path; from synaptic.model.home import Home\n"
        "from synaptic.store.db import Store; from synaptic.store.mapped import read_mapped\n"
        "home = Home(Path(sys.argv[1])); store = Store.open(home)\n"
        "def work(connection):\n"
        "    rows = connection.execute('SELECT payload FROM events'); rows.fetchone()\n"
        "    os.truncate(home.database, 4096); return len(rows.fetchall())\n"
        "read_mapped(store, work)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(home.root)], capture_output=True, timeout=60, check=False)
    assert done.returncode != 0
    home.database.write_bytes(kept)
    assert len(entries.read_last_entries(Store.open(home), 1000)) == 400

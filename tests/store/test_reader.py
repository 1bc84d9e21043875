"""A database that is only read, whatever is done to it meanwhile."""

import sqlite3

import pytest

from synaptic.model.errors import StoreError
from synaptic.model.home import Home
from synaptic.store.db import Store
from synaptic.store.reader import JournalReader
from synaptic.store.schema import find_latest_version


def read_one(reader: JournalReader) -> int:
    return int(reader.read(lambda connection: connection.execute("SELECT 1").fetchone()[0]))


@pytest.mark.parametrize(("step", "hint"), [(1, "start it again"), (-1, "daemon restart")])
def test_another_version_is_told_with_what_helps(home: Home, step: int, hint: str) -> None:
    Store.open(home).close()
    connection = sqlite3.connect(home.database)
    connection.execute(f"PRAGMA user_version = {find_latest_version() + step}")
    connection.close()
    with pytest.raises(StoreError) as found:
        JournalReader.open(home)
    assert hint in found.value.hint


def test_a_database_that_was_removed_is_read_again_when_it_is_back(home: Home) -> None:
    Store.open(home).close()
    reader = JournalReader.open(home)
    home.database.rename(home.database.with_suffix(".away"))
    with pytest.raises(StoreError, match="no journal yet"):
        read_one(reader)
    home.database.with_suffix(".away").rename(home.database)
    assert read_one(reader) == 1
    reader.close()


def test_what_is_no_database_is_a_store_error_and_stays_as_it_is(home: Home) -> None:
    Store.open(home).close()
    reader = JournalReader.open(home)
    home.database.unlink()
    home.database.write_bytes(b"no database" * 1000)
    with pytest.raises(StoreError):
        read_one(reader)
    assert home.database.read_bytes() == b"no database" * 1000
    reader.close()

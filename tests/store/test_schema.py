"""Migrations: in order, once, never backwards."""

import sqlite3

import pytest

from synaptic.model.errors import StoreError
from synaptic.store import schema
from synaptic.store.db import Store


def test_applying_the_schema_twice_is_harmless(home):
    """S3-028"""
    Store.open(home).close()
    store = Store.open(home)
    assert store.read(schema.read_schema_version) == schema.find_latest_version()
    store.read(lambda connection: schema.migrate_schema(connection, "x"))
    store.close()


def test_migrations_are_numbered_without_gaps():
    numbers = sorted(int(file.name[:4]) for file in schema.MIGRATIONS.glob("*.sql"))
    assert numbers == list(range(1, len(numbers) + 1))
    assert schema.find_latest_version() == len(numbers)


def test_a_newer_database_is_refused_and_left_alone(home):
    """S3-028"""
    Store.open(home).close()
    connection = sqlite3.connect(home.database)
    connection.execute("PRAGMA user_version = 999")
    connection.close()
    with pytest.raises(StoreError, match=r"version 999.*upgrade"):
        Store.open(home)
    assert sqlite3.connect(home.database).execute("PRAGMA user_version").fetchone() == (999,)


def test_an_older_database_keeps_its_rows(home, monkeypatch, tmp_path, record):
    """S3-028"""
    from synaptic.store import journal

    store = Store.open(home)
    journal.append_records(store, [record()])
    store.close()
    later = tmp_path / "migrations"
    later.mkdir()
    for file in schema.MIGRATIONS.glob("*.sql"):
        (later / file.name).write_text(file.read_text())
    number = schema.find_latest_version() + 1
    (later / f"{number:04d}_more.sql").write_text("CREATE TABLE more (id INTEGER);")
    monkeypatch.setattr(schema, "MIGRATIONS", later)
    schema._read_scripts.cache_clear()
    try:
        upgraded = Store.open(home)
        assert upgraded.read(schema.read_schema_version) == number
        assert journal.count_events(upgraded) == 1
        upgraded.close()
    finally:
        schema._read_scripts.cache_clear()


def test_a_failed_migration_leaves_the_version_before_it(tmp_path):
    connection = sqlite3.connect(tmp_path / "x.db", isolation_level=None)
    with pytest.raises(sqlite3.Error):
        schema._apply_script(connection, 1, "CREATE TABLE one (id INTEGER); CREATE TABLE one (id INTEGER);")
    assert schema.read_schema_version(connection) == 0
    assert connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)

"""A database that is only read, by neither the daemon nor an agent: whoever looks on writes and repairs nothing."""

import sqlite3  # noqa: TID251 - this is the room it is kept in
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn, TypeVar

from synaptic.model.errors import StoreError
from synaptic.model.home import Home
from synaptic.store import damage, schema
from synaptic.store.connection import Connection, open_connection
from synaptic.store.db import Store

T = TypeVar("T")
PATIENCE = 1.0
"""Seconds to wait for somebody else's lock."""
NEWER_HINT = "end this program and start it again"
"""For one that was open while Synaptic was upgraded."""
NO_JOURNAL_HINT = "it begins with the first event of an agent; type: synaptic up, if that was never done"
ONLY_READ_TEXT = "whoever looks on writes nothing"


class JournalReader(Store):
    """The user's database as others change it. Where it cannot be read now, the next call tries again."""

    @classmethod
    def open(cls, home: Home) -> "JournalReader":
        """Raises StoreError where there is no database, or one of another version."""
        reader = cls(home.database)
        with reader._lock:
            reader._open_again()
        return reader

    def read(self, work: Callable[[Connection], T]) -> T:
        with self._lock:
            if self._is_closed or damage.read_inode(self._name) != self._inode:
                self._open_again()
            try:
                return work(self._connection)
            except (sqlite3.Error, UnicodeDecodeError) as error:
                self._close_connection()
                raise self._to_store_error(error) from error

    def write(self, work: Callable[[Connection], T], *, follows: bool = False) -> NoReturn:
        raise StoreError(ONLY_READ_TEXT, where=self._name)

    def checkpoint(self) -> None:
        """That is for those who write."""

    def close(self) -> None:
        with self._lock:
            self._close_connection()

    def _open_again(self) -> None:
        """Raises StoreError."""
        self._close_connection()
        self._inode = damage.read_inode(self._name)
        if self._inode is None:
            raise StoreError("there is no journal yet", where=self._name, hint=NO_JOURNAL_HINT)
        try:
            connection = self._connect_separately()
        except sqlite3.Error as error:
            raise self._to_store_error(error) from error
        self._connection, self.durable, self._is_closed = connection, True, False
        self.generation += 1

    def _connect_separately(self) -> Connection:
        connection = open_connection(self._name, PATIENCE)
        try:
            connection.execute("PRAGMA query_only = ON").fetchone()
            version = schema.read_schema_version(connection)
            if version > schema.find_latest_version():
                raise StoreError("a newer Synaptic has changed the database", where=self._name, hint=NEWER_HINT)
            if version < schema.find_latest_version():
                raise StoreError(
                    "the database is of an older version", where=self._name, hint="type: synaptic daemon restart"
                )
        except BaseException:
            with suppress(sqlite3.Error):
                connection.close()
            raise
        return connection

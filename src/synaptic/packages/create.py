"""Create a registry: its tables and its standard channels."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from synaptic.files.replace import make_folders
from synaptic.model.environment import DEFAULT_CHANNEL
from synaptic.model.refusal import Refusal
from synaptic.packages.database import Database, RegistryChange
from synaptic.packages.dolt import DoltDatabase, list_remote_channels, new_database
from synaptic.packages.remote import ORIGIN
from synaptic.packages.source import STANDARD_CHANNELS
from synaptic.packages.tables import CREATE_STATEMENTS, Statement

BINARY_COLLATION = " CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
"""Case-sensitive collation for servers, where otherwise `a.md` and `A.md` would be the same path."""


def create_registry_file(path: Path) -> None:
    """Create a database file with tables and channels, atomically and never over another file."""
    with _open_new_file(path) as database:
        create_tables(database, CREATE_STATEMENTS)
        for channel in STANDARD_CHANNELS:
            if channel != DEFAULT_CHANNEL:
                database.query("SELECT dolt_branch(?)", [channel])


def clone_registry_file(url: str, path: Path) -> None:
    """Create a database file as a clone of a remote, with its history and channels."""
    with _open_new_file(path) as database:
        database.query("SELECT dolt_clone(?)", [url])
        known = database.list_channels()
        for channel in list_remote_channels(database, ORIGIN):
            if channel not in known:
                database.query("SELECT dolt_branch(?, ?)", [channel, f"{ORIGIN}/{channel}"])


@contextmanager
def _open_new_file(path: Path) -> Iterator[DoltDatabase]:
    if path.exists():
        raise Refusal("conflict", "there is a file already", where=str(path), hint="name another, or use this one")
    make_folders(path.parent, 0o700)
    with new_database(path) as database:
        yield database


def create_on_server(database: Database) -> None:
    """Create the tables on a server, and the channels where it is a Dolt server."""
    create_tables(
        database, [f"{sql}{BINARY_COLLATION}" if sql.startswith("CREATE TABLE") else sql for sql in CREATE_STATEMENTS]
    )
    if hasattr(database, "merge"):
        for channel in STANDARD_CHANNELS:
            if channel not in database.list_channels():
                database.query("CALL DOLT_BRANCH(?)", [channel])


def create_tables(database: Database, statements: "tuple[str, ...] | list[str]") -> None:
    """Create the tables in one commit of `main`."""
    made: list[Statement] = [(sql, ()) for sql in statements]
    database.write(RegistryChange(DEFAULT_CHANNEL, made, "the tables of a registry"))

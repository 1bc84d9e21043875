"""Folders that a user added to a session's workspace; they count as project while the session lasts."""

import time

import msgspec

from synaptic.store.db import Connection, Store
from synaptic.store.record import EventRecord

ADDED_EVENT = "DirectoryAdded"
WORKSPACE_EVENTS = frozenset({ADDED_EVENT, "SessionEnd"})
CACHE_SECONDS = 1.0
"""Seconds a cached answer is used. Writes of this process clear it, those of others are seen when it expires."""
MAX_SESSIONS = 1000


class _FolderCache(dict[str, tuple[float, tuple[str, ...]]]):
    """Folders by session, each with the moment until which that is believed."""


class _DirectoryPayload(msgspec.Struct, frozen=True):
    directory: str = ""


def read_added_folders(store: Store, session: str) -> tuple[str, ...]:
    """Read the folders that were added to a session."""
    now = time.monotonic()
    cache = store.cache(_FolderCache)
    until, known = cache.get(session, (0.0, ()))
    if until > now:
        return known
    sql = "SELECT directory FROM workspaces WHERE session = ? ORDER BY directory"
    rows = store.read(lambda connection: connection.execute(sql, (session,)).fetchall())
    found = tuple(str(directory) for (directory,) in rows)
    if len(cache) >= MAX_SESSIONS:
        cache.clear()
    cache[session] = (now + CACHE_SECONDS, found)
    return found


def forget_known(store: Store) -> None:
    """An event is about to change them."""
    store.cache(_FolderCache).clear()


def record_workspaces(connection: Connection, record: EventRecord) -> None:
    """In the transaction of the event: remember a folder that was added, forget them with the session."""
    if record.event == "SessionEnd":
        # Added folders end with the session: a later one with a reused id must not inherit them.
        connection.execute("DELETE FROM workspaces WHERE session = ?", (record.session,))
    elif record.event == ADDED_EVENT and (directory := _read_directory(record)):
        values = (record.session, directory)
        connection.execute("INSERT INTO workspaces (session, directory) VALUES (?, ?) ON CONFLICT DO NOTHING", values)


def _read_directory(record: EventRecord) -> str:
    try:
        return msgspec.json.decode(record.payload or b"{}", type=_DirectoryPayload).directory
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ""

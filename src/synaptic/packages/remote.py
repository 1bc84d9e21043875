"""Registries elsewhere: a copy that is brought up to date and read here, and what is sent back."""

import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from synaptic.files.replace import make_folders
from synaptic.model.home import Home
from synaptic.model.refusal import Refusal
from synaptic.packages.database import checked_ref
from synaptic.packages.dolt import DoltDatabase, drop_file, remote_channels

ORIGIN = "origin"


def open_copy(url: str, home: Home) -> DoltDatabase:
    """The remote's channels as they are now, in a copy of our own."""
    path = copy_file(url, home)
    make_folders(path.parent, 0o700)
    with _alone(path):
        if path.exists():
            _fetch(path)
        else:
            _clone(url, path)
    database = DoltDatabase(path, remote=ORIGIN)
    database.url = url
    return database


def copy_file(url: str, home: Home) -> Path:
    """Where the copy of a remote is kept."""
    return home.root / "registry" / "copies" / f"{hashlib.sha256(url.encode()).hexdigest()[:16]}.db"


def push(database: DoltDatabase, url: str, channels: tuple[str, ...]) -> None:
    """Send channels to a remote; one that has moved on meanwhile is refused, never overwritten."""
    name = _named(database, url)
    for channel in channels:
        database.rows("SELECT dolt_push(?, ?)", [name, checked_ref(channel)])


def pull(database: DoltDatabase, url: str, channels: tuple[str, ...]) -> tuple[str, ...]:
    """Bring channels, or all that the remote has, up to what it has; a channel that is new here is made."""
    name = _named(database, url)
    database.rows("SELECT dolt_fetch(?)", [name])
    known = database.channels()
    taken = channels or remote_channels(database, name)
    for channel in taken:
        if channel not in known:
            database.rows("SELECT dolt_branch(?, ?)", [checked_ref(channel), f"{name}/{channel}"])
            continue
        database.rows("SELECT dolt_checkout(?)", [channel])
        database.rows("SELECT dolt_merge(?)", [f"{name}/{channel}"])
    return taken


def _named(database: DoltDatabase, url: str) -> str:
    """The remote's name in the database, given to it when it has none."""
    known = {str(address): str(name) for name, address in database.rows("SELECT name, url FROM dolt_remotes")}
    if url in known:
        return known[url]
    name = f"r{hashlib.sha256(url.encode()).hexdigest()[:12]}"
    database.rows("SELECT dolt_remote('add', ?, ?)", [name, url])
    return name


def _clone(url: str, path: Path) -> None:
    """Whole or not at all: a copy that was broken off is never taken for one."""
    part = path.with_suffix(".part")
    drop_file(part)
    part.touch(0o600)
    try:
        _told(part, "SELECT dolt_clone(?)", url, url)
        part.rename(path)
    finally:
        drop_file(part)


def _fetch(path: Path) -> None:
    _told(path, "SELECT dolt_fetch(?)", ORIGIN, str(path))


def _told(path: Path, sql: str, param: str, where: str) -> None:
    database = DoltDatabase(path)
    try:
        database.rows(sql, [param])
    except Refusal as refusal:
        raise Refusal(refusal.code, refusal.message, where=where, hint=refusal.hint) from None
    finally:
        database.close()


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """One process at a time clones or fetches; the lock goes with its process."""
    handle = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)

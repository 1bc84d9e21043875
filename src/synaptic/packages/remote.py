"""Registries elsewhere: a copy that is kept up to date and read here, what is sent back, and our own offered."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from synaptic.files.lock import hold_lock
from synaptic.files.replace import make_folders
from synaptic.model.home import Home
from synaptic.model.refusal import Refusal
from synaptic.packages import server
from synaptic.packages.database import check_ref
from synaptic.packages.dolt import DoltDatabase, end_script, list_remote_channels, new_database, start_script

ORIGIN = "origin"


def open_copy(url: str, home: Home) -> DoltDatabase:
    """Open an up-to-date local copy of a remote."""
    path = locate_copy(url, home)
    make_folders(path.parent, 0o700)
    with hold_lock(path.with_suffix(".lock")):  # one process at a time clones or fetches
        if path.exists():
            _fetch_copy(path)
        else:
            _clone_copy(url, path)
    database = DoltDatabase(path, remote=ORIGIN)
    database.url = url
    return database


def locate_copy(url: str, home: Home) -> Path:
    """Path of the local copy of a remote."""
    return home.root / "registry" / "copies" / f"{hashlib.sha256(url.encode()).hexdigest()[:16]}.db"


def push_channels(database: DoltDatabase, url: str, channels: tuple[str, ...]) -> None:
    """Push channels to a remote; one that has new commits there is refused, never overwritten."""
    name = _name_remote(database, url)
    for channel in channels:
        database.query("SELECT dolt_push(?, ?)", [name, check_ref(channel)])


def pull_channels(database: DoltDatabase, url: str, channels: tuple[str, ...]) -> tuple[str, ...]:
    """Pull the given channels, or all of the remote's; a channel that is new here is created."""
    name = _name_remote(database, url)
    database.query("SELECT dolt_fetch(?)", [name])
    known = database.list_channels()
    taken = channels or list_remote_channels(database, name)
    for channel in taken:
        if channel not in known:
            database.query("SELECT dolt_branch(?, ?)", [check_ref(channel), f"{name}/{channel}"])
            continue
        database.query("SELECT dolt_checkout(?)", [channel])
        database.query("SELECT dolt_merge(?)", [f"{name}/{channel}"])
    return taken


@contextmanager
def serve_registry(path: Path, port: int = 0) -> Iterator[str]:
    """Offer a registry over http on this machine for the block; its URL. Port 0 takes any that is free."""
    if not path.is_file():
        raise Refusal("not_found", "there is no registry", where=str(path), hint="type: synaptic registry init")
    process = start_script(Path(server.__file__), str(path.parent), str(port))
    try:
        said = process.stdout.readline() if process.stdout else b""
        if not said.strip().isdigit():
            raise Refusal("backend_unavailable", f"cannot serve: {end_script(process)}", where=str(path))
        yield f"http://127.0.0.1:{int(said)}/{path.name}"
    finally:
        end_script(process)


def _name_remote(database: DoltDatabase, url: str) -> str:
    """Find the remote's name in the database; adds the remote when it is unknown."""
    known = {str(address): str(name) for name, address in database.query("SELECT name, url FROM dolt_remotes")}
    if url in known:
        return known[url]
    name = f"r{hashlib.sha256(url.encode()).hexdigest()[:12]}"
    database.query("SELECT dolt_remote('add', ?, ?)", [name, url])
    return name


def _clone_copy(url: str, path: Path) -> None:
    try:
        with new_database(path) as database:
            database.query("SELECT dolt_clone(?)", [url])
    except Refusal as refusal:  # says where: the remote, not a temporary file of ours
        raise Refusal(refusal.code, refusal.message, where=url, hint=refusal.hint) from None


def _fetch_copy(path: Path) -> None:
    database = DoltDatabase(path)
    try:
        database.query("SELECT dolt_fetch(?)", [ORIGIN])
    finally:
        database.close()

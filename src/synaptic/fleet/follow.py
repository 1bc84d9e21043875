"""Follow changes of the database: whoever waits here is woken by the kernel (inotify) after a commit.

Nobody is asked agent by agent. Where the kernel offers no such thing, one number is read four times a second for all
agents together; where it does, the same number is read now and then, for file systems that tell nobody.
"""

import select
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec

from synaptic.files.watch import WRITES, FolderWatch
from synaptic.model.errors import StoreError
from synaptic.model.home import Home
from synaptic.store import fleet, lease
from synaptic.store.damage import read_inode
from synaptic.store.db import Store
from synaptic.store.fleet import FleetMember

UNWATCHED_PAUSE = 0.25
"""Seconds between two looks without word from the kernel."""
WATCHED_PAUSE = 2.0
"""Seconds between two looks with it."""
SETTLE_SECONDS = 0.03
"""Seconds in which more writes count as the same one."""
LOST_NOTE = "its supervisor was killed"
T = TypeVar("T")
DatabaseVersion = tuple[object, ...]


class DatabaseFollower:
    """Access to the database that survives a replaced, missing or damaged file, and tells when it has changed."""

    def __init__(self, home: Home, quiet: float = SETTLE_SECONDS) -> None:
        self._home = home
        self._quiet = quiet
        self._store: Store | None = None
        self._file: object = None
        self._version: DatabaseVersion | None = None
        self._news = FolderWatch(WRITES)

    def wait(self, seconds: float, also: Sequence[int] = ()) -> bool:
        """Whether the database may have changed since the last time that this said so; the first time it has.

        Returns early, and says no, when one of the other descriptors can be read.
        """
        end = time.monotonic() + seconds
        while not self._has_moved():
            left = end - time.monotonic()
            if left <= 0 or self._wait_for_news(left, also):
                return False
        return True

    def run_with_store(self, work: Callable[[Store], T], otherwise: T) -> T:
        """Run some work on the store and return its result; `otherwise` when there is no usable database now."""
        store = self._get_store()
        if store is None:
            return otherwise
        try:
            return work(store)
        except StoreError:  # a damaged or locked database must not end the supervisor, and with it the agent
            return otherwise

    def read_members(self) -> tuple[FleetMember, ...]:
        """Everybody. A supervised agent whose supervisor does not live any more is in error: nobody else can say so."""
        nobody: tuple[FleetMember, ...] = ()
        return tuple(mark_lost(self._home, one) for one in self.run_with_store(fleet.list_members, nobody))

    def close(self) -> None:
        """Give everything back."""
        self._news.close()
        self._close_store()

    def _has_moved(self) -> bool:
        """Whether the version has changed. Asked before data is read, so that no commit in between goes unnoticed."""
        before, self._version = self._version, self._read_version()
        return before != self._version

    def _read_version(self) -> DatabaseVersion:
        version = self.run_with_store(fleet.read_data_version, None)
        return (self._file, version)

    def _get_store(self) -> Store | None:
        """The store of the file that has the database's name now."""
        file = read_inode(self._home.database)
        # Compared by inode: a connection to a database that was replaced would go on reading the deleted file.
        if file != self._file or (file and self._store is None):
            self._close_store()
            self._file = file
            self._store = _open_durable(self._home) if file else None
        return self._store

    def _close_store(self) -> None:
        if self._store is not None:
            self._store.close()
        self._store, self._file = None, None

    def _wait_for_news(self, seconds: float, also: Sequence[int]) -> bool:
        """Sleep until there is news, or it is time to look; True when another descriptor can be read."""
        # Added each time: a folder that was deleted and made again has lost its watch.
        pause = WATCHED_PAUSE if self._news.add(str(self._home.root)) else UNWATCHED_PAUSE
        mine = [] if self._news.fd is None else [self._news.fd]
        ready = select.select([*mine, *also], [], [], min(seconds, pause))[0]
        if any(fd in also for fd in ready):
            return True
        if ready and self._concerns_database(self._news.read_names()):
            # One commit writes to several files several times: wait for the rest and read it away.
            time.sleep(self._quiet)
            self._news.read_names()
        return False

    def _concerns_database(self, names: set[str]) -> bool:
        return any(name.startswith(self._home.database.name) for name in names)


def mark_lost(home: Home, member: FleetMember) -> FleetMember:
    """The member; in error where it is supervised and its supervisor does not live any more."""
    if not member.supervised or lease.is_lease_held(home.root, member.agent):
        return member
    return msgspec.structs.replace(member, status="error", note=LOST_NOTE, supervised=False)


def _open_durable(home: Home) -> Store | None:
    try:
        store = Store.open(home)
    except StoreError:
        return None
    # A store that fell back to memory knows no agent and would never change.
    if store.durable:
        return store
    store.close()
    return None

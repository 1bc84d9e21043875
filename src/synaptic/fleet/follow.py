"""The database, followed by push: whoever waits here is woken by the kernel when something was committed.

Nobody is asked agent by agent. Where the kernel offers no such thing, one number is read four times a second for all
agents together; where it does, the same number is read now and then, for file systems that tell nobody.
"""

import select
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec

from synaptic.files.watch import WRITES, Watch
from synaptic.model.errors import StoreError
from synaptic.model.home import Home
from synaptic.store import fleet, lease
from synaptic.store.damage import inode
from synaptic.store.db import Store
from synaptic.store.fleet import Member

BLIND = 0.25
"""Seconds between two looks without word from the kernel."""
RELIEF = 2.0
"""Seconds between two looks with it."""
QUIET = 0.03
"""Seconds in which more writes count as the same one."""
LOST = "its supervisor was killed"
T = TypeVar("T")
Version = tuple[object, ...]


class Follow:
    """A door to the database that survives everything that may happen to the file, and word of its changes."""

    def __init__(self, home: Home, quiet: float = QUIET) -> None:
        self._home = home
        self._quiet = quiet
        self._store: Store | None = None
        self._file: object = None
        self._version: Version | None = None
        self._news = Watch(WRITES)

    def wait(self, seconds: float, also: Sequence[int] = ()) -> bool:
        """Whether the database may have changed since the last time that this said so; the first time it has.

        Returns early, and says no, when one of the other descriptors can be read.
        """
        end = time.monotonic() + seconds
        while not self._moved():
            left = end - time.monotonic()
            if left <= 0 or self._sleep(left, also):
                return False
        return True

    def do(self, work: Callable[[Store], T], otherwise: T) -> T:
        """What some work on the database returns; the other value when there is none, or it cannot be used now."""
        store = self._opened()
        if store is None:
            return otherwise
        try:
            return work(store)
        except StoreError:
            return otherwise

    def members(self) -> tuple[Member, ...]:
        """Everybody. A supervised agent whose supervisor does not live any more is in error: nobody else can say so."""
        nobody: tuple[Member, ...] = ()
        return tuple(map(self._told, self.do(fleet.members, nobody)))

    def close(self) -> None:
        """Give everything back."""
        self._news.close()
        self._shut()

    def _told(self, member: Member) -> Member:
        if not member.supervised or lease.held(self._home.root, member.agent):
            return member
        return msgspec.structs.replace(member, status="error", note=LOST, supervised=False)

    def _moved(self) -> bool:
        """Asked before anything is read, so that nothing that is committed meanwhile goes unnoticed."""
        before, self._version = self._version, self._now()
        return before != self._version

    def _now(self) -> Version:
        version = self.do(fleet.version, None)
        return (self._file, version)

    def _opened(self) -> Store | None:
        """The store of the file that has the database's name now."""
        file = inode(self._home.database)
        if file != self._file or (file and self._store is None):
            self._shut()
            self._file = file
            self._store = _open(self._home) if file else None
        return self._store

    def _shut(self) -> None:
        if self._store is not None:
            self._store.close()
        self._store, self._file = None, None

    def _sleep(self, seconds: float, also: Sequence[int]) -> bool:
        """Until there is news, or it is time to look; True when another descriptor can be read."""
        pause = RELIEF if self._news.add(str(self._home.root)) else BLIND
        mine = [] if self._news.fd is None else [self._news.fd]
        ready = select.select([*mine, *also], [], [], min(seconds, pause))[0]
        if any(fd in also for fd in ready):
            return True
        if ready and self._concerns(self._news.read_names()):
            time.sleep(self._quiet)
            self._news.read_names()
        return False

    def _concerns(self, names: set[str]) -> bool:
        return any(name.startswith(self._home.database.name) for name in names)


def _open(home: Home) -> Store | None:
    try:
        store = Store.open(home)
    except StoreError:
        return None
    if store.durable:
        return store
    store.close()
    return None

"""The index of a log (`-shm`): a descriptor of it is shared by all of this process, and closed by the last one.

A lock of the kernel belongs to a process and a file: closing any descriptor of the file drops every lock that SQLite
has on it, also those of other connections and threads. Others would then believe that nobody is here, and delete the
log.
"""

import fcntl
import os
import struct
import sys
from contextlib import suppress
from threading import Lock
from types import TracebackType

from synaptic.store.damage import Inode, read_inode

IN_USE_BYTE = 128
"""Of the index: whoever has it open holds a shared lock on it (`UNIX_SHM_DMS` of SQLite)."""
IS_LINUX = sys.platform == "linux"
LOCK_FORMAT = "hhqqi4x" if IS_LINUX else "qqihh"
"""Of `struct flock`."""


class IndexUse:
    """One who has a database open or is about to: as long as it lasts, no descriptor of the index is closed."""

    def __init__(self, name: str) -> None:
        self._key = os.path.realpath(name)
        with _registry.lock:
            _registry.users.setdefault(self._key, set()).add(self)

    def __enter__(self) -> "IndexUse":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.end()

    def end(self) -> None:
        """After the connection was closed. One that a forked child has inherited is not counted there."""
        with _registry.lock:
            users = _registry.users.get(self._key, set())
            if self in users:
                users.remove(self)
                if not users:
                    _registry.close_index(self._key)

    def open_index(self) -> int:
        """A descriptor of the index that the database has now. Raises OSError where there is none."""
        with _registry.lock:
            return _registry.open_index(self._key)

    def is_shared(self) -> bool:
        """Whether anybody else has the database open: in this process, or in another one."""
        with _registry.lock:
            if len(_registry.users[self._key]) > 1:
                return True
        with suppress(FileNotFoundError):
            return is_used_by_others(self.open_index())
        return False


class _IndexRegistry:
    """What this process has open; callers hold the lock."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.users: dict[str, set[IndexUse]] = {}
        self.handles: dict[str, list[tuple[Inode, int]]] = {}

    def open_index(self, key: str) -> int:
        held = self.handles.setdefault(key, [])
        now = read_inode(f"{key}-shm")
        for inode, handle in held:
            if inode == now:
                return handle
        handle = os.open(f"{key}-shm", os.O_RDWR | os.O_CLOEXEC)
        found = os.fstat(handle)
        held.append(((found.st_dev, found.st_ino), handle))
        return handle

    def close_index(self, key: str) -> None:
        del self.users[key]
        for _, handle in self.handles.pop(key, []):
            os.close(handle)

    def forget_all(self) -> None:
        """In a forked child: it holds none of the parent's locks, and another thread may have held ours."""
        for held in self.handles.values():
            for _, handle in held:
                os.close(handle)
        self.lock, self.users, self.handles = Lock(), {}, {}


_registry = _IndexRegistry()
os.register_at_fork(after_in_child=_registry.forget_all)


def is_used_by_others(handle: int) -> bool:
    """Whether another process has an index open, as the kernel says; to ask takes no lock and drops none."""
    return _read_lock_type(fcntl.fcntl(handle, fcntl.F_GETLK, _describe_lock())) != fcntl.F_UNLCK


def _describe_lock() -> bytes:
    if IS_LINUX:
        return struct.pack(LOCK_FORMAT, fcntl.F_WRLCK, os.SEEK_SET, IN_USE_BYTE, 1, 0)
    return struct.pack(LOCK_FORMAT, IN_USE_BYTE, 1, 0, fcntl.F_WRLCK, os.SEEK_SET)


def _read_lock_type(described: bytes) -> int:
    return int(struct.unpack(LOCK_FORMAT, described)[0 if IS_LINUX else 3])

"""One process at a time, by a lock of the kernel on a file: it ends with its process, so none is ever left behind."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from synaptic.files.inside import open_inside

LOCK_FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK
LOCK_MODE = 0o600
"""Nobody else's: whoever can read a file can lock it, and keep us waiting."""


@contextlib.contextmanager
def hold_lock(path: Path) -> Iterator[None]:
    """Wait for the lock on a file and hold it for the block. The file is created and stays: only its lock counts."""
    with _hold_handle(os.open(path, LOCK_FLAGS, LOCK_MODE)):
        yield


@contextlib.contextmanager
def hold_lock_inside(root: Path, name: str) -> Iterator[None]:
    """The same for a file below a project's folder, where no link is followed; folders on the way are created."""
    with _hold_handle(open_inside(root, name, LOCK_FLAGS, make=0o755, mode=LOCK_MODE)):
        yield


def is_file_locked(path: Path) -> bool:
    """Whether a living process holds a lock on a file. Raises OSError where there is none, or it cannot be opened."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        # Shared: two who look at the same time must not take each other for the holder.
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


@contextlib.contextmanager
def _hold_handle(handle: int) -> Iterator[None]:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)

"""One process at a time, by a lock of the kernel on a file: it ends with its process, so none is ever left behind."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def hold_lock(path: Path) -> Iterator[None]:
    """Wait for the lock on a file and hold it for the block. The file is created and stays: only its lock counts."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)

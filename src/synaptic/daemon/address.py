"""Bind and connect Unix sockets with long paths: the kernel takes about a hundred bytes, a home may have more."""

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from synaptic.model.home import Home

PATH_LIMIT = 103
"""What the stricter of the two systems takes (macOS; Linux has 107)."""


@contextmanager
def bind_name(path: Path) -> Iterator[str]:
    """Yield a name for this socket that is short enough, valid while the context is open."""
    if len(os.fsencode(path)) <= PATH_LIMIT:
        yield str(path)
        return
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with _link_folder(folder) as prefix:
            yield prefix + path.name
    finally:
        os.close(folder)


def connect_daemon(home: Home, timeout: float) -> socket.socket:
    """A connection to the daemon. Raises OSError when nobody accepts."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(timeout)
    try:
        with bind_name(home.socket) as path:
            connection.connect(path)
    except OSError:
        connection.close()
        raise
    return connection


@contextmanager
def _link_folder(folder: int) -> Iterator[str]:
    if sys.platform == "linux":
        yield f"/proc/self/fd/{folder}/"
        return
    # Elsewhere a descriptor has no path: the name is relative to the folder for a moment.
    before = os.open(".", os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fchdir(folder)
        yield ""
    finally:
        os.fchdir(before)
        os.close(before)

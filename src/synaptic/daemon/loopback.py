"""Which process is at the other end of a connection on loopback, as the kernel's tables tell."""

import os
import socket
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import NamedTuple

from synaptic.files.bounded import read_bounded

TABLES = ("/proc/net/tcp", "/proc/net/tcp6")
LARGEST_TABLE = 1 << 24
LOOKS = 3
LOCAL_ADDRESS, REMOTE_ADDRESS, OWNER, INODE = 1, 2, 7, 9
"""Places in a row of the table."""


class ConnectionEnds(NamedTuple):
    """Both ends of a connection. A port alone names nobody: another connection, or a listener, may have it as well."""

    client: tuple[str, int]
    server: tuple[str, int]


def find_loopback_peer(ends: ConnectionEnds, likely: Iterable[int] = ()) -> int:
    """The process of ours that holds the client's end of a connection; 0 where that cannot be told.

    Those that it is likely to be are looked at first.
    """
    # The kernel hands its table out a page at a time: a row may slip from one to the next meanwhile.
    looks = (_find_inode(ends) for _ in range(LOOKS)) if sys.platform == "linux" else ()
    inode = next(filter(None, looks), "")
    if not inode:
        return 0
    wanted = f"socket:[{inode}]"
    return next((pid for pid in (*likely, *_iter_own_processes()) if wanted in _iter_open_files(pid)), 0)


def _find_inode(ends: ConnectionEnds) -> str:
    local, remote = _list_forms(*ends.client), _list_forms(*ends.server)
    for table in TABLES:
        for line in _read_table(table).decode("ascii", "replace").splitlines()[1:]:
            fields = line.split()
            # A connection that is over has no file any more: another one may have had this port.
            if len(fields) <= INODE or fields[INODE] == "0" or fields[OWNER] != str(os.getuid()):
                continue
            if fields[LOCAL_ADDRESS] in local and fields[REMOTE_ADDRESS] in remote:
                return fields[INODE]
    return ""


def _list_forms(host: str, port: int) -> tuple[str, ...]:
    """How the kernel writes one end: as it is, and as clients have it that speak to it by a socket of IPv6."""
    try:
        plain = _write_word(socket.inet_aton(host))
    except OSError:
        return ()
    return f"{plain}:{port:04X}", f"{'0' * 16}{_write_word(bytes((0, 0, 255, 255)))}{plain}:{port:04X}"


def _write_word(word: bytes) -> str:
    return f"{int.from_bytes(word, sys.byteorder):08X}"


def _read_table(path: str) -> bytes:
    try:
        return read_bounded(path, LARGEST_TABLE)
    except OSError:
        return b""


def _iter_own_processes() -> Iterator[int]:
    for entry in os.scandir("/proc"):
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            yield int(entry.name)


def _iter_open_files(pid: int) -> Iterator[str]:
    try:
        names = os.listdir(f"/proc/{pid}/fd")  # noqa: PTH208 - on the path of an event
    except OSError:
        return  # it has ended, or is somebody else's
    for name in names:
        with suppress(OSError):  # it has closed this file meanwhile: the others are still to be looked at
            yield os.readlink(f"/proc/{pid}/fd/{name}")  # noqa: PTH115

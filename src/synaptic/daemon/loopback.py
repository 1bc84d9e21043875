"""Which process is at the other end of a connection on loopback, as the kernel's tables tell."""

import os
import sys
from collections.abc import Iterator

from synaptic.files.bounded import read_start

TABLES = ("/proc/net/tcp", "/proc/net/tcp6")
LARGEST_TABLE = 1 << 24
LOCAL_ADDRESS, OWNER, INODE = 1, 7, 9
"""Places in a row of the table."""


def find_loopback_peer(port: int) -> int:
    """The process of ours that holds this end of a connection; 0 where that cannot be told."""
    inode = _find_inode(port) if sys.platform == "linux" else ""
    if not inode:
        return 0
    wanted = f"socket:[{inode}]"
    return next((pid for pid in _iter_own_processes() if wanted in _iter_open_files(pid)), 0)


def _find_inode(port: int) -> str:
    ending = f":{port:04X}"
    for table in TABLES:
        for line in read_start(table, LARGEST_TABLE).decode("ascii", "replace").splitlines()[1:]:
            fields = line.split()
            # A connection that is over has no file any more: another one may have had this port.
            if len(fields) <= INODE or fields[INODE] == "0" or fields[OWNER] != str(os.getuid()):
                continue
            if fields[LOCAL_ADDRESS].endswith(ending):
                return fields[INODE]
    return ""


def _iter_own_processes() -> Iterator[int]:
    for entry in os.scandir("/proc"):
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            yield int(entry.name)


def _iter_open_files(pid: int) -> Iterator[str]:
    try:
        for entry in os.scandir(f"/proc/{pid}/fd"):
            yield os.readlink(entry.path)  # noqa: PTH115 - of many files, on the path of an event
    except OSError:
        return  # it has ended, closed a file, or is somebody else's

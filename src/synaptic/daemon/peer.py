"""Who is at the other end of the socket: one user's daemon answers no other user, and knows which process asks."""

import asyncio
import os
import socket
import struct

CREDENTIALS = struct.Struct("3i")
SOL_LOCAL = 0
LOCAL_PEERCRED = 1
LOCAL_PEERPID = 2
XUCRED = struct.Struct("2I")


def is_same_user(transport: asyncio.BaseTransport) -> bool:
    """Whether the peer is us (or root, who could be us anyway)."""
    sock = transport.get_extra_info("socket")
    return sock is not None and read_peer_uid(sock) in (os.getuid(), 0)


def read_peer_uid(sock: socket.socket) -> int:
    """The user id of the process that connected."""
    if hasattr(socket, "SO_PEERCRED"):
        raw = sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, CREDENTIALS.size)
        return int(CREDENTIALS.unpack(raw)[1])
    # macOS and BSD: struct xucred is 76 bytes, and the user id follows its version.
    raw = sock.getsockopt(SOL_LOCAL, LOCAL_PEERCRED, 76)
    return int(XUCRED.unpack_from(raw)[1])


def read_peer_pid(transport: asyncio.BaseTransport) -> int:
    """The process that connected; 0 when the kernel does not tell."""
    sock = transport.get_extra_info("socket")
    try:
        if hasattr(socket, "SO_PEERCRED"):
            return int(CREDENTIALS.unpack(sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, CREDENTIALS.size))[0])
        return int(sock.getsockopt(SOL_LOCAL, LOCAL_PEERPID))
    except (OSError, AttributeError):
        return 0

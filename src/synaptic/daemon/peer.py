"""Who is at the other end of the socket: one user's daemon answers no other user."""

import asyncio
import os
import socket
import struct

CREDENTIALS = struct.Struct("3i")
LOCAL_PEERCRED = 1
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
    raw = sock.getsockopt(0, LOCAL_PEERCRED, 76)
    return int(XUCRED.unpack_from(raw)[1])

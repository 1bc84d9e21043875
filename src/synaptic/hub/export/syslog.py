"""The destination `syslog`: messages over UDP, TCP or the socket of this machine."""

import array
import errno
import fcntl
import re
import select
import socket
import termios
import time
from collections.abc import Sequence
from contextlib import suppress
from urllib.parse import parse_qsl, urlsplit

import msgspec

from synaptic.hub.export.rfc5424 import format_message
from synaptic.hub.export.source import ExportSource, find_source
from synaptic.hub.export.threaded import ThreadedDestination
from synaptic.hub.shipping.destination import Destination, DestinationError
from synaptic.hub.wire import ShippedEvent
from synaptic.model.errors import SynapticError

PORTS = {"udp": 514, "tcp": 601}
SIZES = {"udp": 2048, "tcp": 8192, "unix": 8192}
LEAST_SIZE, MOST_SIZE = 1024, 8192
CONNECT_SECONDS = SEND_SECONDS = 10.0
MOST_SAID = 100
"""Pieces; a server that talks without end is left."""
HINT = "write udp://HOST:514, tcp://HOST:601 or unix:///dev/log"


class SyslogAddress(msgspec.Struct, frozen=True):
    """Where messages go, and how large one may be."""

    kind: str
    host: str
    port: int
    path: str
    size: int

    @property
    def text(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"unix://{self.path}" if self.kind == "unix" else f"{self.kind}://{host}:{self.port}"


class SyslogSender:
    """Sends, and sees to it as far as each way allows that what was sent has arrived."""

    def __init__(self, address: SyslogAddress, source: ExportSource) -> None:
        self.name = f"syslog {address.text}"
        self._address = address
        self._source = source
        self._socket: socket.socket | None = None

    def send(self, after: int, events: Sequence[ShippedEvent]) -> int:
        """Send every message. Raises DestinationError, and all are sent again: nobody can tell what has arrived."""
        try:
            connected = self._connect()
            self._send_all(connected, [format_message(one, self._source, self._address.size) for one in events])
        except OSError as error:
            self.close()
            raise DestinationError(f"{error.strerror or error}", where=self._address.text) from error
        return events[-1].seq if events else after

    def close(self) -> None:
        if self._socket:
            self._socket.close()
        self._socket = None

    def _connect(self) -> socket.socket:
        if self._socket and not _is_closed(self._socket):
            return self._socket
        self.close()
        self._socket = _open_socket(self._address)
        self._socket.settimeout(SEND_SECONDS)
        return self._socket

    def _send_all(self, connected: socket.socket, messages: list[bytes]) -> None:
        if connected.type == socket.SOCK_DGRAM:
            for message in messages:
                connected.send(message)
            _raise_refusal(connected)
            return
        # Octet counting (RFC 6587): no letter of a message can end it.
        connected.sendall(b"".join(b"%d %b" % (len(message), message) for message in messages))
        _wait_until_taken(connected)


def open_destination(address: str) -> Destination:
    """The server at an address. Raises SynapticError."""
    return ThreadedDestination(SyslogSender(read_address(address), find_source()))


def read_address(text: str) -> SyslogAddress:
    """Raises SynapticError."""
    try:
        parts = urlsplit(text)
        port, options = parts.port, dict(parse_qsl(parts.query))
    except ValueError as error:
        raise SynapticError(f"`{text}` is no address ({error})", hint=HINT) from error
    kind = parts.scheme
    if kind not in SIZES or parts.username or re.search(r"[\x00-\x20]", text):
        raise SynapticError(f"`{text}` is no address of syslog", hint=HINT)
    if kind == "unix" and (parts.netloc or not parts.path.startswith("/")):
        raise SynapticError(f"`{text}` names no socket", hint=HINT)
    if kind != "unix" and (not parts.hostname or parts.path not in ("", "/")):
        raise SynapticError(f"`{text}` names no host", hint=HINT)
    size = _read_size(options, SIZES[kind])
    return SyslogAddress(kind, parts.hostname or "", port or PORTS.get(kind, 0), parts.path, size)


def _read_size(options: dict[str, str], usual: int) -> int:
    size = options.pop("size", str(usual))
    if options or not size.isdecimal() or not LEAST_SIZE <= int(size) <= MOST_SIZE:
        raise SynapticError(f"the only option is size={LEAST_SIZE} to {MOST_SIZE}", hint="udp://HOST:514?size=1024")
    return int(size)


def _open_socket(address: SyslogAddress) -> socket.socket:
    if address.kind == "unix":
        return _open_unix(address.path)
    if address.kind == "tcp":
        return socket.create_connection((address.host, address.port), CONNECT_SECONDS)
    found = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_DGRAM)
    return _connect_to(socket.socket(*found[0][:3]), found[0][4])


def _open_unix(path: str) -> socket.socket:
    """Servers listen for datagrams there or, seldom, for a stream."""
    try:
        return _connect_to(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM), path)
    except OSError as error:
        if error.errno != errno.EPROTOTYPE:
            raise
        return _connect_to(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM), path)


def _connect_to(made: socket.socket, where: object) -> socket.socket:
    try:
        made.settimeout(CONNECT_SECONDS)
        made.connect(where)  # type: ignore[arg-type]  # a path or a pair, as the family wants it
    except OSError:
        made.close()
        raise
    return made


def _is_closed(connected: socket.socket) -> bool:
    """Whether a server has hung up. What it says is not asked for, and thrown away."""
    if connected.type == socket.SOCK_DGRAM:
        return False
    try:
        return _has_ended(connected)
    except OSError:
        return True


def _has_ended(connected: socket.socket) -> bool:
    """Whether it hung up in good order, with all that it was sent. Raises OSError where it broke off."""
    for _ in range(MOST_SAID):
        if not _is_readable(connected):
            return False
        if not connected.recv(4096):
            return True
    return True


def _is_readable(connected: socket.socket) -> bool:
    """Asked by `poll`: a socket with a timeout would wait for it, whatever the flags of `recv` say."""
    poll = select.poll()
    poll.register(connected, select.POLLIN)
    return bool(poll.poll(0))


def _raise_refusal(connected: socket.socket) -> None:
    """What the network has answered to a datagram: that nobody listens there."""
    if code := connected.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
        raise OSError(code, "nobody listens there")


def _wait_until_taken(connected: socket.socket) -> None:
    """Until the other machine has acknowledged every byte: what only stands in our own buffer is lost with it."""
    ends, waiting = time.monotonic() + SEND_SECONDS, array.array("i", [0])
    while True:
        with suppress(OSError):  # a system that cannot say it
            fcntl.ioctl(connected, termios.TIOCOUTQ, waiting, True)
        _has_ended(connected)
        if not waiting[0]:
            return
        if time.monotonic() > ends:
            raise OSError(None, "the server does not take what is sent")
        time.sleep(0.005)

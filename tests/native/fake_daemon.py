"""A daemon that does what a test tells it to: real socket, real frames, no engine."""

import fcntl
import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path

from synaptic.daemon import frame
from synaptic.daemon.address import bind_name
from synaptic.model.call import Answer
from synaptic.model.home import Home

Behave = Callable[[socket.socket, frame.RequestDelivery], None]


def tell(answer: Answer, status: int = frame.ANSWERED) -> Behave:
    return lambda connection, delivery: connection.sendall(frame.pack_answer(answer, status))


def send(*pieces: bytes) -> Behave:
    return lambda connection, delivery: [connection.sendall(piece) for piece in pieces] and None


def receive(connection: socket.socket, size: int) -> bytes:
    content = bytearray()
    while len(content) < size:
        piece = connection.recv(min(1 << 20, size - len(content)))
        if not piece:
            raise EOFError
        content += piece
    return bytes(content)


class FakeDaemon:
    """Accepts on a home's socket until closed; remembers what it was asked."""

    def __init__(self, home: Home, behave: Behave) -> None:
        self.deliveries: list[frame.RequestDelivery] = []
        self._behave = behave
        home.run.mkdir(parents=True, exist_ok=True)
        home.socket.unlink(missing_ok=True)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        with bind_name(home.socket) as path:
            self._socket.bind(path)
        self._socket.listen(512)
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> "FakeDaemon":
        return self

    def __exit__(self, *_: object) -> None:
        # Closing alone would leave the accepting thread in its call.
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            try:
                sizes = frame.read_request_sizes(receive(connection, frame.REQUEST_HEAD.size))
                delivery = frame.unpack_request(sizes, receive(connection, sizes.body))
                self.deliveries.append(delivery)
                self._behave(connection, delivery)
            except (EOFError, OSError):
                return


def hold_lock(path: Path) -> int:
    """The lock of a daemon that is starting; close the descriptor to let go."""
    if path.suffix:
        path.parent.mkdir(parents=True, exist_ok=True)
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    else:  # a home's own folder
        path.mkdir(parents=True, exist_ok=True)
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return fd

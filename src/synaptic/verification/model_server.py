"""A scripted model on loopback, in the dialect that the client speaks."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol

import msgspec

from synaptic.verification.script import DONE, Do, Turn

Json = dict[str, Any]
MOST_BYTES = 32 << 20
"""Of one request: whoever on this machine sends more is not the client that was started."""
MOST_REQUESTS = 1000
"""Turns that are remembered: a client that asks for ever fills no memory."""
IDLE_SECONDS = 600
"""For a connection on which nothing comes."""


class Reply(msgspec.Struct, frozen=True):
    """What goes back over HTTP."""

    body: bytes
    kind: str = "application/json"
    status: int = 200


class Dialect(Protocol):
    """One API: which requests are turns of the conversation, and how a turn, or anything else, is answered."""

    base: str
    """What stands between the host and the paths of the API."""

    def is_turn(self, path: str, request: Json) -> bool: ...

    def turn(self, turn: Turn, number: int, request: Json) -> Reply: ...

    def aside(self, path: str, request: Json) -> Reply: ...

    def results(self, request: Json) -> Iterator[tuple[str, str]]:
        """The id and the text of every tool result in a request."""


class Model(ThreadingHTTPServer):
    """Answers each turn of the conversation with the next line of the script; the last line is repeated for ever."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, dialect: Dialect) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.dialect = dialect
        self.requests: list[Json] = []
        self._count = 0
        self._turns: tuple[Turn, ...] = (DONE,)
        self._lock = threading.Lock()
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    @property
    def url(self) -> str:
        return f"{self.address}{self.dialect.base}"

    @property
    def address(self) -> str:
        """Where it listens; as a proxy it refuses everything."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def follow(self, turns: tuple[Turn, ...]) -> None:
        """Forget what was asked and begin a new script."""
        with self._lock:
            self._turns, self._count, self.requests = turns, 0, []

    def next_turn(self, request: Json) -> tuple[Turn, int]:
        """The turn that answers this request, and its number."""
        with self._lock:
            number = self._count
            self._count += 1
            if number < MOST_REQUESTS:
                self.requests.append(request)
            return self._turns[min(number, len(self._turns) - 1)], number

    def close(self) -> None:
        self.shutdown()
        self.server_close()

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up in the middle, or sends what is no HTTP, is no news for a terminal."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = IDLE_SECONDS
    server: Model

    def log_message(self, format: str, *args: object) -> None:
        """Requests are remembered, not printed."""

    def do_CONNECT(self) -> None:
        """The client wants something of the network, which it does not get."""
        self._send(Reply(b"", status=403))
        self.close_connection = True

    def do_GET(self) -> None:
        self._send(self.server.dialect.aside(self.path.split("?")[0], {}))

    def do_POST(self) -> None:
        path, dialect = self.path.split("?")[0], self.server.dialect
        request = json.loads(self._read_body() or b"{}")
        if not dialect.is_turn(path, request):
            return self._send(dialect.aside(path, request))
        turn, number = self.server.next_turn(request)
        for block in turn:
            if isinstance(block, Do):
                block.act()
        return self._send(dialect.turn(turn, number, request))

    def _read_body(self) -> bytes:
        if "chunked" in (self.headers.get("transfer-encoding") or ""):
            return b"".join(self._iter_chunks())
        return self._read(int(self.headers.get("content-length") or 0))

    def _iter_chunks(self) -> Iterator[bytes]:
        left = MOST_BYTES
        while size := int(self.rfile.readline(1 << 10).split(b";")[0], 16):
            left -= size
            yield self._read(size if left >= 0 else MOST_BYTES + 1)
            self.rfile.readline(1 << 10)
        self.rfile.readline(1 << 10)

    def _read(self, size: int) -> bytes:
        if not 0 <= size <= MOST_BYTES:
            raise ValueError(f"a request of {size} bytes")
        return self.rfile.read(size)

    def _send(self, reply: Reply) -> None:
        self.send_response(reply.status)
        self.send_header("content-type", reply.kind)
        self.send_header("content-length", str(len(reply.body)))
        self.end_headers()
        self.wfile.write(reply.body)

"""Events to export, and the real servers that take them."""

import gzip
import socket
import threading
import time
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest, ExportLogsServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

from synaptic.hub.export.source import ExportSource
from synaptic.hub.wire import HookRun, ShippedEvent

SOURCE = ExportSource("laptop-7", "0f" * 16)
HOSTILE = 'x"]\\\n\r\0\x1b[31m\u202e\u2028] [a@1 b="c"] é漢 <34>1 - - - - - -'


def make_event(seq: int = 1, **changes: object) -> ShippedEvent:
    values: dict[str, object] = {
        "seq": seq,
        "call": f"01JF{seq:020d}",
        "at": 1_700_000_000.25 + seq,
        "agent": "claude",
        "event": "PreToolUse",
        "session": "5f3c-1",
        "tool": "Bash",
        "project": "~/work/shop",
        "kind": "deny",
        "by": "git.force-push",
        "code": "AB12",
        "micros": 900,
        "size": 311,
        "tool_use": f"toolu_{seq}",
        "runs": (HookRun("git.force-push", "deny", 300), HookRun("mine", "none", 50, "timeout")),
        "quiet": 41,
        "grants": ("g1",),
    }
    return ShippedEvent(**(values | changes))  # type: ignore[arg-type]


def make_events(first: int, count: int, **changes: object) -> list[ShippedEvent]:
    return [make_event(seq, **changes) for seq in range(first, first + count)]


Respond = Callable[["Collector", str], tuple[int, bytes, dict[str, str]] | None]


def accept(_: "Collector", path: str) -> tuple[int, bytes, dict[str, str]]:
    return 200, b"", {"content-type": "application/x-protobuf"}


class Collector:
    """A receiver of OTLP over HTTP that decodes what comes and answers as it is told to."""

    def __init__(self, respond: Respond = accept) -> None:
        self.respond = respond
        self.bodies: list[bytes] = []
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.spans: list[object] = []
        self.records: list[object] = []
        self.resources: list[object] = []
        self.schemas: set[str] = set()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._make_handler())
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def take(self, path: str, body: bytes) -> None:
        """Keep what was sent, decoded. Raises DecodeError for what is no request."""
        self.bodies.append(body)
        if path.endswith("/v1/traces"):
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                self.resources.append(resource.resource)
                self.schemas.add(resource.schema_url)
                self.spans += [span for scope in resource.scope_spans for span in scope.spans]
            return
        for resource in ExportLogsServiceRequest.FromString(body).resource_logs:
            self.resources.append(resource.resource)
            self.schemas.add(resource.schema_url)
            self.records += [record for scope in resource.scope_logs for record in scope.log_records]

    def _make_handler(self) -> type[BaseHTTPRequestHandler]:
        collector = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers["content-length"]))
                body = gzip.decompress(raw) if self.headers.get("content-encoding") == "gzip" else raw
                headers = {name.lower(): value for name, value in self.headers.items()}
                collector.requests.append((self.path, headers))
                answer = collector.respond(collector, self.path)
                if answer is None:  # cut off
                    self.connection.shutdown(socket.SHUT_RDWR)
                    self.close_connection = True
                    return
                status, content, fields = answer
                if 200 <= status < 300:
                    collector.take(self.path, body)
                self.send_response(status)
                for name, value in fields.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: object) -> None:
                pass

        return Handler


def reject_parts(_: Collector, path: str) -> tuple[int, bytes, dict[str, str]]:
    """As a collector that has taken all but two."""
    message = "quota \x1b[31m\nghp_" + "a1B2c3D4e5" * 4
    if path.endswith("traces"):
        body = ExportTraceServiceResponse()
        body.partial_success.rejected_spans = 2
    else:
        body = ExportLogsServiceResponse()
        body.partial_success.rejected_log_records = 2
    body.partial_success.error_message = message
    return 200, body.SerializeToString(), {"content-type": "application/x-protobuf"}


def read_attributes(pairs: Sequence[object]) -> dict[str, object]:
    """Attributes of OTLP as plain values."""
    return {pair.key: _read_value(pair.value) for pair in pairs}  # type: ignore[attr-defined]


def _read_value(value: object) -> object:
    kind = value.WhichOneof("value")  # type: ignore[attr-defined]
    found = getattr(value, kind)
    return tuple(map(_read_value, found.values)) if kind == "array_value" else found


class SyslogServer:
    """Takes messages of syslog: datagrams, or a stream with octet counting."""

    def __init__(self, family: int, kind: int, where: object) -> None:
        self.messages: list[bytes] = []
        self._socket = socket.socket(family, kind)
        self._socket.bind(where)
        self.kind = kind
        if kind == socket.SOCK_STREAM:
            self._socket.listen()
        threading.Thread(target=self._run, daemon=True).start()

    @property
    def port(self) -> int:
        return int(self._socket.getsockname()[1])

    def wait_for(self, count: int) -> list[bytes]:
        ends = time.monotonic() + 10
        while len(self.messages) < count and time.monotonic() < ends:
            time.sleep(0.01)
        return list(self.messages)

    def close(self) -> None:
        self._socket.close()

    def _run(self) -> None:
        try:
            while True:
                if self.kind == socket.SOCK_DGRAM:
                    self.messages.append(self._socket.recv(65_536))
                else:
                    connection, _ = self._socket.accept()
                    threading.Thread(target=self._read, args=(connection,), daemon=True).start()
        except OSError:
            pass

    def _read(self, connection: socket.socket) -> None:
        with connection.makefile("rb") as file:
            while size := _read_size(file):
                self.messages.append(file.read(size))


def _read_size(file: object) -> int:
    digits = b""
    while (letter := file.read(1)) not in (b" ", b""):  # type: ignore[attr-defined]
        assert letter.isdigit(), letter
        digits += letter
    return int(digits or b"0")

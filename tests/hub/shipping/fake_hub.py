"""A hub that keeps to the contract and to nothing else: marks, signatures, 409. It remembers what left the host."""

import base64
import gzip
import json
import threading
import time
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

import msgspec

from synaptic.hub.keys import PublicKey, WrongSignatureError, make_request_text
from synaptic.hub.wire import API, MOST_EVENTS, BatchAnswer, EventBatch, HubNews, JoinAnswer, JoinRequest, ShippedEvent

Fault = Literal["", "before", "after"]


class FakeHub:
    """One hub on a port of this machine; it can be closed and opened again at the same port, and keeps what it has."""

    def __init__(self) -> None:
        self.keys: dict[str, PublicKey] = {}
        self.marks: dict[str, int] = {}
        self.events: dict[str, list[ShippedEvent]] = {}
        self.bodies: list[bytes] = []
        self.statuses: list[dict[str, Any]] = []
        self.questions: list[list[dict[str, Any]]] = []
        self.asked: list[tuple[str, str]] = []
        self.name, self.offered = "test hub", ""
        self.codes = {"right"}
        self.refusal: tuple[int, dict[str, str], bytes] | None = None
        """What every request gets, where it is set."""
        self.fault: Fault = ""
        """Where the connection is broken: before a batch is taken, or after it."""
        self.most_events = MOST_EVENTS
        self.news = HubNews()
        self.lock = threading.Lock()
        self.is_away = False
        self._port = 0
        self._server: ThreadingHTTPServer | None = None
        self.open()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def open(self) -> None:
        hub, self.is_away = self, False

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                pass

            def handle_one_request(self) -> None:
                with suppress(ConnectionError, TimeoutError):
                    super().handle_one_request()

            def do_any(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                answer = hub.answer(self.command, self.path, dict(self.headers.items()), body)
                if answer is None:
                    self.close_connection = True
                    self.connection.close()
                    return
                status, headers, content = answer
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_PUT = do_any

        ThreadingHTTPServer.allow_reuse_address = True
        self._server = ThreadingHTTPServer(("127.0.0.1", self._port), Handler)
        self._server.daemon_threads = True
        self._port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        self.is_away = True  # for connections that are open
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    @contextmanager
    def away(self):
        self.close()
        try:
            yield
        finally:
            self.open()

    def add_host(self, name: str, key: PublicKey) -> None:
        self.keys[name], self.marks[name], self.events[name] = key, 0, []

    def answer(self, method: str, target: str, headers: dict[str, str], body: bytes):
        with self.lock:
            if self.is_away:
                return None
            self.asked.append((method, target))
            if self.refusal is not None:
                return self.refusal
            if (method, target) == ("POST", f"{API}/join"):
                return self._join(msgspec.json.decode(body, type=JoinRequest))
            headers = {name.lower(): value for name, value in headers.items()}
            try:
                host = self._know(method, target, headers, body)
            except (KeyError, ValueError, WrongSignatureError) as error:
                return 401, {}, json.dumps({"error": f"who are you? {error}"}).encode()
            if headers.get("content-encoding") == "gzip":
                body = gzip.decompress(body)
            self.bodies.append(body)
            match method, target.removeprefix(API).partition("?")[0]:
                case "POST", "/events":
                    return self._take(host, msgspec.json.decode(body, type=EventBatch))
                case "PUT", "/status":
                    self.statuses.append(json.loads(body))
                    return 204, {}, b""
                case "PUT", "/questions":
                    self.questions.append(json.loads(body))
                    return 204, {}, b""
                case "GET", "/news":
                    return 200, {}, msgspec.json.encode(self.news)
        return 404, {}, b"{}"

    def _join(self, request: JoinRequest):
        if request.code not in self.codes:
            return 403, {}, b'{"error": "this code is wrong, used or old", "hint": "ask for another"}'
        self.codes.discard(request.code)
        host = f"{request.name}-1"
        self.add_host(host, PublicKey.parse(request.key))
        return 200, {}, msgspec.json.encode(JoinAnswer(host=host, hub=self.name, organisation_key=self.offered))

    def _know(self, method: str, target: str, headers: dict[str, str], body: bytes) -> str:
        host, at = headers["x-synaptic-host"], headers["x-synaptic-at"]
        if abs(float(at) - time.time()) > 300:
            raise ValueError("your clock")
        signature = base64.b64decode(headers["x-synaptic-signature"])
        self.keys[host].check(make_request_text(method, target, at, body), signature)
        return host

    def _take(self, host: str, batch: EventBatch):
        if self.fault == "before":
            return None
        assert len(batch.events) <= MOST_EVENTS
        if len(batch.events) > self.most_events:
            return 413, {}, b"{}"
        if batch.after != self.marks[host]:
            return 409, {}, msgspec.json.encode(BatchAnswer(self.marks[host]))
        before = batch.after
        for event in batch.events:
            assert event.seq > before, "out of order"
            before = event.seq
        self.events[host] += batch.events
        self.marks[host] = before
        if self.fault == "after":
            return None
        return 200, {}, msgspec.json.encode(BatchAnswer(before))

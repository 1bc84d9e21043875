"""A scripted Messages API on loopback: the model that a real client talks to in tests."""

import itertools
import json
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from tests.clients.script import DONE, Block, Do, Rule, Text, Tokens, Turn, Use

Json = dict[str, Any]
USAGE: Json = {"input_tokens": 10, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 5}


class ModelServer(ThreadingHTTPServer):
    """Answers every request with the next turn of the first rule that takes it, and remembers the request."""

    daemon_threads = True

    def __init__(self, rules: tuple[Rule, ...]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: list[Json] = []
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._rules = [(rule, iter(rule.turns)) for rule in rules]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def __enter__(self) -> "ModelServer":
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.shutdown()
        self.server_close()

    def next_turn(self, request: Json) -> Turn:
        with self._lock:
            self.requests.append(request)
            for rule, turns in self._rules:
                if rule.takes(request):
                    return next(turns, rule.turns[-1])
        return DONE

    def number(self) -> int:
        return next(self._numbers)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ModelServer

    def log_message(self, format: str, *args: object) -> None:
        """Requests are remembered, not printed."""

    def do_HEAD(self) -> None:
        self._json(200, {})

    def do_GET(self) -> None:
        self._json(404, {"type": "error", "error": {"type": "not_found_error", "message": self.path}})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.path.split("?")[0] != "/v1/messages":
            return self._json(200, {"input_tokens": 100})
        request = json.loads(body)
        turn = self.server.next_turn(request)
        for block in turn:
            if isinstance(block, Do):
                block.act()
        message = _message(self.server, request, turn)
        return self._stream(message) if request.get("stream") else self._json(200, message)

    def _json(self, status: int, body: Json) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _stream(self, message: Json) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream; charset=utf-8")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        for event in _events(message):
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())


def _message(server: ModelServer, request: Mapping[str, Any], turn: Turn) -> Json:
    content = [block for block in (_block(server, block) for block in turn) if block]
    used = [block.used for block in turn if isinstance(block, Tokens)]
    calls = any(block["type"] == "tool_use" for block in content)
    return {
        "id": f"msg_scripted{server.number():05d}",
        "type": "message",
        "role": "assistant",
        "model": request.get("model", "scripted"),
        "content": content,
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {**USAGE, "input_tokens": used[0]} if used else USAGE,
    }


def _block(server: ModelServer, block: Block) -> Json | None:
    if isinstance(block, Text):
        return {"type": "text", "text": block.text}
    if isinstance(block, Use):
        number = f"toolu_scripted{server.number():05d}"
        return {"type": "tool_use", "id": number, "name": block.name, "input": dict(block.input)}
    return None


def _events(message: Json) -> Iterator[Json]:
    yield {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    for index, block in enumerate(message["content"]):
        yield from _block_events(index, block)
    stop = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": stop, "usage": message["usage"]}
    yield {"type": "message_stop"}


def _block_events(index: int, block: Json) -> Iterator[Json]:
    if block["type"] == "text":
        start, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
    else:
        start = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    yield {"type": "content_block_start", "index": index, "content_block": start}
    yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}

"""Servers on this machine, and no others."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from synaptic.model.decision import Fault, Kind
from synaptic.model.hook import HttpEndpoint
from synaptic.runners.http import HttpRunner, parse_loopback_url
from tests.runners.making import make_call, make_hook, make_invocation, on_loop


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.seen.append((self.path, dict(self.headers), json.loads(body)))
        status, answer = self.server.answers[self.path.partition("?")[0]]
        if status == 0:
            self.server.release.wait(10)
            return
        self.send_response(status)
        self.send_header("Location", "/block")
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.seen = []
    server.release = threading.Event()
    server.answers = {
        "/block": (200, b'{"decision":"block","reason":"no"}'),
        "/empty": (204, b""),
        "/text": (200, b"hello"),
        "/broken": (200, b"{nope}"),
        "/error": (500, b'{"decision":"block"}'),
        "/moved": (302, b""),
        "/huge": (200, b"{" + b" " * 2_000_000 + b"}"),
        "/slow": (0, b""),
    }
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield server
    server.release.set()
    server.shutdown()
    server.server_close()


def ask(url, timeout=10.0, loop="asyncio", **headers):
    handler = HttpEndpoint(url, headers)
    invocation = make_invocation(make_hook(handler, protocol="native"), make_call("/p"), timeout)

    async def work():
        runner = HttpRunner()
        try:
            return await runner.run(invocation, handler)
        finally:
            await runner.close()

    return on_loop(work(), loop)


@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_server_blocks(server, host, loop):
    verdict = ask(f"http://{host}:{server.server_port}/block?x=1", loop=loop, Authorization="Bearer t")
    assert (verdict.says, verdict.reason) == (Kind.DENY, "no")
    path, headers, body = server.seen[0]
    assert (path, headers["Content-Type"], headers["Authorization"]) == ("/block?x=1", "application/json", "Bearer t")
    assert body["tool_input"] == {"command": "ls"}


@pytest.mark.parametrize(
    ("path", "fault"),
    [
        ("text", Fault.OUTPUT),
        ("broken", Fault.OUTPUT),
        ("huge", Fault.OUTPUT),
        ("error", Fault.CRASH),
        ("moved", Fault.CRASH),
    ],
)
def test_everything_but_a_json_object_is_a_failure(server, path, fault):
    assert ask(f"http://127.0.0.1:{server.server_port}/{path}").fault is fault
    assert len(server.seen) == 1, "redirects are not followed"


def test_an_empty_answer_is_silence(server):
    assert ask(f"http://127.0.0.1:{server.server_port}/empty") is None


def test_a_slow_server_is_left(server):
    started = time.monotonic()
    assert ask(f"http://127.0.0.1:{server.server_port}/slow", timeout=0.3).fault is Fault.TIMEOUT
    assert time.monotonic() - started < 5


def test_nobody_listens(server):
    port = server.server_port
    server.shutdown()
    server.server_close()
    failure = ask(f"http://localhost:{port}/block")
    assert failure.fault is Fault.CRASH and str(port) in failure.message


ELSEWHERE = """
http://example.com/ http://10.0.0.1/ http://localhost.example.com/ http://169.254.169.254/ ftp://127.0.0.1/
https://127.0.0.1/ http://[::ffff:8.8.8.8]/ http://127.0.0.1@evil.example/ http://0.0.0.0/ http:// x
http://127.0.0.1:99999/ http://[::1/ http://2130706433/
"""


@pytest.mark.parametrize("url", ["", *ELSEWHERE.split()])
def test_nothing_leaves_the_machine(url):
    assert isinstance(parse_loopback_url(url), str)
    assert ask(url).fault is Fault.MISSING


def test_loopback_addresses():
    assert parse_loopback_url("http://127.8.9.1/x").hosts == ("127.8.9.1",)
    assert parse_loopback_url("http://[::1]:8080").port == 8080
    assert parse_loopback_url("http://localhost").hosts == ("127.0.0.1", "::1")


def test_a_bad_header_is_a_failure(server):
    assert ask(f"http://127.0.0.1:{server.server_port}/block", X="a\r\nb: c").fault is Fault.CRASH

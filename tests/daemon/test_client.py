"""The Python client against a real socket."""

import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import ThreadingMixIn, UnixStreamServer

import pytest

from synaptic.daemon import client, frame
from synaptic.model.call import Answer, Request
from synaptic.model.errors import DaemonError
from synaptic.model.home import Home
from tests.native.fake_daemon import FakeDaemon, hold_lock, send, tell

REQUEST = Request("claude", "PreToolUse", b"{}", "id", {"A": "1"})
OK = Answer(b"out", b"err", 2)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.mark.parametrize("folder", ["home", "long/" * 50])
def test_one_call_is_one_round_trip(tmp_path: Path, folder: str) -> None:
    """S3-008 S3-040"""
    home = Home(tmp_path / folder)
    with FakeDaemon(home, tell(OK)) as daemon:
        assert client.send_request(home, REQUEST) == OK
    assert [delivery.request for delivery in daemon.deliveries] == [REQUEST]


@pytest.mark.parametrize(
    "behave",
    [send(), send(b".."), send(frame.pack_answer(OK)[:9]), send(b"garbage garbage"), tell(OK, frame.OTHER_VERSION)],
)
def test_an_unusable_daemon_is_none(home: Home, behave: object) -> None:
    with FakeDaemon(home, behave) as daemon:  # type: ignore[arg-type]
        assert client.send_request(home, REQUEST) is None
    assert len(daemon.deliveries) == 1


def test_no_daemon_and_a_stale_socket_are_none(home: Home) -> None:
    assert client.send_request(home, REQUEST) is None
    with FakeDaemon(home, tell(OK)):
        pass
    assert client.send_request(home, REQUEST) is None


def test_a_silent_daemon_is_none(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """S3-054"""
    monkeypatch.setattr(client, "SILENCE_TIMEOUT", 0.2)
    with FakeDaemon(home, lambda connection, delivery: time.sleep(1)):
        assert client.send_request(home, REQUEST) is None


def test_a_starting_daemon_is_waited_for(home: Home) -> None:
    """S3-051"""
    lock = hold_lock(home.lock)
    threading.Timer(0.2, FakeDaemon, (home, tell(OK))).start()
    assert client.send_request(home, REQUEST) == OK
    os.close(lock)


def test_call_ids_sort_by_time() -> None:
    first = client.new_call_id()
    time.sleep(0.002)
    second = client.new_call_id()
    assert first < second
    assert len(first) == 26
    assert len({client.new_call_id() for _ in range(1000)}) == 1000


class Rpc(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answers = {
            "echo": {"result": {"path": self.path, "params": body["params"]}},
            "fail": {"error": {"code": -32601, "message": "no such method"}},
        }
        content = b"<html>" if body["method"] == "odd" else json.dumps(answers.get(body["method"], {})).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass

    def address_string(self) -> str:
        return "unix"


class RpcServer(ThreadingMixIn, UnixStreamServer):
    daemon_threads = True


@pytest.fixture
def served(home: Home) -> Iterator[Home]:
    home.run.mkdir(parents=True)
    with RpcServer(str(home.socket), Rpc) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield home
        server.shutdown()


def test_rpc_returns_the_result(served: Home) -> None:
    assert client.call_rpc(served, "echo", {"a": 1}) == {"path": "/rpc", "params": {"a": 1}}
    assert client.call_rpc(served, "echo") == {"path": "/rpc", "params": {}}


def test_rpc_errors_carry_code_and_message(served: Home) -> None:
    with pytest.raises(client.RpcError, match="no such method") as caught:
        client.call_rpc(served, "fail")
    assert caught.value.code == -32601
    assert client.is_responding(served)


def test_rpc_says_when_nobody_answers_sensibly(served: Home, tmp_path: Path) -> None:
    with pytest.raises(DaemonError, match="odd got no answer"):
        client.call_rpc(served, "odd")
    with pytest.raises(DaemonError, match="synaptic daemon status"):
        client.call_rpc(Home(tmp_path / "none"), "echo")
    assert not client.is_responding(Home(tmp_path / "none"))


def test_rpc_gives_up_on_a_stuck_daemon(home: Home) -> None:
    home.run.mkdir(parents=True)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(home.socket))
        listener.listen()
        with pytest.raises(DaemonError, match="timed out"):
            client.call_rpc(home, "echo", timeout=0.1)

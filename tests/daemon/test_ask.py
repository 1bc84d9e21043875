"""A daemon is asked only where its answer is ours; everything else is no answer."""

import json
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import synaptic
from synaptic.daemon import ask, lifecycle
from synaptic.daemon.address import bind_name
from synaptic.daemon.ask import DaemonHello, ask_daemon, greet_daemon, is_same_code
from synaptic.model.home import Home
from synaptic.setup.code import get_loaded_stamp, read_stamp
from tests.daemon.setting import Setting

HELLO = {"version": synaptic.__version__, "code": get_loaded_stamp()}
Answer = Callable[[socket.socket], None]


@pytest.fixture
def setting(tmp_path: Path) -> Iterator[Setting]:
    made = Setting(tmp_path)
    yield made
    made.close()


@pytest.fixture
def home(tmp_path: Path) -> Home:
    found = Home(tmp_path / "home")
    found.run.mkdir(parents=True)
    return found


def serve(home: Home, answer: Answer) -> socket.socket:
    """Somebody who listens under the daemon's name, and says to everybody what a test wants."""
    listener = socket.socket(socket.AF_UNIX)
    with bind_name(home.socket) as path:
        listener.bind(path)
    listener.listen()

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            connection.recv(1 << 16)
            answer(connection)

    threading.Thread(target=accept, daemon=True).start()
    return listener


def say(**reply: object) -> Answer:
    def answer(connection: socket.socket) -> None:
        connection.sendall(json.dumps(reply).encode() + b"\n")
        connection.close()

    return answer


def test_a_daemon_of_this_code_is_asked(setting: Setting):
    setting.install()
    setting.start()
    hello = greet_daemon(setting.home)
    assert hello is not None and is_same_code(hello)
    found = ask_daemon(setting.home, "catalog.list", {"root": str(setting.project)})
    assert isinstance(found, dict) and found["root"] == str(setting.project)


def test_without_a_daemon_there_is_no_answer(home: Home):
    assert ask_daemon(home, "catalog.list", {}) is None


def test_a_daemon_that_was_stopped_is_given_a_moment(setting: Setting, monkeypatch: pytest.MonkeyPatch):
    setting.install()
    setting.start()
    monkeypatch.setattr(ask, "HELLO_SECONDS", 0.2)
    pid = lifecycle.read_status(setting.home).pid
    os.kill(pid, signal.SIGSTOP)
    try:
        assert greet_daemon(setting.home, 0.2) is None
    finally:
        os.kill(pid, signal.SIGCONT)


def drip(connection: socket.socket) -> None:
    """One byte after another, and never a whole line."""
    stop = threading.Event()
    try:
        while not stop.wait(0.02):
            connection.sendall(b" ")
    except OSError:
        return


@pytest.mark.parametrize(
    "answer",
    [
        drip,
        lambda connection: connection.close(),
        lambda connection: connection.sendall(b"\xff\xfe\n"),
        lambda connection: connection.sendall(b"[1, 2]\n"),
        say(ok=False, error="UNKNOWN_COMMAND"),
        say(ok=True, data="a text"),
        say(ok=True, data={"version": 7}),
    ],
)
def test_nonsense_and_slowness_are_no_answer(home: Home, answer: Answer):
    with serve(home, answer):
        assert greet_daemon(home, 0.3) is None


@pytest.mark.parametrize("other", [{"version": "0.0.1"}, {"code": "another"}, {"code": ""}])
def test_a_daemon_of_other_code_is_not_asked(home: Home, other: dict[str, object]):
    with serve(home, say(ok=True, data={**HELLO, **other})):
        assert ask_daemon(home, "catalog.list", {}) is None


def test_code_that_was_changed_since_is_other_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "a.py").write_text("x = 1")
    hello = DaemonHello(synaptic.__version__, read_stamp(str(tmp_path)))
    (tmp_path / "a.py").write_text("x = 10")
    monkeypatch.setattr(ask, "get_loaded_stamp", lambda: read_stamp(str(tmp_path)))
    assert not is_same_code(hello)
    assert is_same_code(DaemonHello(synaptic.__version__, read_stamp(str(tmp_path))))


def test_what_json_cannot_hold_is_not_sent(home: Home):
    with serve(home, say(ok=True, data=HELLO)):
        assert ask_daemon(home, "catalog.list", {"root": "\udce9"}) is None
